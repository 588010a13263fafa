"""How far it is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any


def progress(items: Iterable[Any], total: int, text: str) -> Iterator[Any]:
    """Shows on stderr how far it is: with tqdm where that is installed."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return _plain(items, total, text)
    return iter(tqdm(items, total=total, desc=text, leave=False, file=sys.stderr))


def _plain(items: Iterable[Any], total: int, text: str) -> Iterator[Any]:
    width = 30
    for number, item in enumerate(items, 1):
        yield item
        if sys.stderr.isatty():
            bar = ("#" * (width * number // max(total, 1))).ljust(width)
            print(f"\r{text} |{bar}| {number}/{total}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
