"""Sums of products, and rows of tables."""

from __future__ import annotations

from ..._pairbond_autograd import Tensor, _linear


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`"""
    return _linear(input, weight, bias)
