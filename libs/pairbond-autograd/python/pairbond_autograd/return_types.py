"""Results of two parts, which have names: `t.max(0).values`, `t.sort().indices`."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._pairbond_autograd import Tensor


class max(NamedTuple):
    """The largest along a dimension, and where they are."""

    values: Tensor
    indices: Tensor


class min(NamedTuple):
    """The smallest along a dimension, and where they are."""

    values: Tensor
    indices: Tensor


class sort(NamedTuple):
    """The elements in order, and where they were."""

    values: Tensor
    indices: Tensor


class topk(NamedTuple):
    """The largest or smallest elements, and where they are."""

    values: Tensor
    indices: Tensor


class kthvalue(NamedTuple):
    """The element that would be at that place in order, and where it is."""

    values: Tensor
    indices: Tensor


_max, _min, _sort = Tensor.max, Tensor.min, Tensor.sort


def _max_named(self: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Tensor | max:
    """The largest element; those along a dimension, and where they are; or the larger of two tensors each."""
    found = _max(self, dim, keepdim)
    return max(*found) if isinstance(found, tuple) else found


def _min_named(self: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Tensor | min:
    """The smallest element; those along a dimension, and where they are; or the smaller of two tensors each."""
    found = _min(self, dim, keepdim)
    return min(*found) if isinstance(found, tuple) else found


def _sort_named(self: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> sort:
    """The elements in order along a dimension, and where they were. (Equal ones always stay in order.)"""
    return sort(*_sort(self, dim, descending))


def _topk(self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> topk:
    """The `k` largest or smallest elements along a dimension in order, and where they are."""
    if not 0 <= k <= (self.shape[dim] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return topk(*(it.narrow(dim, 0, k) if self.ndim else it for it in _sort(self, dim, largest)))


def _kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> kthvalue:
    """The `k`-th smallest element along a dimension, counted from 1, and where it is."""
    if not 1 <= k <= (self.shape[dim] if self.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension")
    found = _sort(self, dim, False)
    if self.ndim:
        found = tuple(it.narrow(dim, k - 1, 1) if keepdim else it.select(dim, k - 1) for it in found)
    return kthvalue(*found)


_METHODS: dict[str, Any] = {
    "max": _max_named,
    "min": _min_named,
    "sort": _sort_named,
    "topk": _topk,
    "kthvalue": _kthvalue,
}
for _name, _function in _METHODS.items():
    setattr(Tensor, _name, _function)
