"""Trains a small network that tells the inside of a circle from its outside, and prints what leaks: nothing."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import _tape_numpy as tape
import numpy as np
from tape_numpy import Array, grad, step, tanh


def train(steps: int = 400, width: int = 16, seed: int = 1) -> tuple[float, float, float]:
    """Returns the loss before and after, and the share of points that are told rightly."""
    random = np.random.default_rng(seed)
    points = random.uniform(-1, 1, (200, 2))
    inside = np.where((points**2).sum(axis=1, keepdims=True) < 0.6, 1.0, -1.0)
    shapes = [(2, width), (width,), (width, 1), (1,)]
    w, b, v, c = parameters = [Array(random.normal(0, 1, shape), requires_grad=True) for shape in shapes]
    losses = []
    for _ in range(steps):
        out = tanh(tanh(Array(points) @ w + b) @ v + c)
        error = out - Array(inside)
        loss = (error * error).mean()
        losses.append(float(loss.data))
        loss.backward()
        step(parameters, 0.3)
    return losses[0], losses[-1], float((np.sign(out.data) == inside).mean())


def _none(*_: object) -> None:
    """A hook, to which a part of the graph is bound."""


def _gradient_that_is_kept(x: Array, y: Array) -> None:
    (x.grad,) = grad([(x * x).sum()], [x], create_graph=True)
    x.grad.of = y


#: Ways in which a graph, from the leaf x to the result y, can come to own itself.
CYCLES: dict[str, Callable[[Array, Array], Any]] = {
    "none": _none,
    "hook of a value": lambda x, y: y.register_hook(partial(_none, y)),
    "hook of a leaf": lambda x, y: x.register_post_accumulate_grad_hook(partial(_none, y)),
    "hook of a node": lambda x, y: y.grad_fn._register_hook(partial(_none, y)),
    "prehook of a node": lambda x, y: y.grad_fn._register_prehook(partial(_none, y)),
    "attribute of a leaf": lambda x, y: setattr(x, "result", y),
    "attribute of a context": lambda x, y: setattr(y.grad_fn, "result", y),
    "metadata": lambda x, y: y.grad_fn.metadata.update(result=y),
    "gradient with a history": _gradient_that_is_kept,
    "what a hook packed": _none,
}


def _graph(name: str, run: bool) -> Array:
    if packs := "packed" in name:
        tape._push_saved_tensors_hooks(lambda value: [value], lambda kept: kept[0])
    x = Array([1.0, 2.0], requires_grad=True)
    y = tanh(x * Array(3.0))
    if packs:
        tape._pop_saved_tensors_hooks()
    CYCLES[name](x, y)
    if run:
        y.sum().backward()
    return y


def leaks() -> list[tuple[str, bool, str]]:
    """Of each kind of cycle, before and after a run: whether it goes at once, is collected, or leaks."""
    rows = []
    gc.disable()
    for name in CYCLES:
        for run in (False, True):
            gc.collect()
            result = _graph(name, run)
            watched = [weakref.ref(result), weakref.ref(result.grad_fn)]
            del result
            fate = "at once"
            if any(it() is not None for it in watched):
                gc.collect()
                fate = "leaks" if any(it() is not None for it in watched) else "collected"
            rows.append((name, run, fate))
    gc.enable()
    return rows


if __name__ == "__main__":
    before, after, right = train()
    print(f"loss {before:.3f} → {after:.3f}, {right:.0%} of the points are told rightly")
    for name, run, fate in leaks():
        print(f"{name:24} {'after a run' if run else 'not run':12} {fate}")
