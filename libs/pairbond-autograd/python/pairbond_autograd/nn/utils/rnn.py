"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..._pairbond_autograd import Tensor, _pad, stack


def pad_sequence(
    sequences: Iterable[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences beside each other, with a number where some are shorter."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: " + str(type(sequences))
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError("padding_side must be either 'left' or 'right'")
    rows = [*sequences]
    longest = max((row.shape[0] for row in rows), default=0)
    padded = []
    for row in rows:
        lack, rest = longest - row.shape[0], [0, 0] * (row.ndim - 1)
        padded.append(_pad(row, [*rest, *((lack, 0) if padding_side == "left" else (0, lack))], padding_value))
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences without what was added."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row.narrow(0, 0, int(length)) for row, length in zip(rows.unbind(0), lengths, strict=True)]
