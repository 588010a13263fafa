"""Other dtypes and other places for all that a module holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Self

from .._devices import wanted
from .._modes import no_grad
from .._pairbond_autograd import DType, Tensor
from ._holder import Holder
from .parameter import Parameter


class Convertible(Holder):
    """What changes the tensors of a module. What already is as it should be stays the same tensor."""

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Puts what `fn` makes of each tensor in its place. What modules share, they share afterwards."""
        made: dict[int, Tensor] = {}
        for module in self.modules():
            for place in (module._parameters, module._buffers):
                for name, old in place.items():
                    if old is not None:
                        if id(old) not in made:
                            made[id(old)] = _converted(old, fn)
                        place[name] = made[id(old)]  # type: ignore[assignment]
        return self

    def _floats(self, dtype: DType) -> Self:
        return self._apply(lambda it: it.to(dtype) if it.is_floating_point() else it)

    def float(self) -> Self:
        """Makes all numbers that are no integers float32."""
        return self._floats(DType.float32)

    def double(self) -> Self:
        """Makes all numbers that are no integers float64."""
        return self._floats(DType.float64)

    def half(self) -> NoReturn:
        """There is no float16."""
        raise RuntimeError("there is no dtype float16: modules are of float32 or float64")

    def bfloat16(self) -> NoReturn:
        """There is no bfloat16."""
        raise RuntimeError("there is no dtype bfloat16: modules are of float32 or float64")

    def type(self, dst_type: DType) -> Self:
        """Makes all tensors of a dtype, those of integers, too."""
        return self._apply(lambda it: it.to(dst_type))

    def cpu(self) -> Self:
        """The module itself: all tensors are there."""
        return self

    def cuda(self, device: Any = None) -> NoReturn:
        """There is no such device."""
        raise RuntimeError("there is no device 'cuda', only 'cpu'")

    def to(self, *args: Any, device: Any = None, dtype: DType | None = None, non_blocking: bool = False) -> Self:
        """`to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`: in place, and returns the module."""
        dtype = wanted(args, dtype, device)
        if dtype is None:
            return self
        if not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.{dtype.name}"
            )
        return self._floats(dtype)


def _converted(old: Tensor, fn: Callable[[Tensor], Tensor]) -> Tensor:
    with no_grad():
        new = fn(old)
        if new is old or not isinstance(old, Parameter):
            return new
        parameter = Parameter(new, old.requires_grad)
        # An optimizer that still has the old one would change a parameter that the module has not.
        old._is_replaced = True  # type: ignore[attr-defined]
        if old.grad is not None:
            parameter.grad = fn(old.grad)
    return parameter
