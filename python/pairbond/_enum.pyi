"""What the native module calls to make the class of a Rust enum."""

from collections.abc import Callable, Iterable
from enum import Enum

from pairbond._pairbond import Object

def make(
    fetch: Callable[[int], Object], module: str, name: str, doc: str, members: Iterable[tuple[str, int]]
) -> type[Enum]: ...
