"""Custom functions: `forward` and `backward` in Python."""

from __future__ import annotations

import copyreg
import functools
import inspect
from collections.abc import Callable
from typing import Any

from .._modes import no_grad
from .._pairbond_autograd import (
    Tensor,
    _delayed_error,
    _FunctionInfo,
    _FunctionNode,
    is_grad_enabled,
)

FunctionCtx = _FunctionNode
"""What `forward`, `setup_context` and `backward` get as `ctx`: the node itself."""


# What `apply` calls; and what changes where a class finds it.
_METHODS = frozenset({"forward", "setup_context", "backward", "__bases__"})


def _has_defaults(forward: Callable[..., Any]) -> bool:
    """Whether arguments of `forward` may be left out, and whether that can be told."""
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(it.default is not it.empty or it.kind is it.KEYWORD_ONLY for it in parameters)


def _apply_bound(cls: FunctionMeta, *args: Any, **kwargs: Any) -> Any:
    """Applies a function with all arguments of its `forward`, those that were left out, too."""
    own: Any = cls
    bound = inspect.signature(own.forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return cls._info(*bound.args)


def _unpack(out: Any) -> list[Any] | None:
    return list(out) if isinstance(out, tuple) else None


class FunctionMeta(type):
    """Makes for each function the class of its contexts, and what applies it."""

    _info: _FunctionInfo
    _applied: Callable[..., Any]

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        super().__init__(name, bases, attributes)
        called = name + "Backward"
        contexts = type(called, (_FunctionNode,), {"_forward_cls": cls, "__module__": cls.__module__})
        cls._info = _FunctionInfo(called, contexts, _unpack, *cls._methods())
        cls._bind()

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in _METHODS:
            cls._look()

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        if name in _METHODS:
            cls._look()

    def _look(cls) -> None:
        """Sees to it that the class and those that extend it are applied with the methods that they have now."""
        if "_info" in vars(cls):
            cls._info.forward, cls._info.setup, cls._info.backward = cls._methods()
            cls._bind()
        own: Any = cls
        for extending in own.__subclasses__():
            extending._look()

    def _bind(cls) -> None:
        """Decides what `apply` is: a `setup_context` gets all arguments of `forward`, as if they had been given."""
        own: Any = cls
        default = getattr(own.setup_context, "is_default", False)
        bound = not default and _has_defaults(own.forward)
        cls._applied = functools.partial(_apply_bound, cls) if bound else cls._info

    def _methods(cls) -> tuple[Callable[..., Any], Callable[..., Any] | None, Callable[..., Any]]:
        """`forward`, `setup_context` if there is one, and `backward`, as native code calls them."""
        own: Any = cls
        setup = own.setup_context
        default = getattr(setup, "is_default", False)
        if all(isinstance(base, FunctionMeta) for base in cls.__mro__[:-1]):
            forward, backward = own.forward, own.backward
        else:
            # What is in other classes may change without our being told.
            def forward(*args: Any) -> Any:
                return own.forward(*args)

            def backward(*args: Any) -> Any:
                return own.backward(*args)

        def with_inputs(ctx: Any, output: Any, *inputs: Any) -> None:
            own.setup_context(ctx, inputs, output)

        return forward, None if default else with_inputs, backward


class _Apply:
    """`apply` of whichever class it is asked of."""

    def __get__(self, _: object, cls: FunctionMeta) -> Callable[..., Any]:
        return cls._applied


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

    setup_context.__func__.is_default = True  # type: ignore[attr-defined]

    apply = _Apply()
    """Computes, and records."""


def _reduce(info: _FunctionInfo) -> tuple[Any, ...]:
    return getattr, (info.contexts._forward_cls, "apply")  # type: ignore[attr-defined]


copyreg.pickle(_FunctionInfo, _reduce)


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
