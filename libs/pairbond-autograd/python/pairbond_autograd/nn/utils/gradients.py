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


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Makes gradients smaller, so that the norm of all is `max_norm` at most; returns what it was."""
    grads = [parameter.grad for parameter in _all(parameters) if parameter.grad is not None]
    norms = [norm(grad.detach(), float(norm_type)) for grad in grads]
    total = norm(stack(norms), float(norm_type)) if norms else Tensor(0.0)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    with no_grad():
        factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor)
    return total
