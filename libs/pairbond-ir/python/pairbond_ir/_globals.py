"""What MLIR's bindings have in their extension module beside `ir`: settings of the process, and classes by name."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pairbond

from . import _dialects
from ._pairbond_ir import OpView, _trace_locations
from ._tracebacks import CurrentLocAction, OnExplicitAction, _Defaults, _how
from .declaring import Dialect

__all__ = ["globals", "instance_of", "register_dialect", "register_operation"]

_Class = TypeVar("_Class", bound="type[OpView]")
_DialectClass = TypeVar("_DialectClass", bound="type[Dialect]")


def _change(**parts: Any) -> None:
    """Changes how the innermost `with loc_tracebacks()` locates, or what holds outside of all."""
    inner = _how.get()
    if inner is None:
        _Defaults.how = _Defaults.how._replace(**parts)
    else:
        _how.set(inner._replace(**parts))


class _Globals:
    """Where dialects are looked for, and how operations are located by where Python is."""

    @property
    def dialect_search_modules(self) -> list[str]:
        """The packages whose modules declare dialects."""
        return list(_dialects.search)

    @dialect_search_modules.setter
    def dialect_search_modules(self, packages: Sequence[str]) -> None:
        _dialects.search[:] = packages

    def append_dialect_search_prefix(self, module_name: str) -> None:
        """Looks for dialects in another package, too."""
        _dialects.search.append(module_name)

    def _check_dialect_module_loaded(self, dialect_namespace: str) -> bool:
        return _dialects.load(dialect_namespace)

    def loc_tracebacks_enabled(self) -> bool:
        """Returns whether operations are located by where Python is."""
        return _Defaults.enabled or _how.get() is not None

    def set_loc_tracebacks_enabled(self, enabled: bool) -> None:
        """Locates operations so outside of `with loc_tracebacks()`, too, or does not."""
        if enabled != _Defaults.enabled:
            _Defaults.enabled = enabled
            _trace_locations(enabled)

    def loc_tracebacks_frame_limit(self) -> int:
        """Returns how many frames a location has at most."""
        return (_how.get() or _Defaults.how).depth

    def set_loc_tracebacks_frame_limit(self, limit: int | None) -> None:
        """Sets how many frames a location has at most; None means any number."""
        _change(depth=limit if limit is not None else 1 << 30)

    def register_traceback_file_inclusion(self, file: str) -> None:
        """Shows frames of a file, though it is one of this package or was excluded."""
        _Defaults.excluded.discard(file)
        _Defaults.included.add(file)

    def register_traceback_file_exclusion(self, file: str) -> None:
        """Leaves out frames of a file."""
        _Defaults.included.discard(file)
        _Defaults.excluded.add(file)

    def traceback_action_on_explicit_loc(self) -> OnExplicitAction:
        return (_how.get() or _Defaults.how).on_explicit

    def set_traceback_action_on_explicit_loc(self, action: OnExplicitAction | int) -> None:
        _change(on_explicit=OnExplicitAction(action))

    def traceback_action_on_current_loc(self) -> CurrentLocAction:
        return (_how.get() or _Defaults.how).on_current

    def set_traceback_action_on_current_loc(self, action: CurrentLocAction | int) -> None:
        _change(on_current=CurrentLocAction(action))


globals = _Globals()


def instance_of(dialect: Dialect | type[Dialect]) -> Dialect:
    """Returns a dialect itself, or the one that `register_dialect` made of a class.

    ValueError: if there is none.
    """
    if isinstance(dialect, Dialect):
        return dialect
    found: Dialect | None = _dialects.KNOWN.get(dialect.DIALECT_NAMESPACE)
    if found is None:
        raise ValueError(
            f"the dialect '{dialect.DIALECT_NAMESPACE}' is not registered: decorate it by register_dialect"
        )
    return found


def register_dialect(cls: _DialectClass) -> _DialectClass:
    """Makes the dialect that a subclass of `Dialect` names by its `DIALECT_NAMESPACE`."""
    cls()
    return cls


def register_operation(dialect: Dialect | type[Dialect], *, replace: bool = False) -> Callable[[_Class], _Class]:
    """Makes a subclass of a declared class that of all operations of its name, handles that there are included.

    RuntimeError: if `replace` is not given, as the name has a class.
    """
    operations = instance_of(dialect).operations

    def register(cls: _Class) -> _Class:
        name = getattr(cls, "OPERATION_NAME", None)
        if name is None or not issubclass(cls, OpView):
            raise TypeError(f"{cls.__qualname__} derives from no declared class: declare it by the op of the dialect")
        if name in operations and not replace:
            raise RuntimeError(f"Operation '{name}' is already registered.")
        replaced = operations.get(name)
        pairbond.class_for(OpView, name)(cls)
        operations[name] = cls
        if replaced is not None:
            # `class_for` has shown the handles of the class that it replaced to the collector.
            for handle in gc.get_objects():
                if type(handle) is replaced:
                    handle.__class__ = cls
        return cls

    return register
