from typing import NamedTuple

class Leak(NamedTuple):
    type: str
    count: int  # type: ignore[assignment]
    held_by: str
    path: tuple[str, ...]

def leaks() -> list[Leak]: ...
