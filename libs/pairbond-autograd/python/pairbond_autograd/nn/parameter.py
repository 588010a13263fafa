"""What is learned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._pairbond_autograd import Tensor


class Parameter(Tensor):
    """A tensor that a module counts among what is learned. It shares the memory of what it is made from."""

    # Results of operations on it are no parameters.
    _makes_plain_tensors = True

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(data, requires_grad=requires_grad)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


def zero_gradients(parameters: Iterable[Tensor], set_to_none: bool) -> None:
    """Forgets the gradients of parameters, or makes them zeros where they lie."""
    for parameter in parameters:
        grad = parameter.grad
        if set_to_none or grad is None:
            parameter.grad = None
        elif grad.grad_fn is not None:
            grad.detach_().zero_()
        else:
            grad.requires_grad_(False).zero_()
