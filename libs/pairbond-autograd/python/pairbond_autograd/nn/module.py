"""`Module`: parameters, buffers and children under names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from .._modes import no_grad
from .._pairbond_autograd import Tensor, _assign
from ._backward_hooks import Call
from .parameter import Parameter, zero_gradients


class IncompatibleKeys(NamedTuple):
    """What a state had not, and what it had too much."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Handle:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self._hooks = hooks
        self.id = max(hooks, default=-1) + 1
        hooks[self.id] = hook

    def remove(self) -> None:
        self._hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Module:
    """Something that computes, with what it learns. Subclasses define `forward`."""

    training: bool

    def __init__(self) -> None:
        fields = {
            "training": True,
            "_parameters": {},
            "_buffers": {},
            "_modules": {},
            "_transient": set(),
            "_forward_hooks": {},
            "_forward_pre_hooks": {},
            "_backward_hooks": {},
            "_backward_pre_hooks": {},
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for hook in [*self._forward_pre_hooks.values()]:
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        backward = None
        if self._backward_hooks or self._backward_pre_hooks:
            backward = Call(self, [*self._backward_hooks.values()], [*self._backward_pre_hooks.values()])
            args = backward.arguments(args)
        result = self.forward(*args, **kwargs)
        for hook in [*self._forward_hooks.values()]:
            changed = hook(self, args, result)
            if changed is not None:
                result = changed
        return result if backward is None else backward.result(result)

    # Attributes: parameters, buffers and modules are kept under their names.

    def _places(self) -> tuple[dict[str, Any], ...]:
        try:
            return self.__dict__["_parameters"], self.__dict__["_buffers"], self.__dict__["_modules"]
        except KeyError:
            raise AttributeError(f"cannot assign to {type(self).__name__} before Module.__init__() call") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self.add_module(name, value)
        else:
            for place in self._places() if name not in self.__dict__ else ():
                if name in place:
                    if value is not None and not (place is self._buffers and isinstance(value, Tensor)):
                        raise TypeError(f"cannot assign '{type(value).__name__}' as '{name}' of {type(self).__name__}")
                    place[name] = value
                    return
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for place in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(place, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for place in self._places():
            if name in place:
                del place[name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for place in self._places() for name in place)})

    def _register(self, place: int, name: str, value: Any) -> None:
        if not name or "." in name:
            raise KeyError(f"a name must not be empty and have no dot: {name!r}")
        places = self._places()
        for other in places:
            other.pop(name, None) if other is not places[place] else None
        self.__dict__.pop(name, None)
        places[place][name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._register(0, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that belongs to the state, but is not learned; if not `persistent`, not even to the state."""
        self._register(1, name, tensor)
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        self._register(2, name, module)

    register_module = add_module

    # What there is.

    def named_modules(self, prefix: str = "", _seen: set[int] | None = None) -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once."""
        seen = set() if _seen is None else _seen
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(f"{prefix}.{name}" if prefix else name, seen)

    def modules(self) -> Iterator[Module]:
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def _named(self, place: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for name, value in getattr(module, place).items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Calls `fn` with each module, this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # The state.

    def _state(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is not None and name not in self._transient:
                yield prefix + name, value
        for name, module in self.named_children():
            yield from module._state(f"{prefix}{name}.")

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """All parameters and buffers by name, sharing their memory, without histories."""
        return OrderedDict((name, Tensor(value)) for name, value in self._state())

    def load_state_dict(self, state_dict: Mapping[str, Tensor], strict: bool = True) -> IncompatibleKeys:
        """Copies the numbers of a state into this module's own tensors."""
        own = dict(self._state())
        keys = IncompatibleKeys([key for key in own if key not in state_dict], [k for k in state_dict if k not in own])
        wrong = (
            [f"Missing key(s) in state_dict: {', '.join(map(repr, keys.missing_keys))}."] if keys.missing_keys else []
        )
        if keys.unexpected_keys:
            wrong.append(f"Unexpected key(s) in state_dict: {', '.join(map(repr, keys.unexpected_keys))}.")
        wrong = wrong if strict else []
        for key in own.keys() & state_dict.keys():
            if own[key].shape != state_dict[key].shape:
                there, here = state_dict[key].shape, own[key].shape
                wrong.append(f"size mismatch for {key}: a shape of {there} in the state, {here} in the module.")
        if wrong:
            raise RuntimeError("\n\t".join([f"Error(s) in loading state_dict for {type(self).__name__}:", *wrong]))
        with no_grad():
            for key in own.keys() & state_dict.keys():
                _assign(own[key], state_dict[key])
        return keys

    # Modes.

    def train(self, mode: bool = True) -> Self:
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or makes them zeros."""
        zero_gradients(self.parameters(), set_to_none)

    # Hooks.

    def register_forward_pre_hook(self, hook: Callable[[Module, tuple[Any, ...]], Any]) -> Handle:
        """Calls `hook(module, arguments)` before `forward`; what it returns, if anything, are the arguments."""
        return Handle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[[Module, tuple[Any, ...], Any], Any]) -> Handle:
        """Calls `hook(module, arguments, result)` after `forward`; what it returns, if anything, is the result."""
        return Handle(self._forward_hooks, hook)

    def register_full_backward_hook(self, hook: Callable[[Module, Any, Any], Any]) -> Handle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the arguments are there.

        What it returns, if anything, takes the place of `grad_input`. Both are tuples.
        """
        return Handle(self._backward_hooks, hook)

    def register_full_backward_pre_hook(self, hook: Callable[[Module, Any], Any]) -> Handle:
        """Calls `hook(module, grad_output)` before; what it returns, if anything, takes the place of `grad_output`."""
        return Handle(self._backward_pre_hooks, hook)

    # For people.

    def extra_repr(self) -> str:
        """What is said of this module besides its class."""
        return ""

    def __repr__(self) -> str:
        lines = []
        for name, module in self.named_children():
            first, *rest = repr(module).splitlines()
            lines += [f"({name}): {first}", *rest]
        inner = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({inner})"
        return "\n".join([f"{type(self).__name__}({inner}", *(f"  {line}" for line in lines), ")"])
