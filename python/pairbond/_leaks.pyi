from collections.abc import Collection, Iterable
from typing import NamedTuple

from pairbond._graph import Graph

class Leak(NamedTuple):
    type: str
    count: int  # type: ignore[assignment]
    held_by: str
    path: tuple[str, ...]

class Leaks(list[Leak]):
    def __init__(self, leaks: Iterable[Leak] = (), keys: Collection[str] = ()) -> None: ...
    def graph(self, *, max_nodes: int = 60) -> Graph: ...

def leaks() -> Leaks: ...
