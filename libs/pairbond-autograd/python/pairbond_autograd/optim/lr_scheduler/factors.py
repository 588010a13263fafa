"""Rates times a factor in each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, Shrinking


class LambdaLR(LRScheduler):
    """What functions make of the number of the step, times the first rates."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Any], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = _functions(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Of functions, only the attributes of objects that can be called."""
        state = super().state_dict()
        state["lr_lambdas"] = [
            None if type(function).__name__ == "function" else dict(function.__dict__) for function in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {name: value for name, value in state_dict.items() if name != "lr_lambdas"}
        super().load_state_dict(rest)
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if attributes is not None:
                function.__dict__.update(attributes)

    def get_lr(self) -> Sequence[float]:
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas, strict=True)]


def _functions(optimizer: Optimizer, given: Any) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        return [given] * len(optimizer.param_groups)
    if len(given) != len(optimizer.param_groups):
        raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(given)}")
    return [*given]


class MultiplicativeLR(LambdaLR):
    """What functions make of the number of the step, times the last rates."""

    def get_lr(self) -> Sequence[float]:
        if self.last_epoch <= 0:
            return self._rates()
        functions = self.lr_lambdas
        return [rate * function(self.last_epoch) for rate, function in zip(self._rates(), functions, strict=True)]


class StepLR(Shrinking):
    """Smaller after each so many steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return 1.0 if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma


class MultiStepLR(Shrinking):
    """Smaller at some steps."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return float(self.gamma ** self.milestones[self.last_epoch])


class ExponentialLR(Shrinking):
    """Smaller at each step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return self.gamma if self.last_epoch else 1.0


class ConstantLR(Shrinking):
    """Smaller until a step, then as it was."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self._factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self.last_epoch == 0:
            return self._factor
        return 1.0 / self._factor if self.last_epoch == self.total_iters else 1.0


class LinearLR(Shrinking):
    """Straight from one factor to another."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self.last_epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)


class PolynomialLR(Shrinking):
    """Down to nothing as a power of the steps that are left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return 1.0
        left = self.total_iters - self.last_epoch
        return float((left / (left + 1)) ** self.power)
