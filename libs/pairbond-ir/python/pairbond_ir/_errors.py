"""What goes wrong."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.*)")


class IRError(Exception):
    """A text that is no IR, or an operation that the IR does not allow.

    Errors in a text know their place: `filename`, `line` and `column`, which count from 1; others have None there.
    `message` is what is wrong, alone.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        match = _PLACE.match(text)
        self.message: str = match["message"] if match else text
        self.filename: str | None = match["file"] if match else None
        self.line: int | None = int(match["line"]) if match else None
        self.column: int | None = int(match["column"]) if match else None
