"""Where numbers are: the processor's memory, which is the only device there is."""

from __future__ import annotations

import re
from typing import Any

from ._dtypes import tensor_type
from ._pairbond_autograd import DType, Tensor


class device:
    """The name of a device. Others than "cpu" have names, too, and nothing can be there."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | device, index: int | None = None) -> None:
        found = re.fullmatch(r"(cpu|cuda|mps|xpu|meta)(?::(\d+))?", str(type))
        if found is None:
            raise RuntimeError(f"Invalid device string: '{type}'")
        number = found[2] if index is None else index
        object.__setattr__(self, "type", found[1])
        object.__setattr__(self, "index", None if number is None else int(number))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + (")" if self.index is None else f", index={self.index})")

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)


CPU = device("cpu")


def on_cpu(where: object) -> None:
    """Says that it cannot be anywhere else."""
    if where is not None and device(where).type != "cpu":  # type: ignore[arg-type]
        raise RuntimeError(f"there is no device {str(where)!r}, only 'cpu'")


def wanted(args: tuple[Any, ...], dtype: DType | None, where: Any) -> DType | None:
    """The dtype among the arguments of `to`, which are a device, a dtype, both, or a tensor; None if there is none."""
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, DType):
            dtype = arg
        elif not isinstance(arg, bool):
            where = arg
    on_cpu(where)
    return dtype


_to = Tensor._to


def _to_any(
    self: Tensor,
    *args: Any,
    dtype: DType | None = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: object = None,
) -> Tensor:
    """The same numbers in another dtype, or in that of another tensor; the same tensor if it has it."""
    dtype = wanted(args, dtype, device)
    flags = [arg for arg in args if isinstance(arg, bool)]
    return _to(self, self.dtype if dtype is None else dtype, copy or flags[1:2] == [True])


_TYPES = {tensor_type(dtype): dtype for dtype in DType}


def _type(self: Tensor, dtype: DType | str | None = None) -> str | Tensor:
    """What PyTorch calls tensors of this dtype; with a dtype, the same numbers in that."""
    if dtype is None:
        return tensor_type(self.dtype)
    wanted = _TYPES.get(dtype) if isinstance(dtype, str) else dtype
    if wanted is None:
        raise ValueError(f"invalid type: {dtype!r}")
    return _to(self, wanted)


def _cpu(self: Tensor) -> Tensor:
    """This tensor: it is there."""
    return self


def _cuda(self: Tensor, device: object = None) -> Tensor:
    """An error: there is no other device."""
    raise RuntimeError("there is no device 'cuda', only 'cpu'")


for _name, _member in {
    "to": _to_any,
    "type": _type,
    "cpu": _cpu,
    "cuda": _cuda,
    "device": property(lambda self: CPU, doc="Where its numbers are: always the processor's memory."),
    "is_cpu": property(lambda self: True),
    "is_cuda": property(lambda self: False),
}.items():
    setattr(Tensor, _name, _member)
