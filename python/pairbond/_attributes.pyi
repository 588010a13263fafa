"""Attributes that users of a native class may set, declared for type checkers."""

from typing import TypeVar

_C = TypeVar("_C", bound=type)

def attributes(cls: _C, /, **types: object) -> _C: ...
