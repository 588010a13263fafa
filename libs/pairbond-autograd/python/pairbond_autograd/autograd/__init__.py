"""Derivatives: running graphs backwards, custom functions, hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from .._gradcheck import gradcheck as gradcheck
from .._gradcheck import gradgradcheck as gradgradcheck
from .._modes import enable_grad as enable_grad
from .._modes import no_grad as no_grad
from .._modes import set_grad_enabled as set_grad_enabled
from .._pairbond_autograd import Tensor, _backward, _grad
from . import function as function
from . import functional as functional
from . import graph as graph
from .anomaly import detect_anomaly as detect_anomaly
from .anomaly import set_detect_anomaly as set_detect_anomaly
from .function import Function as Function
from .variable import Variable as Variable

T = TypeVar("T")


def _all(one_or_several: T | Sequence[T]) -> list[T]:
    return list(one_or_several) if isinstance(one_or_several, (list, tuple)) else [one_or_several]  # type: ignore[list-item]


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Computes gradients of the leaves that led to `tensors`, or of `inputs`, and adds them to their `grad`."""
    _backward(
        _all(tensors),
        None if grad_tensors is None else _all(grad_tensors),
        retain_graph,
        create_graph,
        None if inputs is None else _all(inputs),
    )


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `inputs`. What was not used has None if that is allowed, or zeros if they are to be made."""
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: False.")
    wanted = _all(inputs)
    found = _grad(
        _all(outputs),
        wanted,
        None if grad_outputs is None else _all(grad_outputs),
        retain_graph,
        create_graph,
        bool(allow_unused) or materialize_grads,
    )
    if materialize_grads:
        found = [it.detach() * 0 if made is None else made for it, made in zip(wanted, found, strict=True)]
    return tuple(found)
