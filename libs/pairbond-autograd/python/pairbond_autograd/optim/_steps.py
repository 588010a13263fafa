"""What optimizers have in common: their settings, and what they remember."""

from __future__ import annotations

import copy
from typing import Any

from .._pairbond_autograd import DType, Tensor, _uniform


def check(**settings: Any) -> None:
    """Settings that must not be negative."""
    for name, value in settings.items():
        if not value >= 0:
            called = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
            raise ValueError(f"Invalid {called}: {value}")


def check_betas(betas: tuple[float, float]) -> None:
    """How much of the past counts: less than all."""
    for number, beta in enumerate(betas):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {number}: {beta}")


def zeros(param: Tensor, value: float = 0.0) -> Tensor:
    """The same number for each of a parameter's."""
    return _uniform(list(param.shape), value, value, param.dtype)


def count(state: dict[str, Any]) -> float:
    """Counts a step; how many there were."""
    state["step"].add_(1)
    return float(state["step"].item())


def no_steps() -> Tensor:
    """As PyTorch counts: in a tensor."""
    return Tensor(0.0, dtype=DType.float32)


def kept(name: str, value: Any, param: Tensor) -> Any:
    """A copy for what is remembered of a parameter, in its dtype."""
    if isinstance(value, Tensor):
        value = value.clone()
        return value.to(param.dtype) if name != "step" and param.is_floating_point() else value
    return copy.deepcopy(value)
