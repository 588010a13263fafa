"""`LRScheduler`: how large steps are as time goes on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer


def rate_of(group: dict[str, Any]) -> Any:
    """The learning rate of a group, as it is now."""
    return group["lr"]


def need_optimizer(optimizer: Any) -> None:
    """Nothing else has learning rates."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def for_each(value: Any, optimizer: Optimizer, name: str) -> list[Any]:
    """A setting for each group: the same for all, or one for each."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise ValueError(f"{name} must have the same length as optimizer.param_groups")
    return [*value]


class LRScheduler:
    """Rates that change with each step of its own. Subclasses define `get_lr`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        need_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    f"last_epoch >= 0.\nThis typically happens when:\n"
                    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer "
                    "state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        self._last_lr: list[Any] = []
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates since the last step."""
        return self._last_lr

    def get_lr(self) -> Sequence[float]:
        """The rates from now on, one for each group."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Changes the rates; to those of a number of steps, if that is said."""
        if self._step_count == 1 and not self.optimizer._stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            self._set(self.get_lr())
        else:
            warnings.warn(
                "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
                "Please use `scheduler.step()` to step the scheduler.",
                UserWarning,
                stacklevel=2,
            )
            self._go_to(epoch)

    def _set(self, rates: Sequence[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = [*map(rate_of, self.optimizer.param_groups)]

    def _go_to(self, epoch: int) -> None:
        """All steps up to one, from the beginning."""
        self._set(self.base_lrs)
        for self.last_epoch in range(epoch + 1):
            self._set(self.get_lr())

    def _rates(self) -> list[Any]:
        return [*map(rate_of, self.optimizer.param_groups)]


class Shrinking(LRScheduler):
    """All rates times a factor, which depends on the number of the step."""

    def factor(self) -> float:
        """What rates are multiplied by in this step."""
        raise NotImplementedError

    def get_lr(self) -> Sequence[float]:
        factor = self.factor()
        return [rate * factor for rate in self._rates()]
