"""Places counted from either end."""

from __future__ import annotations

import operator
from typing import Any


def place_of(index: Any, length: int) -> int:
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range")
    return place % length
