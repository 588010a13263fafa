"""Functions of each element, and softmax."""

from __future__ import annotations

import warnings

from ..._pairbond_autograd import DType, Tensor, _gelu

sigmoid = Tensor.sigmoid
tanh = Tensor.tanh


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
