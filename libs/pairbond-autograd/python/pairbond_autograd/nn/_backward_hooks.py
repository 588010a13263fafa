"""Hooks of what a module computes backwards.

What goes into the module and what comes out of it goes through a function that changes nothing: its nodes are where
gradients arrive.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._pairbond_autograd import Node, Tensor
from ..autograd.function import Function

Hook = Callable[[Any, Any, Any], Any]
PreHook = Callable[[Any, Any], Any]


class BackwardHookFunction(Function):
    """What comes."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Any:
        ctx.mark_non_differentiable(*(it for it in tensors if not it.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return grads


def _through(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Node | None]:
    """The values behind such a function, which of them are tensors, and its node, if anything requires a gradient."""
    places = [place for place, it in enumerate(values) if isinstance(it, Tensor)]
    if not any(values[place].requires_grad for place in places):
        return values, places, None
    passed = BackwardHookFunction.apply(*(values[place] for place in places))
    replaced = list(values)
    for place, tensor in zip(places, passed, strict=True):
        replaced[place] = tensor
    nodes = [it.grad_fn for it in passed if it.grad_fn is not None]
    return tuple(replaced), places, nodes[0] if nodes else None


def _spread(places: Sequence[int], grads: Sequence[Any], count: int) -> tuple[Any, ...]:
    """None for what is no tensor."""
    found: list[Any] = [None] * count
    for place, grad in zip(places, grads, strict=False):
        found[place] = grad
    return tuple(found)


class Call:
    """The hooks of one call of a module."""

    def __init__(self, module: Any, hooks: Sequence[Hook], pre_hooks: Sequence[PreHook]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.inputs, self.takes = 0, False
        self.grad_output: tuple[Any, ...] | None = None

    def arguments(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments that the module gets."""
        values, places, node = _through(values)
        self.inputs, self.takes = len(values), node is not None

        def after(grad_input: Sequence[Any], _: Sequence[Any]) -> Any:
            if self.grad_output is None:
                return None  # the result had no part in it
            found = _spread(places, grad_input, self.inputs)
            for hook in self.hooks:
                changed = hook(self.module, found, self.grad_output)
                if changed is not None:
                    found = self._fits(changed, len(found), "hook", "grad_input")
            self.grad_output = None
            return tuple(found[place] for place in places)

        if node is not None:
            node.register_hook(after)
        return values

    def result(self, value: Any) -> Any:
        """The result that the caller gets."""
        if not isinstance(value, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(value)}",
                stacklevel=4,
            )
            return value
        values, places, node = _through(value if isinstance(value, tuple) else (value,))
        count = len(values)

        def after(_: Sequence[Any], grad_output: Sequence[Any]) -> Any:
            found = _spread(places, grad_output, count)
            for hook in self.pre_hooks:
                changed = hook(self.module, found)
                if changed is not None:
                    found = self._fits(changed, len(found), "pre hook", "grad_output")
            self.grad_output = found
            if not self.takes:
                self._nothing_required()
            return tuple(found[place] for place in places)

        if node is not None:
            node.register_hook(after)
        if not isinstance(value, tuple):
            return values[0]
        return values if type(value) is tuple else type(value)(*values)

    def _nothing_required(self) -> None:
        """No argument requires a gradient: the hooks are called with those of the result."""
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.inputs, self.grad_output)
            if changed is not None and any(it is not None for it in changed):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_output = None

    @staticmethod
    def _fits(changed: Any, count: int, which: str, what: str) -> tuple[Any, ...]:
        found = changed if isinstance(changed, tuple) else (changed,)
        if len(found) != count:
            raise RuntimeError(
                f"Backward {which} returned an invalid number of {what}, got {len(found)}, but expected {count}"
            )
        return found
