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
    return input.copy_(_dropout(input.clone(), p)) if inplace else _dropout(input, p)


def _whole(input: Tensor, p: float, training: bool, inplace: bool, rank: int) -> Tensor:
    """Channels are dropped whole: all that is there for them in the last `rank` dimensions."""
    _check(p)
    if not training or p == 0:
        return input
    channels = [*input.shape[: input.ndim - rank], *[1] * rank]
    kept = _dropout(_uniform(channels, 1.0, 1.0, input.dtype), p)
    return input.mul_(kept) if inplace else input * kept


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Drops whole channels of one dimension."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _whole(input, p, training, inplace, 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Drops whole channels of two dimensions."""
    return _whole(input, p, training, inplace, max(input.ndim - 2, 0))


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """For `selu`: elements become its lower limit, and mean and variance stay."""
    _check(p)
    if not training or p == 0:
        return input
    low = -1.7580993408473766
    kept = _uniform(list(input.shape), 0.0, 1.0, input.dtype).ge(p).to(input.dtype)
    scale = ((1 - p) * (1 + p * low * low)) ** -0.5 if p < 1 else 0.0
    changed = (input * kept + (1 - kept) * low) * scale - scale * p * low
    return input.copy_(changed) if inplace else changed
