"""Drawing numbers as often as they are likely, and counting how often they are there."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from ._create import rand, zeros
from ._pairbond_autograd import DType, Tensor, tensor

__all__ = ["bincount", "multinomial"]


def multinomial(self: Tensor, num_samples: int, replacement: bool = False, *, generator: None = None) -> Tensor:
    """Numbers of columns, drawn as often as these say; for each row. Without `replacement` none comes twice."""
    del generator
    if not self.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {self.dtype}")
    if self.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    columns = self.shape[-1]
    if columns == 0 or (not replacement and num_samples > columns):
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    rows = self.detach().reshape(-1, columns).tolist()
    for row in rows:
        if any(not 0 <= weight < math.inf for weight in row):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if sum(row) <= 0:
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    drawn = [_with_replacement(row, num_samples) if replacement else _without(row, num_samples) for row in rows]
    return tensor(drawn if self.ndim == 2 else drawn[0], dtype=DType.int64)


def _uniform(count: int) -> list[float]:
    numbers: list[float] = rand(count, dtype=DType.float64).tolist()
    return numbers


def _with_replacement(weights: list[float], count: int) -> list[int]:
    sums = list(accumulate(weights))
    last = max(place for place, weight in enumerate(weights) if weight)
    return [min(bisect_right(sums, number * sums[-1]), last) for number in _uniform(count)]


def _without(weights: list[float], count: int) -> list[int]:
    """Whose turn comes first, if each waits a time that is the shorter the likelier it is; never is after all."""
    waits = [
        (-math.log(1 - number) / weight if weight else math.inf, place)
        for place, (number, weight) in enumerate(zip(_uniform(len(weights)), weights, strict=True))
    ]
    return [place for _, place in sorted(waits)[:count]]


def bincount(self: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from zero on is there, or the sum of the weights that stand where it does."""
    if self.dtype is not DType.int64:
        raise NotImplementedError(f'"bincount_cpu" not implemented for {self.dtype}')
    numbers: list[Any] = self.tolist() if self.ndim == 1 else [-1]
    if any(number < 0 for number in numbers):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is not None and (weights.ndim != 1 or len(weights) != len(numbers)):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    length = max([minlength, *(number + 1 for number in numbers)])
    if weights is None:
        return zeros(length, dtype=DType.int64).index_add(0, self, self * 0 + 1)
    kind = DType.float32 if weights.dtype is DType.float32 else DType.float64
    return zeros(length, dtype=kind).index_add(0, self, weights.detach().to(kind))


for _function in (bincount, multinomial):
    setattr(Tensor, _function.__name__, _function)
