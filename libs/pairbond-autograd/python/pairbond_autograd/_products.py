"""Products of vectors and matrices, and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ._pairbond_autograd import DType, Tensor

Number = bool | int | float

__all__ = ["addmm", "addmv", "baddbmm", "dot", "mv", "norm", "outer", "tensordot"]


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    return self @ tensor


def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """All products of an element of the one vector and one of the other."""
    if self.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError("outer: Expected 1-D vectors")
    return self.unsqueeze(1) * vec2


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {vec.ndim}, {self.ndim}, {vec.ndim}")
    return self @ vec


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """With a product of matrices added."""
    return self * beta + mat1.mm(mat2) * alpha


def addmv(self: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """With the product of a matrix and a vector added."""
    return self * beta + mv(mat, vec) * alpha


def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """With the products of two batches of matrices added."""
    return self * beta + batch1.bmm(batch2) * alpha


def norm(
    self: Tensor, p: float | str | None = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None
) -> Tensor:
    """The `p`-th root of the sum of the `p`-th powers of all elements, or of those of dimensions."""
    if not self.is_floating_point():
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input")
    it = self if dtype is None else self.to(dtype)
    order = 2.0 if p is None or p == "fro" else float(p)
    options: dict[str, Any] = {} if dim is None else {"dim": dim, "keepdim": keepdim}
    if dim is None and keepdim and it.ndim:
        options = {"dim": list(range(it.ndim)), "keepdim": True}
    if order == math.inf:
        return it.abs().amax(**options)
    if order == -math.inf:
        return it.abs().amin(**options)
    if order == 0:
        counted: Tensor = it.ne(0).to(it.dtype).sum(**options)
        return counted
    if order == 1:
        return it.abs().sum(**options)
    powers = it * it if order == 2 else it.abs() ** order
    total: Tensor = powers.sum(**options)
    # Where all is zero the derivative is zero.
    none = total.eq(0)
    root: Tensor = total.masked_fill(none, 1.0) ** (1 / order)
    return root.masked_fill(none, 0.0)


def tensordot(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """The sums of products over the last dimensions of one and the first of the other, or over pairs of dimensions."""
    if isinstance(dims, int):
        pairs: list[list[int]] = [list(range(a.ndim - dims, a.ndim)), list(range(dims))]
    else:
        pairs = [[dim % a.ndim for dim in dims[0]], [dim % b.ndim for dim in dims[1]]]
    for one, other in zip(*pairs, strict=True):
        if a.shape[one] != b.shape[other]:
            raise RuntimeError("contracted dimensions need to match")
    rest = [[dim for dim in range(it.ndim) if dim not in over] for it, over in zip((a, b), pairs, strict=True)]
    length = math.prod(a.shape[dim] for dim in pairs[0])
    rows, columns = [a.shape[dim] for dim in rest[0]], [b.shape[dim] for dim in rest[1]]
    left = a.permute(*rest[0], *pairs[0]).reshape(math.prod(rows), length)
    right = b.permute(*pairs[1], *rest[1]).reshape(length, math.prod(columns))
    return (left @ right).reshape(rows + columns)


for _function in (addmm, addmv, baddbmm, dot, mv, norm, outer):
    setattr(Tensor, _function.__name__, _function)
