"""What is learned."""

from __future__ import annotations

from typing import Any

from .._pairbond_autograd import Tensor


class Parameter(Tensor):
    """A tensor that a module counts among what is learned. It shares the memory of what it is made from."""

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(data, requires_grad=requires_grad)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"
