from collections.abc import Collection, Iterable
from os import PathLike
from typing import Any, Literal, NamedTuple

from pairbond._leaks import Leak

class GraphNode(NamedTuple):
    kind: Literal["native", "python", "outside"]
    type: str
    count: int  # type: ignore[assignment]
    address: int
    wrappers: int
    dormant: int
    erased: int

class GraphEdge(NamedTuple):
    source: int
    target: int
    native: bool
    label: str
    count: int  # type: ignore[assignment]

class Graph:
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    objects: int
    grouped: Literal["", "path", "type"]
    complete: bool
    def __init__(
        self,
        nodes: list[GraphNode],
        edges: list[GraphEdge],
        objects: int,
        grouped: Literal["", "path", "type"] = "",
        complete: bool = True,
    ) -> None: ...
    def to_dot(self) -> str: ...
    def to_svg(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def _repr_svg_(self) -> str | None: ...

def graph(obj: Any, *, max_nodes: int = 60, max_objects: int = 4_000_000) -> Graph: ...
def graph_of_leaks(leaks: Iterable[Leak], keys: Collection[str], max_nodes: int = 60) -> Graph: ...
