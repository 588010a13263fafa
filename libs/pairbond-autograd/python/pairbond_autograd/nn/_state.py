"""The state of a module: everything it remembers, by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._modes import no_grad
from .._pairbond_autograd import Tensor, _assign
from ._holder import Holder
from ._texts import size_text
from .parameter import Parameter

EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What a state had not, and what it had too much."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Stateful(Holder):
    """What a module holds, written to a mapping and read from one."""

    def get_extra_state(self) -> Any:
        """Subclasses say here what else belongs to the state."""
        raise NotImplementedError

    def set_extra_state(self, state: Any) -> None:
        """Subclasses take here what `get_extra_state` gave."""
        raise NotImplementedError

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is not None and name not in self._non_persistent_buffers_set:
                yield name, value

    def _has_extra(self) -> bool:
        return type(self).get_extra_state is not Stateful.get_extra_state

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """All parameters and buffers by name, sharing their memory; without histories, unless `keep_vars`."""
        state: OrderedDict[str, Any] = OrderedDict() if destination is None else destination
        for name, value in self._own_state():
            state[prefix + name] = value if keep_vars else Tensor(value)
        if self._has_extra():
            state[prefix + EXTRA] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies the numbers of a state into this module's tensors, or puts its tensors in their place (`assign`)."""
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = IncompatibleKeys([], [])
        wrong: list[str] = []
        with no_grad():
            self._load(state_dict, "", assign, keys, wrong)
        if strict:
            kinds = {"Missing": keys.missing_keys, "Unexpected": keys.unexpected_keys}
            texts = {kind: ", ".join(f'"{name}"' for name in names) for kind, names in kinds.items() if names}
            wrong = [*(f"{kind} key(s) in state_dict: {text}. " for kind, text in texts.items()), *wrong]
        if wrong:
            raise RuntimeError("\n\t".join([f"Error(s) in loading state_dict for {type(self).__name__}:", *wrong]))
        return keys

    def _load(
        self, state: Mapping[str, Any], prefix: str, assign: bool, keys: IncompatibleKeys, wrong: list[str]
    ) -> None:
        """Loads what is in the state under a prefix; says what did not fit."""
        own = dict(self._own_state())
        for name, value in own.items():
            if prefix + name not in state:
                keys.missing_keys.append(prefix + name)
            elif text := self._load_one(name, value, state[prefix + name], prefix, assign):
                wrong.append(text)
        if self._has_extra():
            if prefix + EXTRA in state:
                self.set_extra_state(state[prefix + EXTRA])
            else:
                keys.missing_keys.append(prefix + EXTRA)
        known = {*own, *self._modules, *([EXTRA] if self._has_extra() else [])}
        for key in state:
            if key.startswith(prefix):
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in known or (dot and first not in self._modules):
                    keys.unexpected_keys.append(key)
        for name, module in self._modules.items():
            if module is not None:
                module._load(state, f"{prefix}{name}.", assign, keys, wrong)

    def _load_one(self, name: str, own: Tensor, value: Any, prefix: str, assign: bool) -> str | None:
        key = prefix + name
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(value)}"
            )
        if tuple(own.shape) != tuple(value.shape):
            return (
                f"size mismatch for {key}: copying a param with shape {size_text(value.shape)} from checkpoint, the "
                f"shape in current model is {size_text(own.shape)}."
            )
        if not assign:
            _assign(own, value.to(own.dtype))
        elif isinstance(own, Parameter) and not isinstance(value, Parameter):
            setattr(self, name, Parameter(value, own.requires_grad))
        else:
            setattr(self, name, value)
        return None
