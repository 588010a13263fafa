"""Derivatives: running graphs backwards, custom functions, hooks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._create import zeros_like
from .._gradcheck import gradcheck as gradcheck
from .._gradcheck import gradgradcheck as gradgradcheck
from .._modes import enable_grad as enable_grad
from .._modes import inference_mode as inference_mode
from .._modes import no_grad as no_grad
from .._modes import set_grad_enabled as set_grad_enabled
from .._pairbond_autograd import Tensor, _backward, _grad, stack
from . import function as function
from . import functional as functional
from . import graph as graph
from .anomaly import detect_anomaly as detect_anomaly
from .anomaly import set_detect_anomaly as set_detect_anomaly
from .function import Function as Function
from .graph import GradientEdge
from .variable import Variable as Variable


def _all(one_or_several: Any) -> list[Any]:
    is_one = isinstance(one_or_several, GradientEdge) or not isinstance(one_or_several, (list, tuple))
    return [one_or_several] if is_one else list(one_or_several)


def backward(
    tensors: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge] | None = None,
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
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `inputs`. What was not used has None if that is allowed, or zeros if they are to be made.

    With `is_grads_batched`, `grad_outputs` and the gradients have one more dimension in front: one run for each.
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: False.")
    roots, wanted = _all(outputs), _all(inputs)
    grads = None if grad_outputs is None else _all(grad_outputs)
    unused = bool(allow_unused) or materialize_grads
    if is_grads_batched:
        found = _batched(roots, wanted, grads, retain_graph, create_graph, unused)
    else:
        found = _grad(roots, wanted, grads, retain_graph, create_graph, unused)
    if materialize_grads:
        if any(isinstance(it, GradientEdge) for it in wanted):
            raise RuntimeError("materialize_grads needs the shapes of inputs, which a GradientEdge does not know")
        found = [
            zeros_like(it, requires_grad=create_graph) if made is None else made
            for it, made in zip(wanted, found, strict=True)
        ]
    return tuple(found)


def _batched(
    outputs: list[Tensor | GradientEdge],
    inputs: list[Tensor | GradientEdge],
    grads: list[Tensor | None] | None,
    retain_graph: bool | None,
    create_graph: bool,
    unused: bool,
) -> list[Tensor | None]:
    """A run for each of the gradients that lie behind each other in `grads`."""
    first = next((it for it in grads or () if it is not None), None)
    if first is None or first.dim() == 0:
        raise RuntimeError("is_grads_batched=True needs grad_outputs with one more dimension in front")
    count = len(first)
    keep = create_graph if retain_graph is None else retain_graph
    runs = [
        _grad(
            outputs,
            inputs,
            [None if it is None else it[place] for it in grads or ()],
            keep or place + 1 < count,
            create_graph,
            unused,
        )
        for place in range(count)
    ]
    columns = [[made for made in column if made is not None] for column in zip(*runs, strict=True)]
    return [stack(column) if column else None for column in columns]


@contextmanager
def set_multithreading_enabled(mode: bool) -> Iterator[None]:
    """For scripts that say on how many threads to run backwards: here it is always the one that asked."""
    yield
