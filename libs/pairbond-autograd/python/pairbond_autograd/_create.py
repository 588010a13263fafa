"""Functions that make tensors, with PyTorch's signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _pairbond_autograd as _native
from ._pairbond_autograd import DType, Tensor

Size = int | Sequence[int]
Number = bool | int | float


def _shape(size: tuple[Any, ...]) -> Sequence[int]:
    """`zeros(2, 3)` and `zeros((2, 3))`."""
    if len(size) == 1 and not hasattr(size[0], "__index__"):
        return tuple(size[0])
    return size


def _on_cpu(device: object) -> None:
    if device is not None and str(device) != "cpu":
        raise RuntimeError(f"there is no device {str(device)!r}, only 'cpu'")


def as_tensor(data: Any, dtype: DType | None = None, device: object = None) -> Tensor:
    """The tensor itself, or one that shares an array's numbers where that is possible; otherwise a copy."""
    _on_cpu(device)
    return _native._as_tensor(data, dtype)


def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the numbers of an array."""
    return _native._from_array(array)


def from_dlpack(array: Any) -> Tensor:
    """A tensor that shares the numbers of whatever has `__dlpack__`."""
    if isinstance(array, Tensor):
        return array.data
    return _native._from_array(array)


def full(
    size: Size,
    fill_value: Number,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The same number everywhere."""
    _on_cpu(device)
    return _native._full(_shape((size,)), fill_value, dtype, requires_grad)


def zeros(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Zeros."""
    _on_cpu(device)
    return _native._full(_shape(size), 0.0, dtype, requires_grad)


def ones(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Ones."""
    _on_cpu(device)
    return _native._full(_shape(size), 1.0, dtype, requires_grad)


empty = zeros


def full_like(
    like: Tensor,
    fill_value: Number,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """As `full`, of the shape and dtype of another tensor."""
    _on_cpu(device)
    return _native._full(like.shape, fill_value, dtype or like.dtype, requires_grad)


def zeros_like(like: Tensor, **options: Any) -> Tensor:
    """Zeros, of the shape and dtype of another tensor."""
    return full_like(like, 0.0, **options)


def ones_like(like: Tensor, **options: Any) -> Tensor:
    """Ones, of the shape and dtype of another tensor."""
    return full_like(like, 1.0, **options)


empty_like = zeros_like


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` (or 0) on, as long as they are before `end`."""
    _on_cpu(device)
    if end is None:
        start, end = 0, start
    return _native._arange(start, end, step, dtype, requires_grad)


def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers at equal distances, both ends included."""
    _on_cpu(device)
    return _native._linspace(start, end, steps, dtype, requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    _on_cpu(device)
    return _native._eye(n, n if m is None else m, dtype, requires_grad)


def manual_seed(seed: int) -> None:
    """Makes the random numbers the same from here on."""
    _native._manual_seed(seed)


def rand(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Random numbers from 0 up to and without 1."""
    _on_cpu(device)
    return _native._rand(_shape(size), dtype, requires_grad)


def randn(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution."""
    _on_cpu(device)
    return _native._randn(_shape(size), dtype, requires_grad)


def rand_like(like: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """As `rand`, of the shape and dtype of another tensor."""
    return _native._rand(like.shape, dtype or like.dtype, requires_grad)


def randn_like(like: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """As `randn`, of the shape and dtype of another tensor."""
    return _native._randn(like.shape, dtype or like.dtype, requires_grad)


def randint(*bounds: Any, dtype: DType | None = None, device: object = None) -> Tensor:
    """`randint(high, size)`, `randint(low, high, size)`: whole numbers from `low` (or 0) up to and without `high`."""
    _on_cpu(device)
    if len(bounds) not in (2, 3):
        raise TypeError("randint() takes (high, size) or (low, high, size)")
    *limits, size = bounds
    low, high = limits if len(limits) == 2 else (0, *limits)
    return _native._randint(low, high, _shape((size,)), dtype)


def randperm(n: int) -> Tensor:
    """The numbers below `n` in a random order."""
    return _native._randperm(n)
