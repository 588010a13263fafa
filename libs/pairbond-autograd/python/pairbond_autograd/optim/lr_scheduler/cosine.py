"""Rates that go up and down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, for_each, need_optimizer


class CosineAnnealingLR(LRScheduler):
    """Down to a smallest rate within some steps, as a cosine goes, and up again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> Sequence[float]:
        if self.last_epoch == 0:
            return self._rates()
        low, now, before = self.eta_min, self._height(self.last_epoch), self._height(self.last_epoch - 1)
        if self._step_count == 1:  # it goes on where another one stopped
            return [low + (base - low) * now / 2 for base in self.base_lrs]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the lowest point there is no factor
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - low) * rise for base, rate in zip(self.base_lrs, self._rates(), strict=True)]
        return [now / before * (rate - low) + low for rate in self._rates()]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down to a smallest rate as a cosine goes, again and again, each time within `T_mult` times as many steps."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[float]:
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Changes the rates; to those of a number of steps, which need not be whole, if that is said."""
        if epoch is not None and epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        place: float = max(self.last_epoch + 1, 0) if epoch is None else epoch
        self._step_count += 1
        self.last_epoch = math.floor(place)
        self.T_i = self.T_0
        while place >= self.T_i:
            place -= self.T_i
            self.T_i *= self.T_mult
        self.T_cur = place
        self._set(self.get_lr())


class OneCycleLR(LRScheduler):
    """Up to a largest rate and down to nearly nothing, once; momentum goes the other way."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        need_optimizer(optimizer)
        for name, value in {"total_steps": total_steps, "epochs": epochs, "steps_per_epoch": steps_per_epoch}.items():
            if value is not None and (value <= 0 or not isinstance(value, int)):
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if not 0 <= pct_start <= 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps, self._anneal = total_steps, anneal_strategy
        turn = float(pct_start * total_steps) - 1
        self._phases: list[tuple[float, str, str]] = [(turn, "initial_lr", "max_lr")]
        if three_phase:
            self._phases.append((2 * turn, "max_lr", "initial_lr"))
        self._phases.append((total_steps - 1, "initial_lr" if three_phase else "max_lr", "min_lr"))
        self.cycle_momentum, self.use_beta1 = cycle_momentum, "betas" in optimizer.defaults
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, for_each(max_lr, optimizer, "max_lr"), strict=True):
                first = most / div_factor
                group.update(initial_lr=first, max_lr=most, min_lr=first / final_div_factor)
            if cycle_momentum:
                self._begin_momentum(optimizer, base_momentum, max_momentum)
        super().__init__(optimizer, last_epoch)

    def _begin_momentum(self, optimizer: Optimizer, base: Any, most: Any) -> None:
        if not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        bases, largest = for_each(base, optimizer, "base_momentum"), for_each(most, optimizer, "max_momentum")
        for group, low, high in zip(optimizer.param_groups, bases, largest, strict=True):
            self._set_momentum(group, high)
            group.update(base_momentum=low, max_momentum=high)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> Sequence[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Tried to step {self.last_epoch} times. The total number of steps is {self.total_steps}")
        begin, rates = 0.0, []
        phases = [*self._phases]
        while len(phases) > 1 and self.last_epoch > phases[0][0]:
            begin = phases.pop(0)[0]
        end, start_name, end_name = phases[0]
        part = (self.last_epoch - begin) / (end - begin)
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[start_name], group[end_name], part))
            if self.cycle_momentum:
                names = {"max_lr": "base_momentum"}
                low_high = [group[names.get(name, "max_momentum")] for name in (start_name, end_name)]
                self._set_momentum(group, self._between(low_high[0], low_high[1], part))
        return rates
