"""Locations from where Python is: `with loc_tracebacks(): …`."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, ClassVar, NamedTuple

import pairbond

from ._pairbond_ir import Context, FileLineColLoc, Location, NameLoc, _trace_locations

__all__ = ["CurrentLocAction", "OnExplicitAction", "loc_tracebacks"]

#: Frames of this package are not the program's.
_HERE = os.path.dirname(__file__) + os.sep


class OnExplicitAction(enum.Enum):
    """What becomes of a location that is given."""

    USE_EXPLICIT = 0
    USE_TRACEBACK = 1


class CurrentLocAction(enum.Enum):
    """What becomes of the location of the innermost `with`."""

    FALLBACK = 0
    NAMELOC_WRAP = 1


class _How(NamedTuple):
    depth: int
    on_explicit: OnExplicitAction
    on_current: CurrentLocAction


class _Defaults:
    """What holds where no `with` says something else, for the process."""

    how = _How(10, OnExplicitAction.USE_EXPLICIT, CurrentLocAction.FALLBACK)
    #: Whether operations are located outside of `with`, too.
    enabled = False
    #: Files whose frames are left out, and those that are not though they are of this package.
    excluded: ClassVar[set[str]] = set()
    included: ClassVar[set[str]] = set()


_how: ContextVar[_How | None] = ContextVar("pairbond_ir.loc_tracebacks", default=None)


@contextmanager
def loc_tracebacks(
    *,
    max_depth: int | None = None,
    on_explicit_actn: OnExplicitAction = OnExplicitAction.USE_EXPLICIT,
    current_loc_actn: CurrentLocAction = CurrentLocAction.FALLBACK,
) -> Iterator[None]:
    """Operations that are made inside have the location where the program made them.

    It is the innermost function of the call stack with its place in the file, called from those around it, `max_depth`
    at most. One that is given as `loc` stays (`USE_EXPLICIT`), or is not used (`USE_TRACEBACK`). The location of a
    `with` around is used where there is no other (`FALLBACK`), or its name is put around each (`NAMELOC_WRAP`).

    It holds for this thread or task, as context variables do: threads that are started inside have it only where Python
    lets them inherit these (`sys.flags.thread_inherit_context`).
    """
    outer = _how.get()
    depth = max_depth if max_depth is not None else (outer or _Defaults.how).depth
    token = _how.set(_How(depth, OnExplicitAction(on_explicit_actn), CurrentLocAction(current_loc_actn)))
    _trace_locations(True)
    try:
        yield
    finally:
        _trace_locations(False)
        _how.reset(token)


def _located(given: Location | None, context: Context) -> Location | None:
    """The location of what is made here; None if nobody wants to know."""
    how = _how.get() or (_Defaults.how if _Defaults.enabled else None)
    if how is None:
        return given
    found: Any = given
    if given is None or how.on_explicit is OnExplicitAction.USE_TRACEBACK:
        found = _traceback(how.depth, context) or given
    around = Location.current
    if how.on_current is CurrentLocAction.NAMELOC_WRAP and found is not None and isinstance(around, NameLoc):
        found = Location.name(around.name_str, found, context)
    return found  # type: ignore[no-any-return]


def _traceback(depth: int, context: Context) -> Location | None:
    if depth == 0:
        return Location.unknown(context)
    frames: list[Location] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(frames) < depth:
        if _is_shown(frame.f_code.co_filename):
            frames.append(_place(frame, context))
        frame = frame.f_back
    if len(frames) < 2:
        return frames[0] if frames else None
    return Location.callsite(frames[0], frames[1:], context)


def _is_shown(file: str) -> bool:
    if file in _Defaults.excluded or file in _Defaults.included:
        return file in _Defaults.included
    return not file.startswith((_HERE, "<pairbond_ir"))


def _place(frame: FrameType, context: Context) -> Location:
    code = frame.f_code
    place = _positions(code)[frame.f_lasti // 2]
    line, end_line, column, end_column = (it or 0 for it in place)
    where = FileLineColLoc.get(code.co_filename, line, column, end_line, end_column, context=context)
    return Location.name(code.co_qualname, where, context)


def _positions(code: Any) -> list[tuple[int | None, ...]]:
    return list(code.co_positions())


pairbond.register_function("pairbond_ir.located", _located, True)
