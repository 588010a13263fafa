from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

class Event(NamedTuple):
    kind: str
    type: str | None
    object: int
    interpreter: int
    device_kind: int
    device: int
    a: int
    b: int

class trace:
    def __init__(self, callback: Callable[[Event], Any]) -> None: ...
    def __enter__(self) -> trace: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
