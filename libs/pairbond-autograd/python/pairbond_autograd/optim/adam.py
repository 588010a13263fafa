"""Steps by the means of gradients and of their squares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._pairbond_autograd import Tensor, _adam_step
from ._steps import check, check_betas, count, no_steps, zeros
from .optimizer import Optimizer


class Adam(Optimizer):
    """Steps by the mean of gradients and of their squares: each of a parameter is one native call."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check(lr=lr, eps=eps)
        check_betas(betas)
        check(weight_decay=weight_decay)
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        ways = {"maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable}
        decoupled = {"fused": fused, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**settings, **ways, **decoupled})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        if not state:
            state.update(step=no_steps(), exp_avg=zeros(param), exp_avg_sq=zeros(param))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros(param)
        _adam_step(
            param,
            grad,
            state["exp_avg"],
            state["exp_avg_sq"],
            state["max_exp_avg_sq"] if group["amsgrad"] else None,
            count(state),
            float(group["lr"]),
            group["betas"],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            group["maximize"],
        )


class AdamW(Adam):
    """Adam whose weights decay apart from the gradients."""

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
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
