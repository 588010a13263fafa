# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `dom`."""

from collections.abc import Mapping
from typing import Self

import pairbond

__all__ = [
    "Node",
    "parse",
    "tostring",
]

class Node(pairbond.Object):
    """An element, or what its name says: `#document`, `#text`, `#comment`, `#doctype`. `e["href"]`
    reads, sets and deletes an attribute.
    """

    __match_args__ = ("name", "attrs")
    @property
    def name(self) -> str: ...
    @property
    def attrs(self) -> pairbond.FrozenMap[str, str]:
        """The attributes as they are now. They are changed on the element: `e["href"] = …`."""
    text: str
    """All text in this node; that of a text or comment itself. Setting it replaces what stands
    there.
    """
    @property
    def parent(self) -> Node | None:
        """The node that this one stands in, or `None`."""
    @property
    def children(self) -> list[Node]:
        """The nodes that stand in this one, in their order."""
    seen: bool
    def __init__(self, name: str, attrs: Mapping[str, str] | None = None) -> None:
        """An element of HTML that stands nowhere yet."""
    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of an attribute, or the default."""
    def __getitem__(self, name: str, /) -> str: ...
    def __setitem__(self, name: str, value: str, /) -> None: ...
    def __delitem__(self, name: str, /) -> None: ...
    def append(self, node: Node | str) -> None:
        """Puts a node or a text behind all children."""
    def insert(self, place: int, node: Node | str) -> None:
        """Puts a node or a text before the child at a place."""
    def replace_with(self, node: Node | str) -> Self:
        """Puts a node or a text where this one is, which is taken out and returned."""
    def __repr__(self) -> str: ...
    def select(self, css: str, *, limit: int | None = None) -> list[Node]:
        """All elements below this one that a CSS selector selects."""
    def select_one(self, css: str) -> Node | None:
        """The first of them."""
    def find_all(self, tag: str | None = None, **by: str) -> list[Node]:
        """All elements below this one with a name and attributes; `class_="x"` fits each of several
        classes.
        """
    def find(self, tag: str | None = None, **by: str) -> Node | None:
        """The first of them."""
    def descendants(self) -> list[Node]:
        """All nodes below this one, each before those that stand in it."""
    def extract(self) -> Node:
        """Takes the node out of the one that it stands in, and returns it."""
    def decompose(self) -> None:
        """Erases the node with all that stands in it: what still refers to one of these raises `InvalidatedError`."""

def parse(text: str) -> Node:
    """Parses an HTML document, as browsers do: every text is one."""

def tostring(node: Node) -> str:
    """The HTML of a node, with all that stands in it."""
