"""Functions of each element, and softmax."""

from __future__ import annotations

import warnings

from ..._pairbond_autograd import DType, Tensor, _gelu, _leaky_relu, _silu, _softplus, _uniform, _where

sigmoid = Tensor.sigmoid
tanh = Tensor.tanh


def _placed(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, written to the input if it is to be in place."""
    return input.copy_(result) if inplace else result


def _source(input: Tensor, inplace: bool) -> Tensor:
    """What to compute from: a copy, if the input will be written to."""
    return input.clone() if inplace else input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Nothing below zero."""
    return input.relu_() if inplace else input.relu()


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """`x` times the part of a normal distribution below it; with `approximate="tanh"` nearly that."""
    if approximate == "none":
        return _gelu(input)
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    inner = (input + input * input * input * 0.044715) * 0.7978845608028654
    return input * 0.5 * (inner.tanh() + 1)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` times its sigmoid."""
    return _placed(input, _silu(_source(input, inplace)), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` times the tanh of its softplus."""
    x = _source(input, inplace)
    return _placed(input, x * _softplus(x).tanh(), inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """The logarithm of `1 + exp(beta * x)`, divided by `beta`; `x` itself where `beta * x` is above the threshold."""
    scaled = input * beta
    return _where(scaled > threshold, input, _softplus(scaled) / beta)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return -_softplus(-input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, and a part of it elsewhere."""
    return _placed(input, _leaky_relu(_source(input, inplace), negative_slope), inplace)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """As `leaky_relu`, with slopes that are learned: one, or one for each channel."""
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and "
                f"channel size = {channels}."
            )
        weight = weight.reshape(-1, *[1] * (input.ndim - 2))
    return _where(input > 0, input, input * weight)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """As `leaky_relu`, with random slopes while training."""
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    x = _source(input, inplace)
    slopes = _uniform(list(x.shape), lower, upper, x.dtype)
    return _placed(input, _where(x > 0, x, x * slopes), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, and down to `-alpha` elsewhere."""
    x = _source(input, inplace)
    return _placed(input, _where(x > 0, x, x.clamp(max=0).expm1() * alpha), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with numbers by which mean 0 and variance 1 stay."""
    x = _source(input, inplace)
    return _placed(input, elu(x, 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """As `elu`, with a slope that has no step at 0."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    x = _source(input, inplace)
    return _placed(input, _where(x > 0, x, (x / alpha).clamp(max=0).expm1() * alpha), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Within bounds. On them the slope is 0."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    x = _source(input, inplace)
    return _placed(input, _where((x > min_val) & (x < max_val), x, x.detach().clamp(min_val, max_val)), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """From 0 to 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Straight from 0 at -3 to 1 at 3."""
    return _placed(input, relu6(_source(input, inplace) + 3) / 6, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` times its `hardsigmoid`."""
    x = _source(input, inplace)
    return _placed(input, x * hardsigmoid(x), inplace)


def softsign(input: Tensor) -> Tensor:
    """`x / (1 + |x|)`"""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """`x - tanh(x)`"""
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Nearer to zero by `lambd`."""
    if lambd < 0:
        kind, most = ("Float", "3.40282e+38") if input.dtype == DType.float32 else ("Double", "1.79769e+308")
        raise RuntimeError(f"lambda must be in range [0, {most}] for input dtype {kind}, but found {lambd:g}")
    return _where(input > lambd, input - lambd, _where(input < -lambd, input + lambd, 0.0))


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Zero where it is not further away from zero than `lambd`."""
    return _where(input.abs() > lambd, input, 0.0)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Another number where `x` is not above a threshold."""
    x = _source(input, inplace)
    return _placed(input, _where(x > threshold, x, float(value)), inplace)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """One half times the sigmoid of the other."""
    if input.shape[dim] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim % input.ndim} is size {input.shape[dim]}"
        )
    first, second = input.chunk(2, dim)
    result: Tensor = first * second.sigmoid()
    return result


def _dim(name: str, rank: int) -> int:
    """PyTorch guesses, and says that one should not rely on it."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """What adds up to 1 along a dimension."""
    dim = _dim("softmax", input.ndim) if dim is None else dim
    return (input if dtype is None else input.to(dtype)).softmax(dim)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The softmax of `-x`."""
    return softmax(-input, _dim("softmin", input.ndim) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The logarithm of the softmax."""
    dim = _dim("log_softmax", input.ndim) if dim is None else dim
    return (input if dtype is None else input.to(dtype)).log_softmax(dim)


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random choice by probabilities that still has a gradient; `hard`: with ones and zeros."""
    noise = -(-_uniform(list(logits.shape), 1e-20, 1.0, logits.dtype).log()).log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    ones: Tensor = (soft.detach() * 0).scatter(dim, soft.detach().argmax(dim, True), 1.0)
    chosen: Tensor = ones - soft.detach() + soft
    return chosen
