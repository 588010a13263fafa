"""Several plans for rates: at the same time, or one after the other."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, rate_of


class _Combined(LRScheduler):
    """What has schedulers of one optimizer."""

    _schedulers: list[LRScheduler]

    def _take(self, schedulers: Iterable[LRScheduler], optimizer: Optimizer | None) -> None:
        """Remembers schedulers of the same optimizer."""
        name, given = type(self).__name__, [*schedulers]
        if not given:
            chained = "" if name == "SequentialLR" else " to be chained"
            raise ValueError(f"{name} expects at least one scheduler{chained}, but got no scheduler.")
        optimizer = given[0].optimizer if optimizer is None else optimizer
        for number, scheduler in enumerate(given):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )
        self.optimizer, self._schedulers = optimizer, given

    def state_dict(self) -> dict[str, Any]:
        """That of all schedulers, too."""
        return {**super().state_dict(), "_schedulers": [it.state_dict() for it in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ChainedScheduler(_Combined):
    """All schedulers at each step."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self._take(schedulers, optimizer)
        self._last_lr = [*map(rate_of, self.optimizer.param_groups)]

    def step(self) -> None:  # type: ignore[override]
        """One step of each."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [*map(rate_of, self.optimizer.param_groups)]


class SequentialLR(_Combined):
    """One scheduler after the other, from some steps on."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if schedulers and len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._take(schedulers, optimizer)
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:  # their first steps did not count
            scheduler.last_epoch -= 1
            scheduler._step_count = 0
        self._schedulers[0].step()
        for scheduler in self._schedulers[1:]:
            scheduler._step_count = 1
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """A step of the one whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()
