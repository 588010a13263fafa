"""Tensors put beside each other, turned and repeated: made of what the library has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ._pairbond_autograd import Tensor, _arange, _full, cat, stack
from ._sizes import Size, enough_memory

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "cartesian_prod",
    "column_stack",
    "diag",
    "diagonal",
    "hstack",
    "meshgrid",
    "movedim",
    "ravel",
    "repeat_interleave",
    "roll",
    "tile",
    "trace",
    "unflatten",
    "vstack",
]


def _ints(values: Sequence[Any]) -> tuple[int, ...]:
    """`f(1, 2)` and `f((1, 2))`."""
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else tuple(values)


def _several(tensors: Sequence[Any]) -> tuple[Tensor, ...]:
    return tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tuple(tensors)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that all can be stretched to."""
    whole: list[int] = []
    for shape in shapes:
        lengths = [shape] if isinstance(shape, int) else list(shape)
        rank = max(len(whole), len(lengths))
        pairs = [*zip([1] * (rank - len(whole)) + whole, [1] * (rank - len(lengths)) + lengths, strict=True)]
        if any(one != other and 1 not in (one, other) for one, other in pairs):
            raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
        whole = [other if one == 1 else one for one, other in pairs]
    return Size(whole)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views, all of the shape that all can be stretched to."""
    all_of_them = _several(tensors)
    shape = broadcast_shapes(*(tensor.shape for tensor in all_of_them))
    return tuple(tensor.expand(shape) for tensor in all_of_them)


def broadcast_to(self: Tensor, size: Sequence[int]) -> Tensor:
    """A view that repeats elements."""
    return self.expand(tuple(size))


def ravel(self: Tensor) -> Tensor:
    """All elements in one dimension."""
    return self.reshape(-1)


def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """A dimension as several."""
    axis = dim % max(self.ndim, 1)
    known = math.prod(size for size in sizes if size != -1)
    parts = [self.shape[axis] // known if size == -1 and known else size for size in sizes]
    if math.prod(parts) != self.shape[axis]:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({self.shape[axis]}) "
            "in the input tensor"
        )
    return self.reshape(*self.shape[:axis], *parts, *self.shape[axis + 1 :])


def movedim(self: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with dimensions in other places; the others stay in order."""
    begin = [dim % self.ndim for dim in ([source] if isinstance(source, int) else source)]
    end = [dim % self.ndim for dim in ([destination] if isinstance(destination, int) else destination)]
    if len(begin) != len(end):
        raise RuntimeError("movedim: Invalid source or destination dims: there must be as many of each")
    others = iter(dim for dim in range(self.ndim) if dim not in begin)
    moved = dict(zip(end, begin, strict=True))
    return self.permute([moved[place] if place in moved else next(others) for place in range(self.ndim)])


def tile(self: Tensor, *dims: Any) -> Tensor:
    """As `repeat`, also with less numbers than dimensions."""
    times = _ints(dims)
    return self.repeat(*[1] * (self.ndim - len(times)), *times)


def roll(self: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """With the elements of dimensions, or all, moved on; what falls out at the end comes in at the beginning."""
    if dims is None:
        return roll(self.flatten(), shifts, 0).reshape(self.shape)
    pairs = zip(*([it] if isinstance(it, int) else it for it in (shifts, dims)), strict=True)
    for shift, dim in pairs:
        size = self.shape[dim]
        rest = size - shift % size if size else 0
        self = cat([self.narrow(dim, rest, size - rest), self.narrow(dim, 0, rest)], dim)
    return self


def repeat_interleave(self: Tensor, repeats: int | Tensor, dim: int | None = None) -> Tensor:
    """Each element of a dimension so often, one copy behind the other."""
    if dim is None:
        return repeat_interleave(self.flatten(), repeats, 0)
    size = self.shape[dim]
    counts = [int(repeats)] if isinstance(repeats, int) else repeats.flatten().tolist()
    if len(counts) == 1:
        enough_memory(size)
        counts *= size
    if len(counts) != size or any(count < 0 for count in counts):
        raise RuntimeError("repeats must have the same size as input along dim, and nothing less than 0")
    enough_memory(sum(counts))
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    return self.index_select(dim, _numbers(places))


def _numbers(places: list[int]) -> Tensor:
    return Tensor(places, dtype=_arange(0, 0, 1).dtype)


diagonal = Tensor.diagonal


def diag(self: Tensor, diagonal: int = 0) -> Tensor:
    """A diagonal of a matrix, or a matrix with that diagonal."""
    if self.ndim == 2:
        return self.diagonal(diagonal).clone()
    if self.ndim != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
    size = len(self) + abs(diagonal)
    start = diagonal if diagonal >= 0 else -diagonal * size
    places = _numbers([start + place * (size + 1) for place in range(len(self))])
    return _full((size * size,), 0, self.dtype).index_add(0, places, self).reshape(size, size)


def trace(self: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    if self.ndim != 2:
        raise RuntimeError("trace: expected a matrix")
    return self.diagonal().sum()


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """For each of several lines of numbers, a tensor of all places of their grid."""
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    lines = [line.reshape(-1) for line in _several(tensors)]
    swap = indexing == "xy" and len(lines) > 1
    if swap:
        lines[:2] = lines[1::-1]
    shape = [len(line) for line in lines]
    grid = [
        line.reshape(*[1] * axis, -1, *[1] * (len(lines) - axis - 1)).expand(shape) for axis, line in enumerate(lines)
    ]
    if swap:
        grid[:2] = grid[1::-1]
    return tuple(grid)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All choices of one element of each."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([each.reshape(-1) for each in meshgrid(*tensors)], 1)


def atleast_1d(self: Tensor) -> Tensor:
    """With at least one dimension."""
    return self if self.ndim else self.reshape(1)


def atleast_2d(self: Tensor) -> Tensor:
    """With at least two dimensions."""
    return self if self.ndim > 1 else self.reshape(1, -1)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Beside each other."""
    rows = [atleast_1d(tensor) for tensor in tensors]
    return cat(rows, 0 if not rows or rows[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Below each other."""
    return cat([atleast_2d(tensor) for tensor in tensors], 0)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Beside each other; what has one dimension is a column."""
    return cat([tensor.reshape(-1, 1) if tensor.ndim < 2 else tensor for tensor in tensors], 1)


for _function in (broadcast_to, diag, movedim, ravel, repeat_interleave, roll, tile, trace, unflatten):
    setattr(Tensor, _function.__name__, _function)
