"""Derivatives of functions as functions: products with their Jacobians and Hessians, and these themselves.

Each calls `func` once, with tensors of its own that have the numbers of `inputs`: one tensor or a tuple, and so is
what comes back. It has a history if that is asked for with `create_graph`. What does not depend on an input has a
derivative of zeros, or, if `strict`, is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .._create import ones_like, zeros, zeros_like
from .._functions import stack
from .._modes import enable_grad
from .._pairbond_autograd import Tensor, _grad

Tensors: TypeAlias = tuple[Tensor, ...]
OneOrSeveral: TypeAlias = Tensor | Tensors
Function: TypeAlias = Callable[..., Any]


def _several(given: Any, what: str) -> Tensors:
    tensors = given if isinstance(given, tuple) else (given,)
    for it in tensors:
        if not isinstance(it, Tensor):
            raise TypeError(f"{what} must be a Tensor or a tuple of Tensors, and one is of type {type(it).__name__}")
    return tensors


def _like(given: Any, tensors: Sequence[Any], create_graph: bool) -> Any:
    """One value for each tensor of `given`: as a tuple if that is one, and without a history unless it is wanted."""
    done = tuple(it.detach() if isinstance(it, Tensor) and not create_graph else it for it in tensors)
    return done if isinstance(given, tuple) else done[0]


def _own(inputs: OneOrSeveral, create_graph: bool) -> Tensors:
    """Other tensors of the same numbers: `func` may know those that were given, too."""
    return tuple(
        it.view(it.shape) if create_graph and it.requires_grad else it.detach().requires_grad_()
        for it in _several(inputs, "inputs")
    )


def _called(func: Function, own: Tensors, strict: bool) -> tuple[OneOrSeveral, Tensors]:
    given = func(*own)
    outputs = _several(given, "what the function returns")
    for place, it in enumerate(outputs):
        if strict and not it.requires_grad:
            raise RuntimeError(
                f"Output {place} of the user-provided function does not require gradients. "
                "The outputs must be computed in a differentiable manner from the input when running in strict mode."
            )
    return given, outputs


def _vector(v: OneOrSeveral | None, likes: Tensors, what: str) -> Tensors:
    """What the product is with, in the shapes of `likes`; 1 if that is one number."""
    if v is None:
        if len(likes) != 1 or likes[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what} is a single Tensor with a single element.")
        return (ones_like(likes[0]),)
    vector = _several(v, "v")
    if len(vector) != len(likes):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(likes)} but got {len(vector)}.")
    for it, like in zip(vector, likes, strict=True):
        if it.shape != like.shape:
            raise RuntimeError(f"v has invalid size: should be {like.shape} but got {it.shape}.")
    return vector


def _gradients(
    outputs: Tensors, inputs: Tensors, vector: Tensors, create_graph: bool, strict: bool, of: str
) -> Tensors:
    """The gradients of what the outputs, times the vector, sum up to."""
    used = [both for both in zip(outputs, vector, strict=True) if both[0].requires_grad]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if used:
        found = _grad([it for it, _ in used], list(inputs), [it for _, it in used], True, create_graph, True)
    for place, it in enumerate(found):
        if strict and (it is None or (create_graph and not it.requires_grad)):
            what = of if it is None else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {place}. "
                "This is not allowed in strict mode."
            )
    return tuple(zeros_like(like) if it is None else it for it, like in zip(found, inputs, strict=True))


def vjp(
    func: Function,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
    """What `func` returns, and the product of a vector with its Jacobian."""
    with enable_grad():
        own = _own(inputs, create_graph)
        given, outputs = _called(func, own, strict)
        vector = _vector(v, outputs, "the output of the user-provided function")
        product = _gradients(outputs, own, vector, create_graph, strict, "output")
    return _like(given, outputs, create_graph), _like(inputs, product, create_graph)


def jvp(
    func: Function,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
    """What `func` returns, and the product of its Jacobian with a vector: `vjp`, derived by its vector."""
    with enable_grad():
        own = _own(inputs, create_graph)
        vector = _vector(v, own, "the input to the user-provided function")
        given, outputs = _called(func, own, strict)
        any_vector = tuple(zeros_like(it).requires_grad_() for it in outputs)
        products = _gradients(outputs, own, any_vector, True, strict, "output")
        product = _gradients(products, any_vector, vector, create_graph, strict, "jacobian")
    return _like(given, outputs, create_graph), _like(given, product, create_graph)


def _rows(output: Tensor, inputs: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The derivatives of each number of an output, by each input: in the shapes of both."""
    numbers = output.reshape(-1)
    of_each = [_gradients((it,), inputs, (ones_like(it),), create_graph, strict, "output") for it in numbers]
    if not of_each:
        return tuple(zeros((*output.shape, *it.shape), dtype=it.dtype) for it in inputs)
    by_input = zip(zip(*of_each, strict=True), inputs, strict=True)
    return tuple(stack(rows).reshape((*output.shape, *it.shape)) for rows, it in by_input)


def jacobian(func: Function, inputs: OneOrSeveral, create_graph: bool = False, strict: bool = False) -> Any:
    """The derivatives of each number that `func` returns by each of its inputs: `[output][input]` of tuples."""
    with enable_grad():
        own = _own(inputs, create_graph)
        given, outputs = _called(func, own, strict)
        rows = [_rows(it, own, create_graph, strict) for it in outputs]
    return _like(given, [_like(inputs, it, create_graph) for it in rows], True)


def _one_number(outputs: Tensors) -> Tensor:
    if len(outputs) != 1 or outputs[0].numel() != 1:
        raise RuntimeError("The function given to hessian or vhp should return a single Tensor with a single element.")
    return outputs[0].reshape(())


def hessian(func: Function, inputs: OneOrSeveral, create_graph: bool = False, strict: bool = False) -> Any:
    """The second derivatives of the one number that `func` returns: `[input][input]` where inputs are tuples."""

    def first(*own: Tensor) -> Tensors:
        output = _one_number(_called(func, own, strict)[1])
        return _gradients((output,), own, (ones_like(output),), True, strict, "output")

    rows = jacobian(first, _several(inputs, "inputs"), create_graph, strict)
    return _like(inputs, [_like(inputs, it, True) for it in rows], True)


def vhp(
    func: Function,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
    """The one number that `func` returns, and the product of a vector with its Hessian."""
    with enable_grad():
        own = _own(inputs, create_graph)
        vector = _vector(v, own, "the input to the user-provided function")
        given, outputs = _called(func, own, strict)
        output = _one_number(outputs)
        first = _gradients((output,), own, (ones_like(output),), True, strict, "output")
        product = _gradients(first, own, vector, create_graph, strict, "jacobian")
    return _like(given, outputs, create_graph), _like(inputs, product, create_graph)


def hvp(
    func: Function,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
    """As `vhp`: a Hessian is symmetric."""
    return vhp(func, inputs, v, create_graph, strict)
