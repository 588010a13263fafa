"""`Module`: something that computes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any, Self

from ._backward_hooks import Call
from ._conversion import Convertible
from ._state import Stateful
from .parameter import zero_gradients


class Handle:
    """Takes a hook away again."""

    _numbers = count()

    def __init__(self, hooks: OrderedDict[int, Any], hook: Any, prepend: bool = False) -> None:
        self._hooks, self.id = hooks, next(self._numbers)
        hooks[self.id] = hook
        if prepend:
            hooks.move_to_end(self.id, last=False)

    def remove(self) -> None:
        """Takes the hook away, if it is still there."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Module(Stateful, Convertible):
    """Something that computes, with what it learns. Subclasses define `forward`."""

    training: bool
    # A hook, and whether it gets keyword arguments.
    _forward_hooks: OrderedDict[int, tuple[Callable[..., Any], bool]]
    _forward_pre_hooks: OrderedDict[int, tuple[Callable[..., Any], bool]]
    _backward_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_pre_hooks: OrderedDict[int, Callable[..., Any]]

    def __init__(self) -> None:
        fields = {
            "training": True,
            "_parameters": {},
            "_buffers": {},
            "_non_persistent_buffers_set": set(),
            "_modules": {},
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        for name in _HOOKS:
            object.__setattr__(self, name, OrderedDict())

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for hook, with_kwargs in [*self._forward_pre_hooks.values()]:
            if with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not isinstance(changed, tuple) or len(changed) != 2:
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{changed}."
                        )
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        backward = None
        if self._backward_hooks or self._backward_pre_hooks:
            backward = Call(self, [*self._backward_hooks.values()], [*self._backward_pre_hooks.values()])
            args = backward.arguments(args)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in [*self._forward_hooks.values()]:
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if changed is not None:
                result = changed
        return result if backward is None else backward.result(result)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Calls `fn` with each module, this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # Modes.

    def train(self, mode: bool = True) -> Self:
        """Says that the module is being trained, which some modules ask for."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Says that it is not being trained."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Says whether its parameters are learned."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or makes them zeros."""
        zero_gradients(self.parameters(), set_to_none)

    # Hooks.

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Calls `hook(module, arguments)` before `forward`; what it returns, if anything, are the arguments.

        `with_kwargs`: it gets keyword arguments, too, and returns both. `prepend`: before the other hooks.
        """
        return Handle(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Calls `hook(module, arguments, result)` after `forward`; what it returns, if anything, is the result."""
        return Handle(self._forward_hooks, (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook: Callable[[Module, Any, Any], Any], prepend: bool = False) -> Handle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the arguments are there.

        What it returns, if anything, takes the place of `grad_input`. Both are tuples.
        """
        return Handle(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[[Module, Any], Any], prepend: bool = False) -> Handle:
        """Calls `hook(module, grad_output)` before; what it returns, if anything, takes the place of `grad_output`."""
        return Handle(self._backward_pre_hooks, hook, prepend)

    # For people.

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is said of this module besides its class."""
        return ""

    def __repr__(self) -> str:
        inner = self.extra_repr()
        return layout(self._get_name(), inner.split("\n") if inner else [], self._child_lines())

    def _child_lines(self) -> list[str]:
        return [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]


def indented(text: str) -> str:
    """All lines but the first two places further to the right."""
    return text.replace("\n", "\n  ")


def layout(name: str, own: list[str], children: list[str]) -> str:
    """What is said of a module: in one line if that has no children."""
    if len(own) <= 1 and not children:
        return f"{name}({''.join(own)})"
    return f"{name}(\n  " + "\n  ".join([*own, *children]) + "\n)"
