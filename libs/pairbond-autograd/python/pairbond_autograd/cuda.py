"""What scripts ask before they use a graphics card. There is none that could be used."""

from __future__ import annotations


def is_available() -> bool:
    """Never."""
    return False


def device_count() -> int:
    """None."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing has random numbers of its own there."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Nothing is kept there."""
