"""One self each: what is asked for twice is the same object, with all that Python has attached to it."""

import gc
import weakref

import pairbond_autograd as torch
import pytest
from autograd_sentinels import Keep, leaf


class Named(torch.Tensor):
    """A subclass, whose instances remain of it."""


def made():
    x = Named([1.0, 2.0], requires_grad=True)
    y = Keep.apply(x)
    z = (y * x).sum()
    return x, y, z


def ran():
    x, y, z = made()
    y.retain_grad()
    z.backward(retain_graph=True)
    return x, y, z


WHAT = {
    "grad_fn": lambda x, y, z: y.grad_fn,
    "grad_fn of a built-in operation": lambda x, y, z: z.grad_fn,
    "next node": lambda x, y, z: z.grad_fn.next_functions[0][0],
    "accumulating node": lambda x, y, z: y.grad_fn.next_functions[0][0],
    "variable": lambda x, y, z: y.grad_fn.next_functions[0][0].variable,
    "saved tensor": lambda x, y, z: y.grad_fn.saved_tensors[0],
    "storage": lambda x, y, z: x.untyped_storage(),
    "base of a view of a view": lambda x, y, z: y[0:1][0]._base,
    "metadata": lambda x, y, z: y.grad_fn.metadata,
}
AFTER = {"grad": lambda x, y, z: x.grad, "retained grad": lambda x, y, z: y.grad}


@pytest.mark.parametrize("get", [*WHAT.values(), *AFTER.values()], ids=[*WHAT, *AFTER])
def test_it_is_the_same_after_backward(get):
    all_of = ran()
    assert get(*all_of) is get(*all_of)


@pytest.mark.parametrize("get", WHAT.values(), ids=WHAT)
def test_it_is_the_same(get):
    all_of = made()
    assert get(*all_of) is get(*all_of)


def test_the_input_itself_is_saved_and_the_base_is_the_tensor():
    x, y, z = made()
    assert y.grad_fn.saved_tensors[0] is x
    assert y.grad_fn.next_functions[0][0].variable is x
    steps = z.grad_fn
    # With results of a subclass, which are views of what operations made.
    while steps is not y.grad_fn:
        steps = steps.next_functions[0][0]
    assert y[0]._base is y
    assert y[0].untyped_storage() is y.untyped_storage()
    g = torch.tensor([1.0, 1.0])
    x.grad = g
    assert x.grad is g


KEPT = {name: it for name, it in {**WHAT, **AFTER}.items() if name != "metadata"}


@pytest.mark.parametrize("get", KEPT.values(), ids=KEPT)
def test_attributes_and_weak_references_survive_when_python_lets_go(get):
    all_of = ran()
    it = get(*all_of)
    it.note, where, kind, ref = ["kept"], id(it), type(it), weakref.ref(it)
    del it
    gc.collect()
    all_of[2].backward(retain_graph=True)
    gc.collect()
    if get is AFTER["grad"] or get is AFTER["retained grad"]:
        return  # what was added up is another tensor
    again = get(*all_of)
    assert (again.note, id(again), type(again)) == (["kept"], where, kind)
    assert ref() is again


def test_a_leaf_of_a_subclass_that_only_the_graph_has():
    x, y, z = made()
    x.note, ref = "kept", weakref.ref(x)
    del x
    gc.collect()
    x = y.grad_fn.saved_tensors[0]
    assert (type(x), x.note, ref()) == (Named, "kept", x)
    z.backward()
    grad, grad_ref = id(x.grad), weakref.ref(x.grad)
    del x
    gc.collect()
    assert id(ref().grad) == grad
    assert grad_ref() is ref().grad


def test_each_apply_has_a_context_of_its_own_that_outlives_its_result():
    x = leaf()
    one, other = Keep.apply(x).grad_fn, Keep.apply(x).grad_fn
    assert one is not other
    assert one.saved_tensors[0] is other.saved_tensors[0] is x
    assert one.name() == "KeepBackward"
