"""Optimizers: what makes a step of gradients. Each step of a parameter is one native call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._modes import enable_grad, no_grad
from .._pairbond_autograd import Tensor, _adam_step, _sgd_step, _uniform
from ..nn.parameter import zero_gradients


class Optimizer:
    """Parameters in groups with settings of their own, and what is remembered of each."""

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = {}
        self.param_groups: list[dict[str, Any]] = []
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, group: dict[str, Any]) -> None:
        group = {**self.defaults, **group}
        params = group["params"]
        group["params"] = [params] if isinstance(params, Tensor) else list(params)
        known = {id(param) for other in self.param_groups for param in other["params"]}
        for param in group["params"]:
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(param) in known:
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
                        self._step(param, param.grad, group, self.state.setdefault(param, {}))
        return loss

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """The settings, and what is remembered, with numbers in place of parameters."""
        params = [param for group in self.param_groups for param in group["params"]]
        numbers = {id(param): number for number, param in enumerate(params)}
        groups = [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups]
        return {
            "state": {numbers[id(p)]: dict(state) for p, state in self.state.items()},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        groups = state_dict["param_groups"]
        sizes = [[len(group["params"]) for group in side] for side in (groups, self.param_groups)]
        if sizes[0] != sizes[1]:
            raise ValueError("loaded state dict has other parameter groups than the optimizer")
        params = [param for group in self.param_groups for param in group["params"]]
        for own, other in zip(self.param_groups, groups, strict=True):
            own.update({key: value for key, value in other.items() if key != "params"})
        self.state = {params[number]: dict(state) for number, state in state_dict["state"].items()}

    def __repr__(self) -> str:
        groups = (f"{ {k: v for k, v in group.items() if k != 'params'} }" for group in self.param_groups)
        return f"{type(self).__name__}({', '.join(groups)})"


def _not_negative(**settings: float) -> None:
    for name, value in settings.items():
        if value < 0:
            called = "learning rate" if name == "lr" else f"{name} value"
            raise ValueError(f"Invalid {called}: {value}")


def _zeros(param: Tensor) -> Tensor:
    return _uniform(list(param.shape), 0.0, 0.0, param.dtype)


class SGD(Optimizer):
    """Gradient descent, with momentum."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _not_negative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "nesterov": nesterov, "maximize": maximize})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        first = "momentum_buffer" not in state
        if group["momentum"] and first:
            state["momentum_buffer"] = _zeros(param)
        _sgd_step(
            param,
            grad,
            state.get("momentum_buffer"),
            first,
            group["lr"],
            group["momentum"],
            group["dampening"],
            group["weight_decay"],
            group["nesterov"],
            group["maximize"],
        )


class Adam(Optimizer):
    """Steps by the mean of gradients and of their squares."""

    _decoupled = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _not_negative(lr=lr, eps=eps, weight_decay=weight_decay)
        for i, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "amsgrad": amsgrad, "maximize": maximize})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        if not state:
            state.update(step=0, exp_avg=_zeros(param), exp_avg_sq=_zeros(param))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = _zeros(param)
        state["step"] += 1
        _adam_step(
            param,
            grad,
            state["exp_avg"],
            state["exp_avg_sq"],
            state["max_exp_avg_sq"] if group["amsgrad"] else None,
            state["step"],
            group["lr"],
            group["betas"],
            group["eps"],
            group["weight_decay"],
            self._decoupled,
            group["maximize"],
        )


class AdamW(Adam):
    """Adam whose weights decay apart from the gradients."""

    _decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
