from types import TracebackType

class erasing:
    def __init__(self, name: str) -> None: ...
    def __enter__(self) -> erasing: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
