"""Patterns that rewrite operations, written in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._pairbond_ir import Operation, PatternRewriter, RewriteListener, _Pattern, apply_patterns

__all__ = ["Pattern", "RewritePatternSet", "apply_patterns_and_fold_greedily", "pattern"]

_Rewrite = Callable[[Operation, PatternRewriter], Any]
_Listener = RewriteListener | Callable[..., Any] | None


class Pattern(_Pattern):
    """Looks at operations of one name, or at all if `root` is None, and may rewrite them.

    It calls a function with the operation and a rewriter, or a subclass overrides `rewrite`. Whether it applied is seen
    from what went through the rewriter; what it returns does not matter.
    """

    def __init__(
        self, root: str | None = None, function: _Rewrite | None = None, *, benefit: int = 1, name: str | None = None
    ) -> None:
        super().__init__(root, benefit, name or str(getattr(function, "__name__", type(self).__name__)), function)


def pattern(root: str | None, *, benefit: int = 1) -> Callable[[_Rewrite], Pattern]:
    """Makes a function the `Pattern` that calls it::

    @ir.pattern("arith.addi", benefit=2)
    def twice(op, rewriter): ...
    """

    def made(function: _Rewrite) -> Pattern:
        return Pattern(root, function, benefit=benefit)

    return made


class RewritePatternSet:
    """Patterns, as MLIR's bindings collect them."""

    def __init__(self) -> None:
        self._patterns: list[_Pattern] = []

    def add(self, root: str | _Pattern, fn: _Rewrite | None = None, benefit: int = 1) -> None:
        """Adds a pattern, or a function for operations of a name."""
        self._patterns.append(root if isinstance(root, _Pattern) else Pattern(root, fn, benefit=benefit))

    def freeze(self) -> tuple[_Pattern, ...]:
        """The patterns, to be applied."""
        return tuple(self._patterns)


def apply_patterns_and_fold_greedily(
    operation: Operation, patterns: Iterable[_Pattern], *, listener: _Listener = None
) -> bool:
    """`apply_patterns`, as MLIR's bindings call it."""
    return apply_patterns(operation, list(patterns), listener=listener)
