"""While training, some elements become zero."""

from __future__ import annotations

from collections.abc import Callable

from .._pairbond_autograd import Tensor
from . import functional as F
from .module import Module


class Dropout(Module):
    """Elements become zero; the others grow so that the mean stays."""

    function: Callable[..., Tensor] = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
