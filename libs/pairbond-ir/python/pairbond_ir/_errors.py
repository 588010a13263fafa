"""What goes wrong."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass, field
from typing import Any

import pairbond

from ._pairbond_ir import Attribute, Context, Diagnostic, DiagnosticSeverity, Location


@dataclass(frozen=True)
class DiagnosticInfo:
    """What is wrong at a place, with notes about it; `location` is None where none is known."""

    severity: DiagnosticSeverity
    location: Attribute | None
    message: str
    notes: list[DiagnosticInfo] = field(default_factory=list)

    def __str__(self) -> str:
        return self.message


class IRError(Exception):
    """A text that is no IR, or an operation that the IR does not allow.

    Errors have their place, if it is one in a file or a text: `filename`, `line` and `column`, which count from 1;
    others have None there. One about an operation has the `location` of that. `message` is what is wrong, alone.

    Its text is as with MLIR's bindings: what failed, then the place and what is wrong, then a line of the text with a
    caret below the place. A text has the file name `-`; a short one of a type or attribute is its own file name.
    """

    filename: str | None = None
    line: int | None = None
    column: int | None = None
    location: Attribute | None = None
    #: Whether handlers of diagnostics were told.
    _told: bool = False
    #: What failed, where that is part of the text.
    _failed: str | None = None

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.message: str = text

    def __str__(self) -> str:
        text = super().__str__()
        if self._failed is None:
            return text
        shown = text.partition(f"error: {self.message}")[2]
        place = ""
        if self.filename is not None:
            place = f'"{self.filename}":{self.line}:{self.column}: '
        elif self.location is not None:
            place = str(self.location).removeprefix("loc(").removesuffix(")") + ": "
        return f"{self._failed}:\nerror: {place}{self.message}{shown}"

    @property
    def error_diagnostics(self) -> list[DiagnosticInfo]:
        """The same as MLIR's bindings tell it; none where `Context.emit_error_diagnostics` told it to handlers.

        A place in a text is a location if there is a current context.
        """
        if self._told:
            return []
        place = self.location
        if place is None and self.filename is not None and Context.current is not None:
            place = Location.file(self.filename, self.line or 0, self.column or 0)
        notes = [DiagnosticInfo(DiagnosticSeverity.NOTE, place, it) for it in getattr(self, "__notes__", [])]
        return [DiagnosticInfo(DiagnosticSeverity.ERROR, place, self.message, notes)]

    def __reduce__(self) -> tuple[Any, ...]:
        # A location belongs to a context, which stays here.
        state = {name: value for name, value in vars(self).items() if name != "location"}
        return type(self), self.args, state


class PipelineError(IRError, ValueError):
    """A text that is no pipeline of passes: a `ValueError`, as with MLIR's bindings."""


class ElementError(TypeError, RuntimeError):
    """An element of a list that is of another class: a `TypeError`, and a `RuntimeError` as with MLIR's bindings."""


def _of_callback(exception: BaseException) -> None:
    """Raises what a function raises whose callback raised this; nothing if the exception ends the program."""
    if isinstance(exception, Exception):
        frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(1))][::-1]
        places = [(frame.f_code, frame.f_lineno) for frame in frames]
        places += [(frame.f_code, line) for frame, line in traceback.walk_tb(exception.__traceback__)]
        lines = [f'  File "{code.co_filename}", line {line}, in {code.co_name}\n' for code, line in places]
        text = "".join(traceback.format_exception_only(exception)).rstrip("\n")
        shown = f"Traceback (most recent call last):\n{''.join(lines)}{text}"
        raise RuntimeError(f"Exception raised in callback: {shown}") from exception


class _Raises:
    """Raises an exception when it goes: what a finalizer raises is what CPython gives to `sys.unraisablehook`, whose
    argument Python code cannot make."""

    def __init__(self, exception: Exception) -> None:
        self.exception = exception

    def __del__(self) -> None:
        raise self.exception

    __del__.__qualname__ = "DiagnosticHandler"


def _unraisable(exception: BaseException) -> bool:
    """Shows an exception that has no caller to go to; whether it was shown, and does not end the program."""
    if not isinstance(exception, Exception):
        return False
    _Raises(exception)
    return True


def _notes(diagnostic: Diagnostic) -> tuple[Diagnostic, ...]:
    """More about it."""
    return tuple(diagnostic._notes)


# A diagnostic stays as it is, and so do its notes: a tuple, as with MLIR's bindings.
Diagnostic.notes = property(_notes)  # type: ignore[assignment, method-assign]
pairbond.register_function("pairbond_ir.of_callback", _of_callback, True)
pairbond.register_function("pairbond_ir.unraisable", _unraisable, True)
