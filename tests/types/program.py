"""A program that uses `pairbond_testext` as its stub says: mypy and pyright check it, strictly. What a `type: ignore`
stands beside is refused, as mypy tells of those that are not needed."""

from __future__ import annotations

from dataclasses import dataclass

import pairbond
import pairbond_testext as ext
from pairbond_testext.inner import Inner, deep
from pairbond_testext.inner.deeper import VALUE


@dataclass
class Limit:
    max: int
    step: int = 1


@dataclass
class Config:
    name: str
    limits: tuple[Limit, ...] = ()


def records() -> int:
    # A dict, with keys left out; a dataclass; what was given before; one in the other.
    one = ext.configure({"name": "x", "limits": [{"max": 1}, Limit(2)]})
    two = ext.configure(Config("y", (Limit(1),)))
    three = ext.configure(two)
    note: str | None = one["note"]
    ext.configure({"limits": []})  # type: ignore
    ext.configure(3)  # type: ignore
    ext.configure({"name": "x", "unknown": 3})  # type: ignore
    one["names"]  # type: ignore
    return one["limits"][0]["max"] + three["limits"][0]["step"] + len(note or "")


def keywords() -> list[str]:
    ext.with_flags("x", depth=3)  # type: ignore
    ext.with_flags("x", level="3")  # type: ignore
    return ext.with_flags("x", deep=True, names=["a"])[3]


def instances() -> float:
    space = ext.spaced({"x": 1, "y": 2})
    return float(space.x)


def generic_classes(grid: ext.GridF64, texts: ext.GridText) -> float:
    grid.put(0, 0, 1.5)
    texts.put(0, 0, "x")
    texts.put(0, 0, 1.5)  # type: ignore
    ext.half_of(texts)  # type: ignore
    other: ext.GridF64 = ext.grid_of(texts)
    return (grid.at(0, 0) or 0.0) + other.sum()


def attributes(noted: ext.Noted, free: ext.Open, items: set[int]) -> object:
    noted.note = "x"
    noted.marks = [1]
    noted.unheard = 1  # type: ignore
    free.anything = items | ext.hash_set([1])
    above = noted.above
    return above.note if above is not None else free.anything


def modules_and_constants() -> float:
    value: int = deep(Inner()).value
    names: pairbond.List[str] = ext.NAMES
    shown: str = ext.inner.NAME
    return VALUE + value + len(names) + len(shown) + ext.inner.deeper.VALUE


def nodes(top: ext.Branch) -> bytes:
    above: pairbond.Object | None = top.parent
    first: ext.Leaf = top.all_leaves()[0]
    side: ext.Branch | None = first.parent
    if side is not None and above is None:
        side.cut()
    return ext.octets(len(it.name) for it in top.take_out().branches)
