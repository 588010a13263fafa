"""Functions that make tensors, with PyTorch's signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _pairbond_autograd as _native
from ._devices import on_cpu
from ._pairbond_autograd import DType, Tensor

Lengths = int | Sequence[int]
Number = bool | int | float


def _shape(size: tuple[Any, ...]) -> Sequence[int]:
    """`zeros(2, 3)` and `zeros((2, 3))`."""
    if len(size) == 1 and not hasattr(size[0], "__index__"):
        if isinstance(size[0], (str, float)):
            raise TypeError(f"argument 'size' must be tuple of ints, not {type(size[0]).__name__}")
        size = tuple(size[0])
    if any(isinstance(length, int) and length < 0 for length in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {list(size)}")
    return size


def as_tensor(data: Any, dtype: DType | None = None, device: object = None) -> Tensor:
    """The tensor itself, or one that shares an array's numbers where that is possible; otherwise a copy."""
    on_cpu(device)
    return _native._as_tensor(data, dtype)


def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the numbers of an array."""
    return _native._from_array(array)


def from_dlpack(array: Any) -> Tensor:
    """A tensor that shares the numbers of whatever has `__dlpack__`."""
    if isinstance(array, Tensor):
        if array.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return array.data
    return _native._from_array(array)


def full(
    size: Lengths,
    fill_value: Number,
    *,
    dtype: DType | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The same number everywhere."""
    on_cpu(device)
    return _native._full(_shape((size,)), fill_value, dtype, requires_grad)


def zeros(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Zeros."""
    on_cpu(device)
    return _native._full(_shape(size), 0.0, dtype, requires_grad)


def ones(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Ones."""
    on_cpu(device)
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
    on_cpu(device)
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
    on_cpu(device)
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
    on_cpu(device)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
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
    on_cpu(device)
    if n < 0 or (m is not None and m < 0):
        raise RuntimeError(f"n and m must be greater or equal to 0, got {n} and {m}")
    return _native._eye(n, n if m is None else m, dtype, requires_grad)


def manual_seed(seed: int) -> None:
    """Makes the random numbers the same from here on."""
    _native._manual_seed(seed)


def rand(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Random numbers from 0 up to and without 1."""
    on_cpu(device)
    return _native._rand(_shape(size), dtype, requires_grad)


def randn(*size: Any, dtype: DType | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution."""
    on_cpu(device)
    return _native._randn(_shape(size), dtype, requires_grad)


def rand_like(
    like: Tensor, *, dtype: DType | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """As `rand`, of the shape and dtype of another tensor."""
    on_cpu(device)
    return _native._rand(like.shape, dtype or like.dtype, requires_grad)


def randn_like(
    like: Tensor, *, dtype: DType | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """As `randn`, of the shape and dtype of another tensor."""
    on_cpu(device)
    return _native._randn(like.shape, dtype or like.dtype, requires_grad)


def randint(*bounds: Any, dtype: DType | None = None, device: object = None) -> Tensor:
    """`randint(high, size)`, `randint(low, high, size)`: whole numbers from `low` (or 0) up to and without `high`."""
    on_cpu(device)
    if len(bounds) not in (2, 3):
        raise TypeError("randint() takes (high, size) or (low, high, size)")
    *limits, size = bounds
    low, high = limits if len(limits) == 2 else (0, *limits)
    return _native._randint(low, high, _shape((size,)), dtype)


def randperm(n: int) -> Tensor:
    """The numbers below `n` in a random order."""
    return _native._randperm(n)


asarray = as_tensor


def normal(mean: float | Tensor, std: float | Tensor = 1.0, size: Any = None) -> Tensor:
    """Random numbers of a normal distribution, or each of its own."""
    if size is not None:
        return randn(size) * std + mean
    shape = (mean * std).shape if isinstance(mean, Tensor) else std.shape  # type: ignore[union-attr]
    made: Tensor = randn(shape) * std + mean
    return made


def bernoulli(input: Tensor) -> Tensor:
    """Ones with these probabilities, and zeros."""
    drawn: Tensor = (rand(input.shape, dtype=input.dtype) < input).to(input.dtype)
    return drawn


def _new_full(self: Tensor, size: Lengths, fill_value: Number, **options: Any) -> Tensor:
    """The same number everywhere, of this tensor's dtype."""
    return full(size, fill_value, **{"dtype": self.dtype, **options})


def _new_zeros(self: Tensor, *size: Any, **options: Any) -> Tensor:
    """Zeros, of this tensor's dtype."""
    return zeros(*size, **{"dtype": self.dtype, **options})


def _new_ones(self: Tensor, *size: Any, **options: Any) -> Tensor:
    """Ones, of this tensor's dtype."""
    return ones(*size, **{"dtype": self.dtype, **options})


def _new_tensor(self: Tensor, data: Any, **options: Any) -> Tensor:
    """A tensor of these numbers, of this tensor's dtype."""
    return _native.tensor(data, **{"dtype": self.dtype, **options})


for _name, _method in {
    "new_full": _new_full,
    "new_zeros": _new_zeros,
    "new_empty": _new_zeros,
    "new_ones": _new_ones,
    "new_tensor": _new_tensor,
}.items():
    setattr(Tensor, _name, _method)
