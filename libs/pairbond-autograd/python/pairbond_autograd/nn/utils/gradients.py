"""Gradients that are not too large."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..._modes import no_grad
from ..._pairbond_autograd import Tensor, stack
from ..._products import norm

Tensors = Tensor | Iterable[Tensor]


def _all(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else [*tensors]


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all numbers of several tensors."""
    norms = [norm(tensor.detach(), float(norm_type)) for tensor in _all(tensors)]
    total = norm(stack(norms), float(norm_type)) if norms else Tensor(0.0)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Makes gradients of a total norm smaller, so that it is `max_norm` at most."""
    with no_grad():
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for parameter in _all(parameters):
            if parameter.grad is not None:
                parameter.grad.mul_(factor)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Makes gradients smaller, so that the norm of all is `max_norm` at most; returns what it was."""
    parameters = _all(parameters)
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, float(max_norm), total)
    return total


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Cuts each number of gradients off at `-clip_value` and `clip_value`."""
    with no_grad():
        for parameter in _all(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(-float(clip_value), float(clip_value))
