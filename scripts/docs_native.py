"""Documentation of what is native, for the reference: stubs have types and the compiled module has texts."""

from __future__ import annotations

import importlib
import inspect

import griffe


def text_of(it: griffe.Object) -> str | None:
    """The documentation of the object that a stub declares."""
    module, _, name = it.path.removeprefix("pairbond._pairbond").partition(".")
    if module or not name:
        return None
    found: object = importlib.import_module("pairbond._pairbond")
    for part in name.split("."):
        # What a class inherits is documented there.
        found = vars(found).get(part) if inspect.isclass(found) else getattr(found, part, None)
        if found is None:
            return None
    text = getattr(found, "__doc__", None)
    return inspect.cleandoc(text) if isinstance(text, str) else None


def implement(owner: griffe.Module | griffe.Class) -> None:
    """Makes a function of overloads that have no implementation."""
    for name, overloads in owner.overloads.items():
        if overloads and name not in owner.members:
            last = overloads[-1]
            made = griffe.Function(name, parameters=last.parameters, returns=last.returns, parent=owner)
            made.overloads = list(overloads)
            made.lineno, made.endlineno = last.lineno, last.endlineno
            owner.set_member(name, made)
            if text := text_of(made):
                made.docstring = griffe.Docstring(text, parent=made)


class NativeTexts(griffe.Extension):
    """Adds them to what has none. And what a stub declares by overloads alone is an object, too."""

    def on_module(self, *, mod: griffe.Module, **_: object) -> None:
        implement(mod)

    def on_class(self, *, cls: griffe.Class, **_: object) -> None:
        implement(cls)

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring is None and obj.path.startswith("pairbond._pairbond.") and (text := text_of(obj)):
            obj.docstring = griffe.Docstring(text, parent=obj)
