"""Means of 0 and variances of 1."""

from __future__ import annotations

from collections.abc import Sequence

from ..._modes import no_grad
from ..._pairbond_autograd import Tensor
from .._texts import size_text


def _scaled(away: Tensor, variance: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    out = away * (variance + eps).rsqrt()
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def _check_shape(input: Tensor, normalized_shape: Sequence[int]) -> None:
    rank = len(normalized_shape)
    if not rank:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if input.ndim < rank or tuple(input.shape[input.ndim - rank :]) != tuple(normalized_shape):
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape "
            f"[*, {str(list(normalized_shape))[1:-1]}], but got input of size{list(input.shape)}"
        )


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """With mean 0 and variance 1 over the last dimensions."""
    _check_shape(input, normalized_shape)
    dims = list(range(-len(normalized_shape), 0))
    away = input - input.mean(dims, True)
    return _scaled(away, (away * away).mean(dims, True), weight, bias, eps)


def _remember(running: Tensor, now: Tensor, momentum: float) -> None:
    with no_grad():
        running.mul_(1 - momentum).add_(now.detach().reshape(-1).to(running.dtype) * momentum)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """With mean 0 and variance 1 for each channel: while training those of the batch, then those remembered."""
    columns = (-1, *[1] * (input.ndim - 2))
    if training:
        count = input.numel() // input.shape[1]
        if count == 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {size_text(input.shape)}"
            )
        dims = [dim for dim in range(input.ndim) if dim != 1]
        mean = input.mean(dims, True)
        away = input - mean
        variance = (away * away).mean(dims, True)
        if running_mean is not None:
            _remember(running_mean, mean, momentum)
        if running_var is not None:
            _remember(running_var, variance * (count / (count - 1)), momentum)
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
    else:
        away, variance = input - running_mean.reshape(columns), running_var.reshape(columns)
    factor, shift = (None if it is None else it.reshape(columns) for it in (weight, bias))
    return _scaled(away, variance, factor, shift, eps)
