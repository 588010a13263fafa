"""Some elements become zero while training."""

from __future__ import annotations

from ..._pairbond_autograd import Tensor, _dropout, _uniform


def _check(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Some elements become zero; the others grow so that the mean stays."""
    _check(p)
    if not training or p == 0:
        return input
    return input._change("dropout_", lambda x: _dropout(x, p)) if inplace else _dropout(input, p)


def _whole(input: Tensor, p: float, training: bool, inplace: bool, rank: int) -> Tensor:
    """Channels are dropped whole: all that is there for them in the last `rank` dimensions."""
    _check(p)
    if not training or p == 0:
        return input
    channels = [*input.shape[: input.ndim - rank], *[1] * rank]
    kept = _dropout(_uniform(channels, 1.0, 1.0, input.dtype), p)
    return input.mul_(kept) if inplace else input * kept
