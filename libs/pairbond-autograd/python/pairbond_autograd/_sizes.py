"""`Size`: what `x.shape` is."""

from __future__ import annotations

import math
from typing import Any, Self, SupportsIndex, overload

from ._pairbond_autograd import DType, StridedTensor, Tensor, _full


class Size(tuple[int, ...]):
    """A tuple of lengths, which says how many elements they make."""

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Self: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | Self:
        found = super().__getitem__(key)
        return type(self)(found) if isinstance(found, tuple) else found

    def __add__(self, other: Any) -> Self:
        if not isinstance(other, tuple):
            return NotImplemented
        return type(self)((*self, *other))

    def __radd__(self, other: Any) -> Self:
        if not isinstance(other, tuple):
            return NotImplemented
        return type(self)((*other, *self))

    def __mul__(self, times: SupportsIndex) -> Self:
        return type(self)(super().__mul__(times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


_lengths = StridedTensor.shape.__get__
_size = Tensor.size


def _shape(self: Tensor) -> Size:
    """The lengths of all dimensions."""
    return Size(_lengths(self))


def _size_of(self: Tensor, dim: int | None = None) -> Size | int:
    """The shape, or the length of one dimension."""
    return Size(_lengths(self)) if dim is None else _size(self, dim)


for _name, _member in {"shape": property(_shape), "size": _size_of}.items():
    setattr(Tensor, _name, _member)


def enough_memory(count: int) -> None:
    """Refuses to go on where Python would make a list of more numbers than memory holds, and be killed for it."""
    if count >= 1 << 40:
        raise MemoryError(f"there is no memory for {count} numbers")
    # As much as Python needs: not touched, and given back at once. (CPython's own allocator may promise anything.)
    _full((8 * max(count, 0),), 0, DType.float64)
