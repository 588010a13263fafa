"""How far numbers are from those that should have come."""

from __future__ import annotations

import math
import warnings

from ..._pairbond_autograd import Tensor, _softplus, _where
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


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Squares of differences below `beta`, differences above it."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    _warn_of_sizes(input, target)
    away = (input - target).abs()
    return reduced(_where(away < beta, away.square() * (0.5 / beta), away - 0.5 * beta), reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """`smooth_l1_loss` times `delta`."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _warn_of_sizes(input, target)
    away = (input - target).abs()
    return reduced(_where(away <= delta, away.square() * 0.5, (away - 0.5 * delta) * delta), reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """How far probabilities are from those that `input` has the logarithms of."""
    if log_target:
        losses = target.exp() * (target - input)
    else:
        some = _where(target > 0, target, 1.0)
        losses = _where(target > 0, some * some.log(), 0.0) - target * input
    if reduction == "batchmean":
        mean: Tensor = losses.sum() / input.shape[0]
        return mean
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    return reduced(losses, reduction)


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


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Of numbers of events; `full` adds Stirling's approximation of what does not depend on the input."""
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = _where(target > 1, target, 2.0)
        stirling = many * many.log() - many + (many * (2 * math.pi)).log() * 0.5
        losses = losses + _where(target > 1, stirling, 0.0)
    return reduced(losses, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Of normal distributions with means `input` and variances `var`."""
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")
    var = var + (var.detach().clamp(min=eps) - var.detach())
    losses = (var.log() + (input - target).square() / var) * 0.5
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Of targets 1 and -1."""
    return reduced(_softplus(-target * input), reduction)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """Distances where the target is 1; how much they lack to a margin where it is -1."""
    away = _where(target.eq(1), 0.0, (margin - input).clamp(min=0))
    return reduced(away + _where(target.eq(-1), 0.0, input), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """The first should be larger where the target is 1, and smaller where it is -1."""
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)
