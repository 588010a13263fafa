"""Gradient descent. Each step of a parameter is one native call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._pairbond_autograd import Tensor, _sgd_step
from ._steps import check, zeros
from .optimizer import Optimizer


class SGD(Optimizer):
    """Gradient descent, with momentum."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(lr=lr, momentum=momentum, weight_decay=weight_decay)
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        ways = {"maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused}
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {**settings, "nesterov": nesterov, **ways})

    def _step(self, param: Tensor, grad: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
        if group["momentum"]:
            first = state.get("momentum_buffer") is None
            if first:
                state["momentum_buffer"] = zeros(param)
        else:
            first = True
        _sgd_step(
            param,
            grad,
            state["momentum_buffer"] if group["momentum"] else None,
            first,
            float(group["lr"]),
            group["momentum"],
            group["dampening"],
            group["weight_decay"],
            group["nesterov"],
            group["maximize"],
        )
