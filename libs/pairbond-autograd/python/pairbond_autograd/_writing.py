"""Operations in place that are made of others: what they compute is written to the tensor, with its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._pairbond_autograd import Tensor, _normal, _uniform


def _in_place(name: str) -> Callable[..., Tensor]:
    """The method of that name, whose result is written to the tensor itself."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        self._change(f"{name}_", lambda before: getattr(before, name)(*args, **kwargs))
        return self

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"As `{name}`, in place."
    return method


def _comparison(name: str) -> Callable[..., Tensor]:
    """As `_in_place`, of a comparison: derivatives by both are zero."""
    plain = _in_place(name)

    def method(self: Tensor, other: Any) -> Tensor:
        if isinstance(other, Tensor):
            return self._change_to_comparison(f"{name}_", other, getattr(Tensor, name))
        return plain(self, other)

    method.__name__, method.__qualname__, method.__doc__ = plain.__name__, plain.__qualname__, plain.__doc__
    return method


def __ipow__(self: Tensor, other: Any, modulus: None = None, /) -> Tensor:
    """As `pow_`. Type checkers want the parameters of `__pow__`."""
    return self.pow_(other)


def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, **bounds: float) -> Tensor:
    """Writes random numbers from a number up to and without another."""
    return self.copy_(_uniform(list(self.shape), bounds.get("from", from_), to, self.dtype))


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Writes random numbers of a normal distribution."""
    return self.copy_(_normal(list(self.shape), mean, std, self.dtype))


def bernoulli_(self: Tensor, p: float | Tensor = 0.5) -> Tensor:
    """Writes ones with a probability, and zeros."""
    return self.copy_(_uniform(list(self.shape), 0.0, 1.0, self.double().dtype) < p)


def fill_diagonal_(self: Tensor, fill_value: float) -> Tensor:
    """Writes a number to the diagonal of a matrix."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    for place in range(min(self.shape)):
        self[(place,) * self.ndim] = fill_value
    return self


_NAMES = """
acos addcdiv addcmul asin atan bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor ceil
clamp_max clamp_min clip cos cosh cumsum erf
expm1 floor floor_divide fmod frac hypot index_add lerp log10 log1p log2 logical_and logical_not logical_or logical_xor
maximum minimum nan_to_num reciprocal remainder round rsqrt scatter scatter_add sign sin sinh square tan tril triu trunc
"""
_OPERATORS = {
    "and": "bitwise_and",
    "floordiv": "floor_divide",
    "lshift": "bitwise_left_shift",
    "mod": "remainder",
    "or": "bitwise_or",
    "rshift": "bitwise_right_shift",
    "xor": "bitwise_xor",
}
for _name in _NAMES.split():
    setattr(Tensor, f"{_name}_", _in_place(_name))
for _name in ("eq", "ge", "gt", "le", "lt", "ne"):
    setattr(Tensor, f"{_name}_", _comparison(_name))
for _operator, _name in _OPERATORS.items():
    setattr(Tensor, f"__i{_operator}__", getattr(Tensor, f"{_name}_"))
for _function in (__ipow__, bernoulli_, fill_diagonal_, normal_, uniform_):
    setattr(Tensor, _function.__name__, _function)
