"""Steps that are larger where gradients have been small."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._pairbond_autograd import Tensor
from ._steps import check, count, directed, no_steps, zeros
from .optimizer import Optimizer


class RMSprop(Optimizer):
    """Steps by gradients, divided by the roots of means of their squares."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        settings = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        ways = {"capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, {**settings, "weight_decay": weight_decay, **ways})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        if not state:
            state.update(step=no_steps(), square_avg=zeros(param))
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros(param)
            if group["centered"]:
                state["grad_avg"] = zeros(param)
        count(state)
        grad, alpha, lr = directed(param, grad, group), group["alpha"], float(group["lr"])
        squares = state["square_avg"].mul_(alpha).add_(grad * grad, alpha=1 - alpha)
        if group["centered"]:
            squares = squares - state["grad_avg"].mul_(alpha).add_(grad, alpha=1 - alpha).square()
        away = grad / (squares.sqrt() + group["eps"])
        if group["momentum"] > 0:
            away = state["momentum_buffer"].mul_(group["momentum"]).add_(away)
        param.sub_(away * lr)


class Adagrad(Optimizer):
    """Steps by gradients, divided by the roots of sums of their squares."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay)
        check(initial_accumulator_value=initial_accumulator_value, eps=eps)
        settings = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        ways = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable, "fused": fused}
        super().__init__(params, {**settings, "initial_accumulator_value": initial_accumulator_value, **ways})
        for group in self.param_groups:
            for param in group["params"]:
                start = zeros(param, float(group["initial_accumulator_value"]))
                self.state[param].update(step=no_steps(), sum=start)

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        steps, grad = count(state), directed(param, grad, group)
        lr = float(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
        param.sub_(grad / (state["sum"].add_(grad * grad).sqrt() + group["eps"]) * lr)


class Adadelta(Optimizer):
    """Steps by gradients, by how far the last steps went, and by the squares of gradients."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr=lr)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        check(eps=eps, weight_decay=weight_decay)
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        ways = {"capturable": capturable, "foreach": foreach, "differentiable": differentiable}
        super().__init__(params, {**settings, **ways})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        if not state:
            state.update(step=no_steps(), square_avg=zeros(param), acc_delta=zeros(param))
        count(state)
        grad, rho, eps = directed(param, grad, group), group["rho"], group["eps"]
        squares = state["square_avg"].mul_(rho).add_(grad * grad, alpha=1 - rho)
        away = (state["acc_delta"] + eps).sqrt() / (squares + eps).sqrt() * grad
        state["acc_delta"].mul_(rho).add_(away * away, alpha=1 - rho)
        param.sub_(away * float(group["lr"]))
