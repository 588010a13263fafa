"""Passes written in Python, and managers that run passes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Self

from ._errors import IRError, PipelineError
from ._pairbond_ir import Context, Operation, _Pass, _PassManager
from ._watching import PassDisplayMode, Watching

__all__ = ["ExternalPass", "Pass", "PassDisplayMode", "PassManager"]

_Run = Callable[..., Any]


class ExternalPass:
    """What a function that is a pass gets beside the operation, as with MLIR's bindings."""

    def __init__(self) -> None:
        self._failed = False

    def signal_pass_failure(self) -> None:
        """The pass has failed: `run` raises an `IRError` when the function returns."""
        self._failed = True


def _takes_pass(function: _Run) -> bool:
    """Whether a function wants `(operation, pass)`: it can be called with two, and not with one."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    for count in (1, 2):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count == 2
    return False


def _external(function: _Run) -> _Run:
    """Such a function as one of the operation alone."""

    def run(operation: Operation) -> None:
        external = ExternalPass()
        function(operation, external)
        if external._failed:
            raise IRError("Failure while executing pass pipeline")

    return run


class Pass(_Pass):
    """Does something with an operation and all in it: calls a function with it, or a subclass overrides `run`."""

    def __init__(self, function: _Run | None = None, *, name: str | None = None) -> None:
        name = name or str(getattr(function, "__name__", type(self).__name__))
        super().__init__(name, _external(function) if function is not None and _takes_pass(function) else function)


class PassManager(_PassManager):
    """Passes in order, for operations of one name, or of any::

    manager = ir.PassManager.parse("builtin.module(func.func(canonicalize,cse),symbol-dce)")
    manager.add(my_pass)
    manager.run(module)
    """

    def __init__(self, anchor_op: str = "any", context: Context | None = None) -> None:
        del context  # MLIR's bindings need one
        super().__init__(anchor_op)
        self._watching: Watching | None = None

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
            raise PipelineError(message)
        manager = cls(anchor.strip(), context)
        manager._add_text(inner[:-1])
        return manager

    def add(
        self,
        added: str | _Pass | _Run | Any,
        name: str | None = None,
        argument: str | None = None,
        description: str | None = None,
        op_name: str | None = None,
    ) -> None:
        """Adds passes: by their text, or one of Python's, which is a `Pass`, has a method `run`, or is a function.

        A function is called with the operation, or with that and an `ExternalPass` if it takes two. Its `name` is what
        erased operations name; with `op_name` it runs on the operations of that name that stand in the manager's.
        """
        del argument, description  # for MLIR's registry
        if op_name and op_name != self.anchor and not isinstance(added, str):
            return self.nest(op_name).add(added, name)
        if isinstance(added, str):
            return self._add_text(added)
        if isinstance(added, type):
            return self.add(added(), name)
        if isinstance(added, _Pass):
            self._add_pass(added)
        elif (run := getattr(added, "run", None)) is not None:
            self._add_pass(Pass(run, name=name or type(added).__name__))
        else:
            self._add_pass(Pass(added, name=name))

    def nest(self, anchor_op: str) -> Self:
        """Adds a manager for the operations of a name that stand in that on which this one runs."""
        nested = type(self)(anchor_op)
        self._add_manager(nested)
        return nested

    def enable_ir_printing(
        self,
        print_before_all: bool = False,
        print_after_all: bool = True,
        print_module_scope: bool = False,
        print_after_change: bool = False,
        print_after_failure: bool = False,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        print_generic_op_form: bool = True,
        tree_printing_dir_path: str | None = None,
    ) -> None:
        """From now on `run` writes what each pass finds or leaves to standard error, or to files in a directory."""
        del print_generic_op_form  # there is no other
        watching = self._watched()
        watching.before = print_before_all
        watching.after = print_after_all or print_after_change
        watching.only_changes = print_after_change
        watching.failure = print_after_failure
        watching.whole = print_module_scope
        watching.directory = tree_printing_dir_path
        watching.how = {
            "large_elements_limit": large_elements_limit,
            "large_resource_limit": large_resource_limit,
            "enable_debug_info": enable_debug_info,
        }

    def enable_verifier(self, enable: bool) -> None:
        """Whether each operation is verified after each pass that ran on it. It is not unless this was called."""
        if enable or self._watching is not None:
            self._watched().verifies = enable

    def enable_timing(self) -> None:
        """From now on `run` writes to standard error how long each pass took."""
        self._watched().times = True

    def enable_statistics(self, displayMode: PassDisplayMode = PassDisplayMode.PIPELINE) -> None:
        """From now on `run` writes to standard error how often each pass ran, and how often it changed something."""
        self._watched().statistics = displayMode

    def _watched(self) -> Watching:
        if self._watching is None:
            self._watching = Watching()
            self._watch(self._watching)
        return self._watching

    def run(self, operation: Operation) -> None:
        """Runs all passes on an operation, while other threads go on if they are Rust's."""
        if self._watching is None:
            return super().run(operation)
        with self._watching.whole_run():
            super().run(operation)
