"""Ways in which a graph can come to own itself: which are freed here, and in PyTorch if it is installed."""

from __future__ import annotations

import functools
import gc
import importlib
import warnings
import weakref
from collections.abc import Callable
from typing import Any

Case = Callable[[Any, Any, Any, object], None]
# Of several objects of native code that own each other, a collection may find one after the other.
COLLECTIONS = 4


class Watched:
    """Lives as long as what refers to it."""


def context(torch: Any, x: Any, y: Any, watched: object) -> None:
    class Twice(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    z = Twice.apply(x)
    z.grad_fn.kept = z, watched


def saved(torch: Any, x: Any, y: Any, watched: object) -> None:
    box: list[Any] = [watched]
    with torch.autograd.graph.saved_tensors_hooks(lambda it: (box, it), lambda it: it[1]):
        box.append(y * x)


def gradient(torch: Any, x: Any, y: Any, watched: object) -> None:
    x.watched = watched
    (x * x).sum().backward(create_graph=True)


def nothing(*_: object) -> None:
    """Does nothing."""


def keeping(*kept: object) -> Callable[..., None]:
    """A hook that refers to something and does nothing."""
    return functools.partial(nothing, kept)


CASES: dict[str, Case] = {
    "nothing": lambda torch, x, y, watched: None,
    "a context that keeps its result": context,
    "a hook of a result that knows it": lambda torch, x, y, watched: y.register_hook(keeping(y, watched)),
    "a hook of a leaf that knows a result": lambda torch, x, y, watched: x.register_hook(keeping(y, watched)),
    "a hook after accumulating that knows a result": lambda torch, x, y, watched: x.register_post_accumulate_grad_hook(
        keeping(y, watched)
    ),
    "a hook of a node that knows a result": lambda torch, x, y, watched: y.grad_fn.register_hook(keeping(y, watched)),
    "metadata of a node": lambda torch, x, y, watched: y.grad_fn.metadata.update(kept=(y, watched)),
    "hooks of saved tensors that know a result": saved,
    "a gradient with a history": gradient,
}


def is_freed(torch: Any, case: Case) -> bool:
    """Whether a case is gone after collections."""
    watched = Watched()
    gone = weakref.ref(watched)

    def make(watched: object) -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        case(torch, x, x * 2, watched)

    make(watched)
    del watched
    for _ in range(COLLECTIONS):
        gc.collect()
    return gone() is None


def table() -> dict[str, dict[str, bool]]:
    """Of each library that is installed, which cases are freed; prints it."""
    libraries = {"pairbond_autograd": importlib.import_module("pairbond_autograd")}
    try:
        libraries["torch"] = importlib.import_module("torch")
    except ImportError:
        print("  (torch is not installed: nothing to compare with)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            name: {case: is_freed(torch, make) for case, make in CASES.items()} for name, torch in libraries.items()
        }
    print(f"  {'a graph in a cycle through':48}" + "".join(f"{name:>20}" for name in found))
    for case in CASES:
        print(f"  {case:48}" + "".join(f"{'freed' if freed[case] else 'leaks':>20}" for freed in found.values()))
    return found
