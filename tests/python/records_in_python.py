"""Classes that records of `pairbond_testext` are given as: a module, because Rust names it."""

from __future__ import annotations

import dataclasses

import pairbond_testext as ext


@dataclasses.dataclass
class Typed:
    name: str
    sizes: list[int]
    of: ext.Pictured | None = None
