"""Every cycle is collected; what has none goes at once; and nothing alive is ever cleared."""

import gc
import weakref

import autograd_sentinels as sentinels
import pairbond_autograd as torch
import pytest
from autograd_hook_cycles import CYCLES
from autograd_sentinels import Keep, Sentinel, leaf
from pairbond_autograd.autograd import graph

RUNS = {"never run": (), "run": (False,), "run twice": (True, False), "run and kept": (True,)}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("make", CYCLES.values(), ids=CYCLES)
def test_each_cycle_is_collected(make, run):
    gc.collect()
    gc.disable()
    try:
        seen = sentinels.death_of(make, run)
        gc.collect()
        assert seen() is None
    finally:
        gc.enable()


def test_these_are_cycles():
    """Were they none, the test above would say nothing. After a run some are no more."""
    gc.disable()
    try:
        alive = [name for name, make in CYCLES.items() if sentinels.death_of(make, ())() is None]
    finally:
        gc.enable()
    gc.collect()
    assert alive == []


@pytest.mark.parametrize("make", CYCLES.values(), ids=CYCLES)
def test_after_an_exception_in_backward(make):
    def fail():
        s = Sentinel()
        y = make(s)
        y = sentinels.Fails.apply(leaf() if y is None else y)
        y.grad_fn.y, y.s = y, s
        with pytest.raises(ArithmeticError):
            y.sum().backward()
        return weakref.ref(s)

    gc.collect()
    seen = fail()
    gc.collect()
    assert seen() is None


ACYCLIC = {
    "operations": lambda x: (x * x).exp() + x.sum(),
    "custom": Keep.apply,
    "both": lambda x: Keep.apply(x * 2) * x,
    "two": lambda x: sentinels.Two.apply(x)[0],
    "view": lambda x: (x * 2).select(0, 1),
    "written to": lambda x: (x * 2).mul_(3.0),
    "view written to": lambda x: (x * 2).select(0, 1).mul_(x.select(0, 0)),
}


@pytest.mark.parametrize("run", [(), (False,), (True, False)], ids=["never run", "run", "run twice"])
@pytest.mark.parametrize("make", ACYCLIC.values(), ids=ACYCLIC)
def test_what_has_no_cycle_goes_at_once(make, run):
    def each():
        x = leaf()
        y = make(x)
        found = [x, y, y.grad_fn, y.grad_fn.next_functions[0][0], x.untyped_storage()]
        y.grad_fn.s = found[-1].s = Sentinel()
        y.register_hook(lambda grad, held=found[-1].s: None)
        for keep in run:
            y.sum().backward(retain_graph=keep)
        return [weakref.ref(it) for it in (*found, found[-1].s)]

    gc.collect()
    gc.disable()
    try:
        assert [it() for it in each()] == [None] * 6
    finally:
        gc.enable()


def test_what_is_needed_is_not_cleared():
    x = leaf()
    y = Keep.apply(x)
    y.grad_fn.y = y
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    z = Keep.apply(y)
    z.grad_fn.z = z
    del y
    x.z = z
    gone = weakref.ref(z)
    del z
    for _ in range(3):
        gc.collect()
    assert gone() is x.z
    x.z.sum().backward()
    assert (seen, x.grad.tolist()) == ([[2, 2]], [4, 4])


def test_collecting_at_each_step():
    """Everything that a pending run needs is only in cycles, or only in the graph, and each step collects."""
    seen = []

    def note(what):
        gc.collect()
        seen.append(what)

    def pack(tensor):
        note("pack")
        return [tensor]

    def unpack(packed):
        note("unpack")
        return packed[0]

    x = leaf()
    with graph.saved_tensors_hooks(pack, unpack):
        y = Keep.apply(x * x)
    y.grad_fn.y = y
    y.register_hook(lambda grad, y=y: note("tensor hook"))
    y.grad_fn.register_prehook(lambda grads, y=y: note("prehook"))
    y.grad_fn.register_hook(lambda grads, outs, y=y: note("node hook"))
    x.register_post_accumulate_grad_hook(lambda x: note("accumulated"))
    graph.register_multi_grad_hook([x, y], lambda grads, y=y: note("several"))
    loss = y.sum()
    del y
    note("before")
    loss.backward()
    assert x.grad.tolist() == [4, 8]
    assert {*seen} == {"pack", "unpack", "before", "tensor hook", "prehook", "node hook", "accumulated", "several"}


def test_collecting_in_a_finalizer():
    x = leaf()
    results = []

    class Last:
        def __init__(self, tensor):
            self.tensor = tensor

        def __del__(self):
            gc.collect()
            self.tensor.sum().backward()
            results.append(x.grad.tolist())

    y = Keep.apply(x * x)
    y.grad_fn.last, y.grad_fn.y = Last(Keep.apply(x)), y
    del y
    gc.collect()
    assert results == [[2, 2]]


def test_a_weak_reference_to_a_context():
    y = Keep.apply(leaf())
    ctx = weakref.ref(y.grad_fn)
    y.grad_fn.tag = "kept"
    gc.collect()
    assert ctx() is y.grad_fn
    assert ctx().tag == "kept"
    del y
    assert ctx() is None


def test_nothing_of_a_tensor_is_lost_when_only_the_graph_has_it():
    class Named(torch.Tensor):
        pass

    x = Named([1.0], requires_grad=True)
    x.tag, where = "kept", id(x)
    y = x * x
    ref = weakref.ref(x)
    del x
    gc.collect()
    # A result of a subclass is a view of what the operation made.
    variable = y.grad_fn.next_functions[0][0].next_functions[0][0].variable
    assert (type(variable), variable.tag, id(variable), ref()) == (Named, "kept", where, variable)
    y.backward()
    assert variable.grad.item() == 2
