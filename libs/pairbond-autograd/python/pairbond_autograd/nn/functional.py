"""What modules compute, as functions."""

from __future__ import annotations

from collections.abc import Sequence

from .._pairbond_autograd import (
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


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """With numbers around the last dimensions: pairs, the last dimension's first."""
    if mode != "constant":
        raise NotImplementedError(f"padding mode {mode!r}: there is only 'constant'")
    return _pad(input, list(pad), value or 0.0)


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
    if ceil_mode:
        raise NotImplementedError("ceil_mode")
    values, places = _max_pool2d(input, kernel_size, stride, padding, dilation)
    return (values, places) if return_indices else values


def avg_pool2d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """The mean of each window, with zeros around the image."""
    down, right = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    channels = input.shape[-3]
    weight = Tensor([1.0 / (down * right)], dtype=input.dtype).expand(channels * down * right)
    weight = weight.reshape(channels, 1, down, right)
    return conv2d(input, weight, None, kernel_size if stride is None else stride, padding, 1, channels)


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
    counts = target != ignore_index
    known = target * counts
    losses = -input.gather(dim, known.unsqueeze(dim)).squeeze(dim)
    weights = Tensor(counts, dtype=input.dtype)
    if weight is not None:
        weights = weights * weight.index_select(0, known.flatten()).reshape(known.shape)
    losses = losses * weights
    return losses.sum() / weights.sum() if reduction == "mean" else _reduced(losses, reduction)


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
        losses = -(logs * target if weight is None else logs * target * weight).sum(dim)
        return losses.sum() / max(losses.numel(), 1) if reduction == "mean" else _reduced(losses, reduction)
    loss = nll_loss(logs, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return loss
    if weight is not None:
        raise NotImplementedError("label smoothing together with weights of classes")
    counts = Tensor(target != ignore_index, dtype=input.dtype)
    smooth = -logs.mean(dim) * counts
    smooth = smooth.sum() / counts.sum() if reduction == "mean" else _reduced(smooth, reduction)
    return loss * (1 - label_smoothing) + smooth * label_smoothing
