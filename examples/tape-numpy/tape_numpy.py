"""Arrays of numpy with derivatives: pairbond's tape, and a class with operations.

An operation is a function of Python with a derivative that is made of operations, so that it has a derivative itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _tape_numpy as tape
import numpy as np

grad, backward = tape.grad, tape.backward
# The tape is no module of its own: pickle, help() and others find its classes in this one.
for _shown in (tape.Variable, tape.Wrapped, tape.Backend, tape.Node, tape.AccumulateGrad, tape.RemovableHandle):
    _shown.__module__ = tape.__name__


class Array(tape.Wrapped):
    """An array that knows how it was computed; `data` is the array itself."""

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        super().__init__(np.asarray(data, dtype=float), BACKEND, requires_grad=requires_grad)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def __add__(self, other: Array) -> Array:
        return add(self, other)

    def __mul__(self, other: Array) -> Array:
        return mul(self, other)

    def __sub__(self, other: Array) -> Array:
        return self + other * Array(-1.0)

    def __matmul__(self, other: Array) -> Array:
        return matmul(self, other)

    @property
    def T(self) -> Array:
        return transpose(self)

    def sum(self) -> Array:
        return sum_to(self, ())

    def mean(self) -> Array:
        return self.sum() * Array(1 / self.data.size)


def _several(result: Any) -> list[Any] | None:
    return list(result) if isinstance(result, tuple) else None


def operation(backward: Callable[..., Any]) -> Callable[[Callable[..., Array]], Any]:
    """Makes an operation of a function: `forward(ctx, *arguments)`; `backward(ctx, gradient)` is its derivative."""

    def of(forward: Callable[..., Array]) -> Any:
        name = f"{forward.__name__.title().replace('_', '')}Backward"
        return tape._FunctionInfo(name, type(name, (tape._FunctionNode,), {}), _several, forward, None, backward)

    return of


def _of_operands(derive: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ctx, grad: derive(grad, *ctx.saved_tensors)


# Gradients may have the shape of the result: the tape sums them to that of the operand, by `fit`.
@operation(lambda ctx, grad: (grad, grad))
def add(ctx: Any, a: Array, b: Array) -> Array:
    return Array(a.data + b.data)


@operation(_of_operands(lambda grad, a, b: (grad * b, grad * a)))
def mul(ctx: Any, a: Array, b: Array) -> Array:
    ctx.save_for_backward(a, b)
    return Array(a.data * b.data)


@operation(_of_operands(lambda grad, a, b: (grad @ b.T, a.T @ grad)))
def matmul(ctx: Any, a: Array, b: Array) -> Array:
    ctx.save_for_backward(a, b)
    return Array(a.data @ b.data)


@operation(lambda ctx, grad: grad.T)
def transpose(ctx: Any, a: Array) -> Array:
    return Array(a.data.T)


@operation(_of_operands(lambda grad, out: grad * (Array(1.0) - out * out)))
def tanh(ctx: Any, a: Array) -> Array:
    out = Array(np.tanh(a.data))
    ctx.save_for_backward(out)
    return out


@operation(lambda ctx, grad: (expand(grad, ctx.shape), None))
def sum_to(ctx: Any, a: Array, shape: tuple[int, ...]) -> Array:
    """The sum along the dimensions in which an array of that shape was stretched."""
    ctx.shape = a.shape
    more = a.data.ndim - len(shape)
    stretched = [more + at for at, length in enumerate(shape) if length == 1 != a.shape[more + at]]
    return Array(a.data.sum(axis=(*range(more), *stretched), keepdims=True).reshape(shape))


@operation(lambda ctx, grad: (sum_to(grad, ctx.shape), None))
def expand(ctx: Any, a: Array, shape: tuple[int, ...]) -> Array:
    ctx.shape = a.shape
    return Array(np.broadcast_to(a.data, shape))


def _fit(grad: Array, shape: Any, kind: int) -> Array | None:
    pairs = zip(grad.shape[::-1], tuple(shape)[::-1], strict=False)
    fits = len(grad.shape) >= len(shape) and all(length == own or own == 1 for length, own in pairs)
    return sum_to(grad, tuple(shape)) if fits else None


BACKEND = tape.Backend(
    meta=lambda data: (list(data.shape), 0),
    full=lambda number, shape, kind: Array(np.full(tuple(shape), number)),
    detach=lambda value: Array(value.data),
    add=lambda one, other: one + other,
    fit=_fit,
    has_nan=lambda data: bool(np.isnan(data).any()),
)


def step(parameters: list[Array], rate: float) -> None:
    """Gradient descent: writes to the arrays, which the tape is told. Nothing is recorded meanwhile."""
    before = tape._set_grad_enabled(False)
    for it in parameters:
        it.data[...] -= rate * it.grad.data
        it._bump_version()
        it.grad = None
    tape._set_grad_enabled(before)
