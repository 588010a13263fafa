"""Arithmetic that is made of what the library has, so that derivatives are right by themselves."""

from __future__ import annotations

import math
from typing import Any

from ._pairbond_autograd import DType, Tensor

Number = bool | int | float

__all__ = [
    "addcdiv",
    "addcmul",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clamp_max",
    "clamp_min",
    "clip",
    "count_nonzero",
    "fmod",
    "frac",
    "greater_equal",
    "hypot",
    "isclose",
    "isfinite",
    "isinf",
    "lerp",
    "less_equal",
    "logaddexp",
    "logical_and",
    "logical_or",
    "logical_xor",
    "nan_to_num",
    "not_equal",
    "rsub",
    "std_mean",
    "var_mean",
]


def isinf(self: Tensor) -> Tensor:
    """Which elements are infinite."""
    return self.abs().eq(math.inf)


def isfinite(self: Tensor) -> Tensor:
    """Which elements are neither infinite nor no number."""
    return self.abs() < math.inf


def isclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Which elements are nearly the same."""
    near = ((self - other).abs() <= other.abs() * rtol + atol) & isfinite(other) | self.eq(other)
    return near | (self.isnan() & other.isnan()) if equal_nan else near


def _truth(it: Tensor) -> Tensor:
    return it if it.dtype is DType.bool else it.ne(0)


def logical_and(self: Tensor, other: Tensor) -> Tensor:
    """Where both are not zero."""
    return _truth(self) & _truth(other)


def logical_or(self: Tensor, other: Tensor) -> Tensor:
    """Where one is not zero."""
    return _truth(self) | _truth(other)


def logical_xor(self: Tensor, other: Tensor) -> Tensor:
    """Where exactly one is not zero."""
    return _truth(self) ^ _truth(other)


def bitwise_and(self: Tensor, other: Tensor | Number) -> Tensor:
    return self & other


def bitwise_left_shift(self: Tensor, other: Tensor | int) -> Tensor:
    return self << other


def bitwise_right_shift(self: Tensor, other: Tensor | int) -> Tensor:
    return self >> other


def bitwise_or(self: Tensor, other: Tensor | Number) -> Tensor:
    return self | other


def bitwise_xor(self: Tensor, other: Tensor | Number) -> Tensor:
    return self ^ other


def greater_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    return self.ge(other)


def less_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    return self.le(other)


def not_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    return self.ne(other)


def clip(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Cut off at bounds."""
    return self.clamp(min, max)


def clamp_min(self: Tensor, min: Any) -> Tensor:
    return self.clamp(min)


def clamp_max(self: Tensor, max: Any) -> Tensor:
    return self.clamp(None, max)


def rsub(self: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """The other less this one, `alpha` times."""
    made: Tensor = other - self * alpha
    return made


def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """With a product added, `value` times."""
    return self + tensor1 * tensor2 * value


def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """With a quotient added, `value` times."""
    return self + tensor1 / tensor2 * value


fmod = Tensor.fmod
frac = Tensor.frac
hypot = Tensor.hypot
lerp = Tensor.lerp
nan_to_num = Tensor.nan_to_num


def logaddexp(self: Tensor, other: Tensor) -> Tensor:
    """The logarithm of the sum of both powers."""
    most = self.maximum(other)
    # Of infinities the difference would be no number.
    away = (self - other).abs().masked_fill(self.eq(other), 0)
    return most + (-away).exp().log1p()


def count_nonzero(self: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero."""
    return _truth(self).sum() if dim is None else _truth(self).sum(dim)


def var_mean(self: Tensor, dim: Any = None, **options: Any) -> tuple[Tensor, Tensor]:
    """The variance and the mean."""
    return _both("var", self, dim, options)


def std_mean(self: Tensor, dim: Any = None, **options: Any) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean."""
    return _both("std", self, dim, options)


def _both(name: str, it: Tensor, dim: Any, options: dict[str, Any]) -> tuple[Tensor, Tensor]:
    where = () if dim is None else (dim,)
    kept = {key: value for key, value in options.items() if key == "keepdim"}
    return getattr(it, name)(*where, **options), it.mean(*where, **kept)


_div = Tensor.div


def _div_rounded(self: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """The quotient; "floor" and "trunc" make it whole."""
    if rounding_mode is None:
        plain: Tensor = _div(self, other)
        return plain
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    whole: Tensor = self // other if rounding_mode == "floor" else _div(self, other).trunc().to((self * other).dtype)
    return whole


setattr(Tensor, "div", _div_rounded)  # noqa: B010
for _name in __all__:
    if _name not in ("fmod", "frac", "hypot", "lerp", "nan_to_num", "std_mean", "var_mean"):
        setattr(Tensor, _name, globals()[_name])
