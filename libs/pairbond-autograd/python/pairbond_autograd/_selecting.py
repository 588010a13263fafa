"""Elements that are chosen by what they are, or by where."""

from __future__ import annotations

from typing import Any

from ._arranging import broadcast_shapes
from ._pairbond_autograd import DType, Tensor, stack, tensor
from .return_types import _kthvalue

__all__ = ["masked_select", "median", "nonzero", "take", "unique"]


def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """Where the elements are that are not zero: a row for each, or with `as_tuple` a tensor for each dimension."""
    flat = self.detach().reshape(-1)
    places = tensor([place for place, value in enumerate(flat.tolist()) if value], dtype=DType.int64)
    columns = []
    for size in reversed(self.shape):
        columns.append(places % size if size else places)
        places = places // size if size else places
    columns.reverse()
    if as_tuple:
        return tuple(columns) if self.ndim else (places,)
    return stack(columns, 1) if columns else tensor([[]] * len(places), dtype=DType.int64).reshape(len(places), 0)


def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is true, in one dimension."""
    if mask.dtype is not DType.bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shapes(self.shape, mask.shape)
    return self.expand(shape)[mask.expand(shape)]


def take(self: Tensor, index: Tensor) -> Tensor:
    """The elements with these numbers, counted through all."""
    return self.reshape(-1)[index]


def median(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The element in the middle (of two, the smaller one); along a dimension, and where it is.

    Of all elements, the gradient is divided among those that are equal; it is no number if one of them is none.
    """
    if dim is None:
        flat = self.reshape(-1)
        if not self.numel() or not self.is_floating_point():
            return _kthvalue(flat, (self.numel() + 1) // 2).values
        none = flat.isnan()
        chosen = none if none.any() else flat.eq(_kthvalue(flat.detach(), (self.numel() + 1) // 2).values)
        return flat[chosen].mean()
    return _kthvalue(self, ((self.shape[dim] if self.ndim else 1) + 1) // 2, dim, keepdim)


def unique(self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """Which elements there are, each once and in order; where each is among these; how often each is there."""
    flat = self.detach().reshape(-1)
    ordered, places = flat.sort()
    numbers = ordered.tolist()
    firsts = [place for place, number in enumerate(numbers) if place == 0 or numbers[place - 1] != number]
    ends = [*firsts[1:], len(numbers)] if firsts else []
    counts = [end - first for first, end in zip(firsts, ends, strict=True)]
    results: list[Tensor] = [ordered.index_select(0, tensor(firsts, dtype=DType.int64))]
    if return_inverse:
        groups = [group for group, count in enumerate(counts) for _ in range(count)]
        inverse = places.scatter(0, places, tensor(groups, dtype=DType.int64))
        results.append(inverse.reshape(self.shape))
    if return_counts:
        results.append(tensor(counts, dtype=DType.int64))
    return results[0] if len(results) == 1 else tuple(results)


for _function in (masked_select, median, nonzero, take, unique):
    setattr(Tensor, _function.__name__, _function)
