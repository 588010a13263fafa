"""What hangs on graphs: hooks of nodes, of several tensors, and of what is saved."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, NamedTuple, Self

from .._pairbond_autograd import (
    Node,
    RemovableHandle,
    Tensor,
    _current_graph_task_id,
    _has_saved_tensors_hooks,
    _pop_saved_tensors_hooks,
    _push_saved_tensors_hooks,
    _queue_callback,
    _will_engine_execute_node,
)

Grads = tuple[Tensor | None, ...]


def _after(hook: Callable[[Grads, Grads], Any], count: int, *grads: Tensor | None) -> Any:
    return _checked(hook(grads[:count], grads[count:]))


def _before(hook: Callable[[Grads], Any], *grads: Tensor | None) -> Any:
    return _checked(hook(grads))


def _checked(given: Any) -> Any:
    """What a hook of a node may return: a tuple, or None to leave the gradients as they are."""
    if given is not None and not isinstance(given, tuple):
        raise TypeError(f"expected tuple, but hook returned {type(given).__name__!r}")
    return given


def _register_hook(self: Any, fn: Callable[[Grads, Grads], Any]) -> RemovableHandle:
    """Calls `fn(grad_inputs, grad_outputs)` after the node has run; what it returns takes the place of grad_inputs."""
    handle: RemovableHandle = self._register_hook(partial(_after, fn))
    return handle


def _register_prehook(self: Any, fn: Callable[[Grads], Any]) -> RemovableHandle:
    """Calls `fn(grad_outputs)` before the node runs; what it returns takes their place."""
    handle: RemovableHandle = self._register_prehook(partial(_before, fn))
    return handle


def _call(self: Any, *grads: Tensor | None) -> Tensor | Grads | None:
    """Computes what the node makes of gradients, alone."""
    found = self._call(*grads)
    return found[0] if len(found) == 1 else tuple(found)


# Here and not in Rust, because a hook gets tuples, and tuples are Python's.
setattr(Node, "register_hook", _register_hook)  # noqa: B010
setattr(Node, "register_prehook", _register_prehook)  # noqa: B010
setattr(Node, "__call__", _call)  # noqa: B010


class _Thread(threading.local):
    """Why there may be no hooks of saved tensors on this thread."""

    refused: str | None = None

    def check(self) -> None:
        if self.refused is not None and _has_saved_tensors_hooks():
            raise RuntimeError(self.refused)


_thread = _Thread()


class saved_tensors_hooks:
    """While it is entered, `pack_hook` makes what is saved of tensors, and `unpack_hook` tensors of that."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if _thread.refused is not None:
            raise RuntimeError(_thread.refused)
        _push_saved_tensors_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *_: object) -> None:
        _pop_saved_tensors_hooks()


class save_on_cpu(saved_tensors_hooks):
    """What is saved lies in the processor's memory: here it does anyway, and with `pin_memory` it is a copy."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        def pack(tensor: Tensor) -> Tensor:
            return tensor.clone() if pin_memory else tensor

        super().__init__(pack, lambda packed: packed)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """While it is entered, hooks of saved tensors are an error with that message."""
    before, _thread.refused = _thread.refused, error_message
    try:
        _thread.check()
        yield
    finally:
        _thread.refused = before


class _Several:
    """The handles of all hooks that belong together."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self._handles = tuple(handles)

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes: a node, and as which of its results. It stands for the tensor in `grad`."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor goes. It keeps the graph, and not the tensor."""
    edge = tensor._gradient_edge()
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*edge)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Says of tensors that they were written to, in a way that the engine does not see."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        each._bump_version()


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """While it is entered, what is saved is copied, so that it may be written to before the way back."""

    def __init__(self) -> None:
        super().__init__(Tensor.clone, lambda packed: packed)


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: Literal["all", "any"] = "all"
) -> _Several:
    """Calls `fn(grads)` when all gradients that a run makes for `tensors` are there, or `fn(grad)` with the first."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = threading.Lock()
    if mode == "any":
        # Runs that interleave on several threads, or nest: each is forgotten at its end.
        done: set[int] = set()

        def first(grad: Tensor) -> None:
            run = _current_graph_task_id()
            with lock:
                if run in done:
                    return
                done.add(run)
            _queue_callback(partial(done.discard, run))
            fn(grad)

        return _Several([tensor.register_hook(first) for tensor in tensors])

    count: dict[int, int] = {}
    grads: dict[int, list[Tensor | None]] = {}
    expected: dict[int, int] = {}
    nodes = [get_gradient_edge(tensor).node for tensor in tensors]

    def one(place: int, grad: Tensor) -> None:
        run = _current_graph_task_id()
        with lock:
            if run not in grads:
                grads[run] = [None] * len(tensors)
                count[run] = 0
                expected[run] = sum(map(_will_engine_execute_node, nodes))
            grads[run][place] = grad
            count[run] += 1
            if count[run] < expected[run]:
                return
            del count[run], expected[run]
            found = grads.pop(run)
        fn(found)

    places = range(len(tensors))
    return _Several([tensors[place].register_hook(partial(one, place)) for place in places])
