"""What modules compute, as functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._pairbond_autograd import (
    DType,
    Tensor,
    _dropout,
    _embedding,
    _gelu,
    _leaky_relu,
    _linear,
    _max_pool2d,
    _pad,
    _silu,
    _softplus,
    conv2d,
)

Size = int | Sequence[int]

relu = Tensor.relu
sigmoid = Tensor.sigmoid
tanh = Tensor.tanh
softmax = Tensor.softmax
log_softmax = Tensor.log_softmax


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`"""
    return _linear(input, weight, bias)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """`x` times the part of a normal distribution below it; with `approximate="tanh"` nearly that."""
    if approximate == "none":
        return _gelu(input)
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    inner = (input + input * input * input * 0.044715) * 0.7978845608028654
    return input * 0.5 * (inner.tanh() + 1)


def silu(input: Tensor) -> Tensor:
    return _silu(input)


def softplus(input: Tensor) -> Tensor:
    return _softplus(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return _leaky_relu(input, negative_slope)


def logsigmoid(input: Tensor) -> Tensor:
    return -_softplus(-input)


def _around(mode: str, place: int, size: int) -> int:
    """Which element stands at a place that may be before or behind all."""
    match mode:
        case "replicate":
            return min(max(place, 0), size - 1)
        case "circular":
            return place % size
    return size - 1 - abs(size - 1 - abs(place))


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """With numbers around the last dimensions: pairs, the last dimension's first.

    `mode` is "constant" (of `value`), "reflect" (at the outermost elements), "replicate" (these) or "circular".
    """
    if mode == "constant":
        return _pad(input, list(pad), value or 0.0)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise RuntimeError(f"padding of {len(pad)} numbers for {input.ndim} dimensions")
    for dim, sizes in enumerate(zip(pad[::2], pad[1::2], strict=True), 1):
        size = input.shape[-dim]
        most = {"reflect": size - 1, "circular": size}.get(mode, max(sizes))
        if max(sizes) > most or size == 0:
            raise RuntimeError(
                f"Padding size should be less than the corresponding input dimension, but got: padding {sizes} at "
                f"dimension {input.ndim - dim} of input {list(input.shape)}"
            )
        places = [_around(mode, place, size) for place in range(-sizes[0], size + sizes[1])]
        input = input.index_select(-dim, Tensor(places, dtype=DType.int64))
    return input


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window."""
    values, places = _max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, places) if return_indices else values


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[-1])


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window, with zeros around the image, which count or do not."""
    window, pads = _pair(kernel_size), _pair(padding)
    strides = window if stride is None else _pair(stride)
    if any(2 * pad > size for pad, size in zip(pads, window, strict=True)):
        raise RuntimeError("pad should be at most half of effective kernel size")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    channels, image = input.shape[-3], input.shape[-2:]
    # How far windows go beyond the padding.
    beyond = [0, 0]
    for axis in range(2) if ceil_mode else ():
        left = image[axis] + 2 * pads[axis] - window[axis]
        count = -(-left // strides[axis])
        if count * strides[axis] >= image[axis] + pads[axis]:
            count -= 1
        beyond[axis] = max(count * strides[axis] - left, 0)
    around = [pads[1], pads[1] + beyond[1], pads[0], pads[0] + beyond[0]]

    def total(images: Tensor, channels: int) -> Tensor:
        ones = Tensor([1.0], dtype=input.dtype).expand(channels * window[0] * window[1])
        return conv2d(images, ones.reshape(channels, 1, *window), None, strides, 0, 1, channels)

    sums = total(_pad(input, around, 0.0) if any(around) else input, channels)
    if divisor_override is not None or not any(around) or (count_include_pad and not any(beyond)):
        return sums / (divisor_override or window[0] * window[1])
    # How many numbers each window has.
    counted = [image[axis] + (2 * pads[axis] if count_include_pad else 0) for axis in range(2)]
    ones = Tensor([1.0], dtype=input.dtype).expand(counted[0] * counted[1]).reshape(1, *counted)
    rest = [0, beyond[1], 0, beyond[0]] if count_include_pad else around
    return sums / total(_pad(ones, rest, 0.0), 1)


def embedding(input: Tensor, weight: Tensor) -> Tensor:
    """Rows of `weight`, one for each number."""
    return _embedding(weight, input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Some elements become zero; the others grow so that the mean stays."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _dropout(input, p) if training and p > 0 else input


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """With mean 0 and variance 1 over the last dimensions."""
    rank = len(normalized_shape)
    if tuple(input.shape[input.ndim - rank :]) != tuple(normalized_shape):
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape "
            f"[*, {str(list(normalized_shape))[1:-1]}], but got input of size{list(input.shape)}"
        )
    dims = list(range(-rank, 0))
    away = input - input.mean(dims, True)
    out = away * ((away * away).mean(dims, True) + eps).rsqrt()
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    match reduction:
        case "mean":
            return losses.mean()
        case "sum":
            return losses.sum()
        case "none":
            return losses
    raise ValueError(f"{reduction} is not a valid value for reduction")


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return _reduced((input - target).square(), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return _reduced((input - target).abs(), reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Of probabilities. No logarithm is less than -100, as PyTorch has it."""
    if not ((input >= 0) & (input <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    losses = -(target * input.log().clamp(min=-100) + (1 - target) * (1 - input).log().clamp(min=-100))
    return _reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Of what becomes probabilities by `sigmoid`."""
    losses = (1 - target) * input + _softplus(-input)
    return _reduced(losses if weight is None else losses * weight, reduction)


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
    return _weighted_mean(losses, weights) if reduction == "mean" else _reduced(losses, reduction)


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
    if target.dtype.name.startswith("float"):
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        if weight is not None:
            logs = logs * _of_classes(weight, input, dim)
        losses = -(logs * target).sum(dim)
        return losses.sum() / max(losses.numel(), 1) if reduction == "mean" else _reduced(losses, reduction)
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
        smooth = _reduced(smooth, reduction)
    return loss * (1 - label_smoothing) + smooth * label_smoothing


def _of_classes(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    """As wide as `input` in the dimension of classes."""
    return weight.reshape(-1, *[1] * (input.ndim - dim - 1))
