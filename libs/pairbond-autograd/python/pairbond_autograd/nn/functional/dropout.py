"""Some elements become zero while training."""

from __future__ import annotations

from ..._pairbond_autograd import Tensor, _dropout


def _check(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Some elements become zero; the others grow so that the mean stays."""
    _check(p)
    if not training or p == 0:
        return input
    return input._change("dropout_", lambda x: _dropout(x, p)) if inplace else _dropout(input, p)
