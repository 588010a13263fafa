"""Classes of types, attributes and values are called as MLIR's are: what is given is of that class, or is refused."""

from __future__ import annotations

from typing import Any

from . import _pairbond_ir

__all__: list[str] = []


def _cast(cls: Any, value: Any, context: Any = None) -> Any:
    del context
    if isinstance(value, cls):
        return value
    kinds = {"type": _pairbond_ir.Type, "value": _pairbond_ir.Value}
    what = next((what for what, kind in kinds.items() if issubclass(cls, kind)), "attribute")
    is_one = isinstance(value, (_pairbond_ir.Type, _pairbond_ir.Attribute)) and what != "value"
    shown = f"{what.capitalize()}({value})" if is_one else repr(value)
    raise ValueError(f"Cannot cast {what} to {cls.__name__} (from {shown})")


#: What a class takes is in the stub, which takes anything: a signature here would be another one.
_cast.__signature__ = NotImplemented  # type: ignore[attr-defined]


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """What is cast is there already."""


def _all(cls: type) -> list[type]:
    found = [cls]
    subclasses: list[type] = cls.__subclasses__()
    for inner in subclasses:
        found += _all(inner)
    return found


for _cls in [*_all(_pairbond_ir.Type), *_all(_pairbond_ir.Attribute), *_all(_pairbond_ir.Value)]:
    _cls.__new__ = _cast  # type: ignore[assignment]
    _cls.__init__ = _nothing  # type: ignore[misc]
