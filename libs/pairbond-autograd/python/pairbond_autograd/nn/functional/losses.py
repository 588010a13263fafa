"""How far numbers are from those that should have come."""

from __future__ import annotations

import warnings

from ..._pairbond_autograd import Tensor, _softplus
from .._texts import size_text
from .reduction import reduced


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(
            f"Using a target size ({size_text(target.shape)}) that is different to the input size "
            f"({size_text(input.shape)}). This will likely lead to incorrect results due to broadcasting. Please "
            "ensure they have the same size.",
            stacklevel=3,
        )


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """Squares of differences."""
    _warn_of_sizes(input, target)
    losses = (input - target).square()
    if weight is None:
        return reduced(losses, reduction)
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else reduced(losses, reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Differences without their sign."""
    _warn_of_sizes(input, target)
    return reduced((input - target).abs(), reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Of probabilities. No logarithm is less than -100, as PyTorch has it."""
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"Using a target size ({size_text(target.shape)}) that is different to the input size "
            f"({size_text(input.shape)}) is deprecated. Please ensure they have the same size."
        )
    if not ((input >= 0) & (input <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    losses = -(target * input.log().clamp(min=-100) + (1 - target) * (1 - input).log().clamp(min=-100))
    return reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Of what becomes probabilities by `sigmoid`; those of yes count `pos_weight` times."""
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"Target size ({size_text(target.shape)}) must be the same as input size ({size_text(input.shape)})"
        )
    if pos_weight is None:
        losses = (1 - target) * input + _softplus(-input)
    else:
        losses = (1 - target) * input + _softplus(-input) * (target * (pos_weight - 1) + 1)
    return reduced(losses if weight is None else losses * weight, reduction)
