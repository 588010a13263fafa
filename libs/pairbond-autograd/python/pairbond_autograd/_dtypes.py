"""What kinds of numbers there are, and what becomes of two of them."""

from __future__ import annotations

import sys
from typing import Any

from ._pairbond_autograd import DType, Tensor, _full

_FLOATS = (DType.float32, DType.float64)
_KINDS = {DType.bool: "Bool", DType.int64: "Long", DType.float32: "Float", DType.float64: "Double"}
_BYTES = {DType.bool: 1, DType.int64: 8, DType.float32: 4, DType.float64: 8}

for _name, _property in {
    "is_floating_point": property(lambda self: self in _FLOATS, doc="Whether these are fractions."),
    "is_complex": property(lambda self: False, doc="Whether these are complex numbers: none are."),
    "is_signed": property(lambda self: self is not DType.bool, doc="Whether these can be negative."),
    "itemsize": property(lambda self: _BYTES[self], doc="How many bytes one takes."),
}.items():
    setattr(DType, _name, _property)


def tensor_type(dtype: DType) -> str:
    """What PyTorch calls tensors of a dtype: `torch.FloatTensor`."""
    return f"torch.{_KINDS[dtype]}Tensor"


class finfo:
    """The limits of a dtype of fractions."""

    def __init__(self, dtype: DType = DType.float32) -> None:
        if dtype not in _FLOATS:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        single = dtype is DType.float32
        info = sys.float_info
        self.dtype = dtype.name
        self.bits = 32 if single else 64
        self.eps = 2.0**-23 if single else info.epsilon
        self.max = (2 - 2.0**-23) * 2.0**127 if single else info.max
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**-126 if single else info.min
        self.resolution = 1e-6 if single else 1e-15

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"


class iinfo:
    """The limits of a dtype of integers."""

    def __init__(self, dtype: DType) -> None:
        if dtype is not DType.int64:
            raise TypeError("torch.iinfo() requires an integer input type: of these there is int64")
        self.dtype, self.bits = dtype.name, 64
        self.min, self.max = -(2**63), 2**63 - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def get_default_dtype() -> DType:
    """That of fractions without another one."""
    return DType.float32


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are fractions."""
    return input.is_floating_point()


def numel(input: Tensor) -> int:
    return input.numel()


def promote_types(type1: DType, type2: DType) -> DType:
    """The dtype of what two tensors of these dtypes make."""
    return (_full((0,), 0, type1) * _full((0,), 0, type2)).dtype


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype of what both make: tensors, or a tensor and a number."""
    empty = [it.detach().flatten()[:0] if isinstance(it, Tensor) and it.ndim else it for it in (tensor1, tensor2)]
    made = empty[0] * empty[1]
    return made.dtype if isinstance(made, Tensor) else _full((), made).dtype


def can_cast(from_: DType, to: DType) -> bool:
    """Whether an operation in place may write the one to the other."""
    kinds = [DType.bool, DType.int64, *_FLOATS]
    kind = [min(kinds.index(dtype), 2) for dtype in (from_, to)]
    return kind[0] <= kind[1]
