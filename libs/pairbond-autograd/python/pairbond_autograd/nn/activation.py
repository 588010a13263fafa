"""Functions of each element, as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._pairbond_autograd import Tensor
from . import functional as F
from .module import Module


class _Activation(Module):
    """A function, and the arguments that it gets: attributes of these names."""

    function: Callable[..., Tensor]
    names: tuple[str, ...] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        for name, value in settings.items():
            setattr(self, name, value)

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, **{name: getattr(self, name) for name in self.names})

    def extra_repr(self) -> str:
        said = [f"{name}={getattr(self, name)!r}" for name in self.names if name != "inplace"]
        return ", ".join([*said, *(["inplace=True"] if getattr(self, "inplace", False) else [])])


class _InPlace(_Activation):
    """A function that can write its result to where the input was."""

    names = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class ReLU(_InPlace):
    """Nothing below zero."""

    function = staticmethod(F.relu)


class Sigmoid(_Activation):
    """From 0 to 1."""

    function = staticmethod(F.sigmoid)


class Tanh(_Activation):
    """From -1 to 1."""

    function = staticmethod(F.tanh)


class GELU(_Activation):
    """`x` times the part of a normal distribution below it."""

    function = staticmethod(F.gelu)
    names = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class Softmax(_Activation):
    """What adds up to 1 along a dimension."""

    function = staticmethod(F.softmax)
    names = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)
