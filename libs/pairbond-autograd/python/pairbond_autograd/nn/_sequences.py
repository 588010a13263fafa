"""What containers are made of and asked for: pairs, and places counted from either end."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from .module import Module


def place_of(index: Any, length: int) -> int:
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range")
    return place % length


def pairs(values: Any, who: str) -> list[tuple[Any, Any]]:
    """Of a mapping, or of pairs."""
    if isinstance(values, Mapping) or (isinstance(values, Module) and hasattr(values, "items")):
        return [*values.items()]
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{who}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )
    found = []
    for number, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{who} update sequence element #{number} should be Iterable; is{type(pair).__name__}")
        pair = [*pair]
        if len(pair) != 2:
            raise ValueError(f"{who} update sequence element #{number} has length {len(pair)}; 2 is required")
        found.append((pair[0], pair[1]))
    return found
