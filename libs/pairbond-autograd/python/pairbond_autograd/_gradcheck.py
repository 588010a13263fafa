"""Derivatives compared with differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ._modes import enable_grad, no_grad
from ._pairbond_autograd import Tensor, _backward, _normal


class GradcheckError(RuntimeError):
    """A derivative that is not what the differences say."""


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _flat(nested: Any) -> Iterator[float]:
    if not isinstance(nested, list):
        yield nested
        return
    for part in nested:
        yield from _flat(part)


def _leaf(values: Sequence[float], like: Tensor) -> Tensor:
    """A tensor of these values, as large as another."""
    return Tensor(Tensor(list(values), dtype=like.dtype).reshape(like.shape), requires_grad=like.requires_grad)


def _gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor], grads: Sequence[Tensor], create: bool) -> list[Any]:
    """The gradients of leaves, whose own `grad` stays as it is."""
    before = [it.grad for it in inputs]
    for it in inputs:
        it.grad = None
    try:
        _backward(list(outputs), list(grads), True, create)
        return [it.grad for it in inputs]
    finally:
        for it, grad in zip(inputs, before, strict=True):
            it.grad = grad


def _wanted(inputs: Sequence[Any]) -> list[int]:
    return [i for i, it in enumerate(inputs) if isinstance(it, Tensor) and it.requires_grad]


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compares the derivatives of `func` by those inputs that require gradients with differences of its values.

    The inputs are best of float64. A difference raises `GradcheckError`, or returns False.
    """
    try:
        _check(func, list(_tuple(inputs)), eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], inputs: list[Any], eps: float, atol: float, rtol: float) -> None:
    wanted = _wanted(inputs)
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them does")
    # Leaves of our own: whoever calls may have given us results of something.
    leaves = [_leaf([*_flat(it.tolist())], it) if i in wanted else it for i, it in enumerate(inputs)]
    outputs = [it for it in _tuple(func(*leaves)) if isinstance(it, Tensor)]
    for which, output in enumerate(outputs):
        if not output.requires_grad:
            continue
        rows = _by_derivative(output, [leaves[i] for i in wanted])
        for place, i in enumerate(wanted):
            columns = _by_difference(func, leaves, i, which, eps)
            for column, numbers in enumerate(columns):
                for row, number in enumerate(numbers):
                    analytical = rows[row][place][column]
                    if not abs(analytical - number) <= atol + rtol * abs(number):
                        raise GradcheckError(
                            f"Jacobian mismatch for output {which} with respect to input {i}: element {row} of the "
                            f"output by element {column} of the input: numerical {number!r}, analytical {analytical!r}"
                        )


def _by_derivative(output: Tensor, leaves: list[Tensor]) -> list[list[list[float]]]:
    """For each element of the output, for each leaf, the derivatives."""
    rows = []
    for row in range(output.numel()):
        chosen = [0.0] * output.numel()
        chosen[row] = 1.0
        grad = Tensor(chosen, dtype=output.dtype).reshape(output.shape)
        found = _gradients([output], leaves, [grad], False)
        both = zip(found, leaves, strict=True)
        rows.append([[0.0] * leaf.numel() if grad is None else [*_flat(grad.tolist())] for grad, leaf in both])
    return rows


def _by_difference(func: Callable[..., Any], inputs: list[Any], i: int, which: int, eps: float) -> list[list[float]]:
    """For each element of an input, the derivatives of the elements of an output."""
    values = [*_flat(inputs[i].tolist())]

    def at(column: int, value: float) -> list[float]:
        moved = _leaf([*values[:column], value, *values[column + 1 :]], inputs[i])
        with no_grad():
            outputs = [it for it in _tuple(func(*inputs[:i], moved, *inputs[i + 1 :])) if isinstance(it, Tensor)]
        return [*_flat(outputs[which].tolist())]

    columns = []
    for column, value in enumerate(values):
        above, below = at(column, value + eps), at(column, value - eps)
        columns.append([(one - other) / (2 * eps) for one, other in zip(above, below, strict=True)])
    return columns


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compares the derivatives of the derivatives of `func` with differences of its derivatives.

    They are by the inputs and by the gradients of the outputs, which are random unless given.
    """
    inputs = list(_tuple(inputs))
    outputs = [it for it in _tuple(func(*inputs)) if isinstance(it, Tensor) and it.requires_grad]
    if grad_outputs is None:
        grads = [_normal(list(it.shape), 0.0, 1.0, it.dtype) for it in outputs]
    else:
        grads = list(_tuple(grad_outputs))
    grads = [Tensor(it, requires_grad=True) for it in grads]
    wanted = _wanted(inputs)

    def derivatives(*arguments: Any) -> tuple[Tensor, ...]:
        with enable_grad():
            # Also where only values are asked for, these are derivatives.
            own = list(arguments[: len(inputs)])
            outputs = [it for it in _tuple(func(*own)) if isinstance(it, Tensor) and it.requires_grad]
            found = _gradients(outputs, [own[i] for i in wanted], arguments[len(inputs) :], True)
        return tuple(it for it in found if it is not None)

    return gradcheck(derivatives, [*inputs, *grads], eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]
