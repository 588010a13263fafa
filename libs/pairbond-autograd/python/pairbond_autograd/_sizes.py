"""`Size`: what `x.shape` is."""

from __future__ import annotations

import math
from typing import Any, Self, SupportsIndex, overload

from ._pairbond_autograd import Tensor


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

    def __add__(self, other: Any) -> Self:  # type: ignore[override]
        return type(self)((*self, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Self:
        return type(self)((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Self:
        return type(self)(super().__mul__(times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


_lengths = Tensor.__base__.shape.__get__  # type: ignore[union-attr]
_size = Tensor.size


def _shape(self: Tensor) -> Size:
    """The lengths of all dimensions."""
    return Size(_lengths(self))


def _size_of(self: Tensor, dim: int | None = None) -> Size | int:
    """The shape, or the length of one dimension."""
    return Size(_lengths(self)) if dim is None else _size(self, dim)


Tensor.shape = property(_shape)  # type: ignore[method-assign, assignment, misc]
Tensor.size = _size_of  # type: ignore[method-assign, assignment]
