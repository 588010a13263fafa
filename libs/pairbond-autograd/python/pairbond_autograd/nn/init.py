"""Where parameters begin."""

from __future__ import annotations

import math

from .._modes import no_grad
from .._pairbond_autograd import Tensor, _assign, _normal, _uniform


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Numbers from `a` to `b`."""
    with no_grad():
        _assign(tensor, _uniform(list(tensor.shape), a, b, tensor.dtype))
    return tensor


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Numbers of a normal distribution."""
    with no_grad():
        _assign(tensor, _normal(list(tensor.shape), mean, std, tensor.dtype))
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    with no_grad():
        _assign(tensor, Tensor([val], dtype=tensor.dtype).expand(tensor.numel()).reshape(tensor.shape))
    return tensor


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output of such weights has, and how many outputs an input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def kaiming_uniform_(tensor: Tensor, a: float = 0.0) -> Tensor:
    """For layers that are followed by `relu` (`a` is the slope of a leaky one)."""
    bound = math.sqrt(6 / ((1 + a * a) * fans(tensor)[0]))
    return uniform_(tensor, -bound, bound)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)
