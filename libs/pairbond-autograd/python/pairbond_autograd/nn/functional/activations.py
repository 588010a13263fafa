"""Functions of each element, and softmax."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from ..._pairbond_autograd import DType, Tensor, _elu, _gelu, _leaky_relu, _silu

sigmoid = Tensor.sigmoid
tanh = Tensor.tanh


def _placed(name: str, input: Tensor, function: Callable[[Tensor], Tensor], inplace: bool) -> Tensor:
    """The result of a function, written to the input if it is to be in place."""
    return input._change(f"{name}_", function) if inplace else function(input)


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
    return _placed("silu", input, _silu, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, and a part of it elsewhere."""
    return _placed("leaky_relu", input, lambda x: _leaky_relu(x, negative_slope, inplace), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, and down to `-alpha` elsewhere."""
    return _placed("elu", input, lambda x: _elu(x, alpha, inplace), inplace)


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


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The logarithm of the softmax."""
    dim = _dim("log_softmax", input.ndim) if dim is None else dim
    return (input if dtype is None else input.to(dtype)).log_softmax(dim)
