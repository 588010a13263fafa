"""Dialects by their names, as contexts of MLIR's bindings have them: `context.dialects.arith.AddIOp`.

A dialect here is what `Dialect` declares for the process. One that is asked for and not declared yet is looked for as
a module of its name in the packages of `search`, which declare it when they are imported.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import pairbond

__all__ = ["KNOWN", "DialectDescriptor", "Dialects", "find", "load", "search"]

#: The dialects that were declared, by their names; of two of a name the later one.
KNOWN: dict[str, Any] = {}
#: Packages whose modules declare dialects.
search: list[str] = ["pairbond_ir.dialects"]


def load(namespace: str) -> bool:
    """Imports the module of a dialect; whether there is one."""
    for package in search:
        name = f"{package}.{namespace}"
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
        else:
            return True
    return False


def find(namespace: str) -> Any:
    """Returns a dialect that is declared, or that a module of its name declares; None if there is none."""
    if namespace not in KNOWN and namespace.isidentifier():
        load(namespace)
    return KNOWN.get(namespace)


class Dialects:
    """The dialects by their names, as attributes or keys."""

    def __getitem__(self, namespace: str) -> Any:
        found = find(namespace)
        if found is None:
            raise IndexError(f"Dialect '{namespace}' not found")
        return found

    def __getattr__(self, namespace: str) -> Any:
        found = None if namespace.startswith("__") else find(namespace)
        if found is None:
            raise AttributeError(f"Dialect '{namespace}' not found")
        return found


@dataclass(frozen=True)
class DialectDescriptor:
    """That a dialect is declared."""

    namespace: str

    def __repr__(self) -> str:
        return f"<DialectDescriptor {self.namespace}>"


def _descriptor(namespace: str) -> DialectDescriptor:
    if find(namespace) is None:
        raise ValueError(f"Dialect '{namespace}' not found")
    return DialectDescriptor(namespace)


pairbond.register_function("pairbond_ir.dialects", Dialects, True)
pairbond.register_function("pairbond_ir.find_dialect", lambda namespace: find(namespace) is not None, True)
pairbond.register_function("pairbond_ir.dialect_descriptor", _descriptor, True)
