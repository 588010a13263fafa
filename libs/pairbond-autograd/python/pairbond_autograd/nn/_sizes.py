"""Sizes that are one number for all dimensions, or one for each."""

from __future__ import annotations

from collections.abc import Sequence

Size = int | Sequence[int]


def spread(size: Size, count: int = 2) -> tuple[int, ...]:
    """One number for each of so many dimensions."""
    if isinstance(size, int):
        return (size,) * count
    return tuple(size) * count if len(size) == 1 else tuple(size)
