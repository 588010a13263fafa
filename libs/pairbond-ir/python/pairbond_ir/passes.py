"""Passes written in Python, and managers that run passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ._errors import IRError
from ._pairbond_ir import Context, _OperationBase, _Pass, _PassManager

__all__ = ["Pass", "PassManager"]

_Run = Callable[[_OperationBase], Any]


class Pass(_Pass):
    """Does something with an operation and all in it: calls a function with it, or a subclass overrides `run`."""

    def __init__(self, function: _Run | None = None, *, name: str | None = None) -> None:
        super().__init__(name or str(getattr(function, "__name__", type(self).__name__)), function)


class PassManager(_PassManager):
    """Passes in order, for operations of one name, or of any::

    manager = ir.PassManager.parse("builtin.module(func.func(canonicalize,cse),symbol-dce)")
    manager.add(my_pass)
    manager.run(module)
    """

    def __init__(self, anchor_op: str = "any", context: Context | None = None) -> None:
        del context  # MLIR's bindings need one
        super().__init__(anchor_op)

    @classmethod
    def parse(cls, pipeline: str, context: Context | None = None) -> Self:
        """Reads a pipeline: the name of an operation, and in parentheses passes, and pipelines for what is in it."""
        if not isinstance(pipeline, str):
            raise TypeError(f"a pipeline is a str, not {type(pipeline).__name__}")
        anchor, _, inner = pipeline.strip().partition("(")
        if not anchor.strip() or not inner.endswith(")"):
            message = (
                f"expected pass pipeline to be wrapped with the anchor operation type, e.g. 'any(…)': {pipeline!r}"
            )
            raise IRError(message)
        manager = cls(anchor.strip(), context)
        manager._add_text(inner[:-1])
        return manager

    def add(self, added: str | _Pass | _Run | Any) -> None:
        """Adds passes: by their text, or one of Python's, which is a `Pass`, has a method `run`, or is a function."""
        if isinstance(added, str):
            self._add_text(added)
        elif isinstance(added, _Pass):
            self._add_pass(added)
        elif isinstance(added, type):
            self.add(added())
        elif (run := getattr(added, "run", None)) is not None:
            self._add_pass(Pass(run, name=type(added).__name__))
        else:
            self._add_pass(Pass(added))

    def nest(self, anchor_op: str) -> Self:
        """Adds a manager for the operations of a name that stand in that on which this one runs."""
        nested = type(self)(anchor_op)
        self._add_manager(nested)
        return nested
