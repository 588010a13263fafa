"""`Optimizer`: parameters in groups, and what is remembered of each."""

from __future__ import annotations

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from .._modes import enable_grad, no_grad
from .._pairbond_autograd import Tensor
from ..nn._texts import typename
from ..nn.module import Handle
from ..nn.parameter import zero_gradients
from ._steps import kept

_UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead."
)


class Optimizer:
    """Parameters in groups with settings of their own, and what is remembered of each.

    Subclasses define `step`, or `_step` for one parameter.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        if isinstance(params, set):
            warnings.warn(f"{_UNORDERED} This will be an error in a future release.", FutureWarning, stacklevel=3)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._make_hooks()
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        self._pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._post_hooks: OrderedDict[int, Any] = OrderedDict()

    def __init_subclass__(cls) -> None:
        """A `step` of one's own calls hooks, too."""
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with settings of their own; the others are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        params = group["params"]
        if isinstance(params, set):
            raise TypeError(_UNORDERED)
        found = [params] if isinstance(params, Tensor) else list(params)
        if found and all(isinstance(it, tuple) for it in found):
            group["param_names"] = [name for name, _ in found]
            found = [param for _, param in found]
        group["params"] = found
        for param in found:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(param))
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        known = [id(param) for other in self.param_groups for param in other["params"]]
        if not {*known}.isdisjoint(map(id, found)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients, or makes them zeros."""
        for group in self.param_groups:
            zero_gradients(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes all parameters that have a gradient. `closure` computes the loss again, if it is given."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._step(param, param.grad, group, self.state[param])
        return loss

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        raise NotImplementedError

    # Hooks.

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Calls `hook(optimizer, args, kwargs)` before each step; what it returns, if anything, are the arguments."""
        return Handle(self._pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> Handle:
        """Calls `hook(optimizer, args, kwargs)` after each step."""
        return Handle(self._post_hooks, hook)

    # The state.

    def state_dict(self) -> dict[str, Any]:
        """The settings, and what is remembered, with numbers in place of parameters."""
        numbers: dict[int, int] = {}
        for param in chain.from_iterable(group["params"] for group in self.param_groups):
            numbers.setdefault(id(param), len(numbers))
        groups = []
        for group in self.param_groups:
            settings = {name: value for name, value in group.items() if name != "params"}
            groups.append({**settings, "params": [numbers[id(param)] for param in group["params"]]})
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the settings and what is remembered from another optimizer, as copies."""
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = [*zip(self.param_groups, groups, strict=True)]
        if any(len(own["params"]) != len(other["params"]) for own, other in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        params = {n: p for own, other in pairs for n, p in zip(other["params"], own["params"], strict=True)}
        for own, other in pairs:
            names = {"param_names": own["param_names"]} if "param_names" in own else {}
            params_of = own["params"]
            own.clear()
            own.update({**other, **names, "params": params_of})
        self.state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                self.state[params[key]] = {name: kept(name, it, params[key]) for name, it in value.items()}
            else:
                self.state[key] = value

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"] if number else [f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def whole(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        for hook in [*self._pre_hooks.values()]:
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"{step.__qualname__} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        result = step(self, *args, **kwargs)
        for hook in [*self._post_hooks.values()]:
            hook(self, args, kwargs)
        return result

    return whole


Optimizer.step = _with_hooks(Optimizer.step)  # type: ignore[method-assign]
