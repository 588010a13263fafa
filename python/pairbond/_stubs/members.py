"""What modules tell of their classes and functions (`_pairbond_members`), as data."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pairbond._stubs.rust import canonical


@dataclass(frozen=True)
class Parameter:
    name: str
    #: `standard`, `keyword` or `rest`.
    kind: str
    #: Python source, or None.
    default: str | None
    rust_type: str


@dataclass(frozen=True)
class Function:
    name: str
    doc: str
    #: `function`, `instance`, `class`, `class getter`, `static` or `constructor`.
    binding: str
    #: Without the receiver.
    parameters: tuple[Parameter, ...]
    returns: str


@dataclass(frozen=True)
class Attribute:
    name: str
    doc: str
    rust_type: str
    settable: bool


@dataclass(frozen=True)
class Class:
    name: str
    #: The name of the type in Rust.
    rust_name: str
    #: The key of its base.
    base: str
    doc: str
    attributes: tuple[Attribute, ...]
    methods: tuple[Function, ...]
    #: Whether it is a variant of an enum, its base, and an attribute of that.
    variant: bool
    #: Attributes that users may set: name, and Rust type or, behind a `=`, Python's; `*` is any.
    declared: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RecordField:
    name: str
    doc: str
    rust_type: str
    required: bool


@dataclass(frozen=True)
class Record:
    """A struct that crosses by its fields."""

    name: str
    doc: str
    #: The class that is given; None: a dict.
    class_: str | None
    fields: tuple[RecordField, ...]


@dataclass(frozen=True)
class Enumeration:
    """An enum without data."""

    name: str
    rust_name: str
    doc: str
    #: Name, value, documentation.
    members: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True)
class ExceptionClass:
    """An exception class that Rust defines."""

    name: str
    #: The key of the base: `ValueError`, `json.JSONDecodeError`.
    base: str
    doc: str


@dataclass(frozen=True)
class Members:
    classes: tuple[Class, ...]
    functions: tuple[Function, ...]
    enums: tuple[Enumeration, ...]
    exceptions: tuple[ExceptionClass, ...]
    records: tuple[Record, ...]


class NotOurs(Exception):
    """A module that is not made with pairbond; the text says so and what to do."""


def members(module: ModuleType) -> Members:
    """The classes and functions of a module."""
    tell = getattr(module, "_pairbond_members", None)
    if tell is None:
        inside = sorted(
            name
            for name, other in sys.modules.items()
            if name.startswith(f"{module.__name__}.") and hasattr(other, "_pairbond_members")
        )
        hint = f"; but {', '.join(inside)} is" if inside else ""
        raise NotOurs(f"{module.__name__} is not an extension module made with pairbond{hint}")
    classes, functions, enums, exceptions, records = tell()
    return Members(
        tuple(
            Class(
                name,
                rust,
                base,
                doc,
                tuple(Attribute(*it) for it in attributes),
                tuple(map(_function, methods)),
                variant,
                tuple(declared),
            )
            for name, rust, base, doc, attributes, methods, variant, declared in classes
        ),
        tuple(map(_function, functions)),
        tuple(Enumeration(name, rust, doc, tuple(members)) for name, rust, doc, members in enums),
        tuple(ExceptionClass(*it) for it in exceptions),
        tuple(
            Record(name, doc, class_, tuple(RecordField(*it) for it in fields)) for name, doc, class_, fields in records
        ),
    )


def _function(told: tuple[Any, ...]) -> Function:
    name, doc, binding, parameters, returns = told
    return Function(name, doc, binding, tuple(Parameter(*it) for it in parameters), returns)


def known_classes(apart_from: str) -> dict[str, tuple[str, str]]:
    """Classes of all other modules that are imported: module and name, by the name in Rust and by the key. A Rust name
    that two have is not among them."""
    found: dict[str, tuple[str, str]] = {}
    twice = set()
    for name, module in sorted(sys.modules.items()):
        if name == apart_from or not hasattr(module, "_pairbond_members"):
            continue
        told = members(module)
        named = [(it.name, canonical(it.rust_name)) for it in told.classes if not it.variant]
        named += [(it.name, it.rust_name) for it in told.enums]
        for shown, rust_name in named:
            known_as = vars(module)[shown]
            home, short = known_as.__module__, known_as.__qualname__
            # The module that it says it is of may show it or not; where it is defined is certain.
            place = (home if getattr(sys.modules.get(home), short, None) is known_as else name, short)
            if found.setdefault(rust_name, place) != place:
                twice.add(rust_name)
            found[f"{home}.{short}"] = place
    return {name: place for name, place in found.items() if name not in twice}
