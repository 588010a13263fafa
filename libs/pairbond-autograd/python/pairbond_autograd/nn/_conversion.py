"""Other dtypes and other places for all that a module holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Self

from .._devices import wanted
from .._modes import no_grad
from .._pairbond_autograd import DType, Tensor
from ._holder import Holder


class Convertible(Holder):
    """What changes the tensors of a module. What already is as it should be stays the same tensor."""

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Gives parameters what `fn` makes of them, and puts what it makes of buffers in their place. What modules
        share, they share afterwards."""
        with no_grad():
            for parameter in self.parameters():
                # It stays the same one: optimizers have it, too.
                for tensor in (parameter, parameter.grad):
                    if tensor is not None and (new := fn(tensor)) is not tensor:
                        tensor.data = new
            made: dict[int, Tensor] = {}
            for module in self.modules():
                for name, old in module._buffers.items():
                    if old is not None:
                        if id(old) not in made:
                            made[id(old)] = fn(old)
                        module._buffers[name] = made[id(old)]
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
