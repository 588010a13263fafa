"""Custom functions: `forward` and `backward` in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._modes import no_grad
from .._pairbond_autograd import (
    Tensor,
    _delayed_error,
    _FunctionInfo,
    _FunctionNode,
    _set_grad_enabled,
    is_grad_enabled,
)

FunctionCtx = _FunctionNode
"""What `forward`, `setup_context` and `backward` get as `ctx`: the node itself."""


class FunctionMeta(type):
    """Makes for each function the class of its contexts."""

    _context: type[_FunctionNode]
    _info: _FunctionInfo

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        super().__init__(name, bases, attributes)
        called = name + "Backward"

        def backward(ctx: _FunctionNode, *grads: Tensor | None) -> Any:
            return cls.backward(ctx, *grads)  # type: ignore[attr-defined]

        cls._context = type(called, (_FunctionNode,), {"_forward_cls": cls, "__module__": cls.__module__})
        cls._info = _FunctionInfo(called, backward)


class Function(metaclass=FunctionMeta):
    """A function with a derivative of its own: static methods `forward` and `backward`, used by `apply`."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__} is not instantiated: a Function has static methods forward and backward, and is "
            f"called by {type(self).__name__}.apply(...). Legacy functions with methods of an instance are refused."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes; gets the context first, unless there is a `setup_context`."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keeps what `backward` needs, if `forward` gets no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments, from those of the results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Computes, and records."""
        ctx = cls._context(cls._info)
        recorded = ctx._begin(*args)
        try:
            if cls.setup_context is Function.setup_context:
                out = cls.forward(ctx, *args)
            else:
                out = cls.forward(*args)
                cls.setup_context(ctx, args, out)
        finally:
            _set_grad_enabled(recorded)
        if isinstance(out, tuple):
            return ctx._finish(args, out)
        return ctx._finish(args, (out,))[0]


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a `backward` that cannot be differentiated itself: to do so is an error, which comes when it is tried."""

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            found = backward(ctx, *grads)
        if not is_grad_enabled() or not any(isinstance(it, Tensor) and it.requires_grad for it in grads):
            return found
        message = "trying to differentiate twice a function that was marked with @once_differentiable"
        several = found if isinstance(found, tuple) else (found,)
        return tuple(_delayed_error(message, it) if isinstance(it, Tensor) else it for it in several)

    return once
