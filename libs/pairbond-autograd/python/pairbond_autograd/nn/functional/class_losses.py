"""How wrong the probabilities of classes are."""

from __future__ import annotations

import math

from ..._pairbond_autograd import Tensor
from .reduction import reduced


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """The negative logarithm of the right class's probability; classes are in dimension 1, or in the only one."""
    dim = 0 if input.ndim == 1 else 1
    counts = _known_classes(input, target, dim, ignore_index)
    known = target * counts
    losses = -input.gather(dim, known.unsqueeze(dim)).squeeze(dim)
    weights = Tensor(counts, dtype=input.dtype)
    if weight is not None:
        weights = weights * weight.index_select(0, known.flatten()).reshape(known.shape)
    losses = losses * weights
    return _weighted_mean(losses, weights) if reduction == "mean" else reduced(losses, reduction)


def _known_classes(input: Tensor, target: Tensor, dim: int, ignore_index: int) -> Tensor:
    """Where a target is not to be ignored. All others are classes, one for each place of the input."""
    if target.ndim and input.ndim and target.shape[0] != input.shape[0] and input.ndim > 1:
        message = f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        raise ValueError(message)
    if (expected := (*input.shape[:dim], *input.shape[dim + 1 :])) != tuple(target.shape):
        raise RuntimeError(f"Expected target size {list(expected)}, got {list(target.shape)}")
    counts = target.ne(ignore_index)
    wrong = counts & ((target < 0) | (target >= input.shape[dim]))
    if wrong.any():
        raise IndexError(f"Target {target[wrong][0].item()} is out of bounds.")
    return counts


def _weighted_mean(losses: Tensor, weights: Tensor) -> Tensor:
    """If nothing has a weight there is no mean, and nothing to learn."""
    total = weights.sum()
    return losses.sum() / total if total.item() else losses.sum() * 0 + math.nan


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of logits, against the numbers of classes, or their probabilities."""
    dim = 0 if input.ndim == 1 else 1
    logs = input.log_softmax(dim)
    if target.is_floating_point():
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        if weight is not None:
            logs = logs * _of_classes(weight, input, dim)
        losses = -(logs * target).sum(dim)
        return losses.sum() / max(losses.numel(), 1) if reduction == "mean" else reduced(losses, reduction)
    loss = nll_loss(logs, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return loss
    counts = Tensor(target != ignore_index, dtype=input.dtype)
    every = logs if weight is None else logs * _of_classes(weight, input, dim)
    smooth = -every.mean(dim) * counts
    if reduction == "mean":
        if weight is not None:
            known = target * (target != ignore_index)
            counts = counts * weight.index_select(0, known.flatten()).reshape(known.shape)
        smooth = _weighted_mean(smooth, counts)
    else:
        smooth = reduced(smooth, reduction)
    return loss * (1 - label_smoothing) + smooth * label_smoothing


def _of_classes(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    """As wide as `input` in the dimension of classes."""
    return weight.reshape(-1, *[1] * (input.ndim - dim - 1))
