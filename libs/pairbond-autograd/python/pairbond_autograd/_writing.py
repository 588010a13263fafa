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
acos addcdiv addcmul asin atan ceil clamp_max clamp_min clip cos cosh cumsum eq erf expm1 floor floor_divide fmod frac
ge gt hypot index_add le lerp log10 log1p log2 logical_and logical_not logical_or logical_xor lt maximum minimum
nan_to_num ne reciprocal remainder round rsqrt scatter scatter_add sign sin sinh square tan tril triu trunc
"""
for _name in _NAMES.split():
    setattr(Tensor, f"{_name}_", _in_place(_name))
for _function in (bernoulli_, fill_diagonal_, normal_, uniform_):
    setattr(Tensor, _function.__name__, _function)
