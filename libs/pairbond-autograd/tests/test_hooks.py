"""Hooks of tensors, nodes and what is saved: what they see, in what order, and what becomes of what they return."""

import gc
import math
import threading
import weakref

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd
from pairbond_autograd.autograd import graph


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_tensor_hooks():
    x = leaf(1.0)
    y = x * 2
    seen = []
    y.register_hook(lambda grad: seen.append(("y", grad.item())))
    y.register_hook(lambda grad: grad * 10)
    handle = x.register_hook(lambda grad: seen.append(("x", grad.item())))
    out = y * 3
    out.backward(retain_graph=True)
    assert seen == [("y", 3), ("x", 60)]
    assert x.grad.item() == 60
    handle.remove()
    handle.remove()
    seen.clear()
    with x.register_hook(lambda grad: grad * 0):
        out.backward(retain_graph=True)
    assert (seen, x.grad.item()) == ([("y", 3)], 60)
    assert autograd.grad(out, y)[0].item() == 30
    z = x * 1
    z.register_hook(lambda grad: leaf(1.0, 2.0))
    with pytest.raises(RuntimeError, match="changed the size"):
        z.backward()
    z = x * 1
    z.register_hook(lambda grad: 3)
    with pytest.raises(TypeError, match="expected Variable: a hook returns"):
        z.backward()


def test_the_order_of_hooks():
    """Of each kind in the order in which they came; on the way tensor, before, after, then what is accumulated."""
    x = leaf(1.0)
    y = x * 2
    order = []
    for place in range(2):
        y.grad_fn.register_hook(lambda a, b, place=place: order.append(("after", place)))
        y.grad_fn.register_prehook(lambda a, place=place: order.append(("before", place)))
        y.register_hook(lambda grad, place=place: order.append(("tensor", place)))
        x.register_post_accumulate_grad_hook(lambda it, place=place: order.append(("accumulated", place)))
        x.register_hook(lambda grad, place=place: order.append(("leaf", place)))
    y.backward()
    assert order == [(kind, n) for kind in ("tensor", "before", "after", "leaf", "accumulated") for n in range(2)]


def test_a_hook_works_after_its_tensor():
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda grad: grad * 5)
    out = y * 1
    del y
    out.backward()
    assert x.grad.item() == 10


def test_node_hooks():
    x = leaf(2.0)
    y = x * x
    seen = []

    def after(grad_inputs, grad_outputs):
        seen.append(([it.item() for it in grad_inputs], [it.item() for it in grad_outputs]))
        return grad_inputs[0] * 100, None

    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    handle = y.grad_fn.register_hook(after)
    y.backward(retain_graph=True)
    assert (seen, x.grad.item()) == ([([4, 4], [2])], 400)
    handle.remove()
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (None,))
    with pytest.raises(RuntimeError, match=r"incorrect number of values \(got 1, but expected 2\)"):
        y.backward()


def test_accumulated_grad_hooks():
    x = leaf(2.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda it: seen.append((it is x, it.grad.item())))
    (x * 3).backward()
    assert seen == [(True, 3)]
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 1).register_post_accumulate_grad_hook(print)


def test_multi_grad_hooks():
    x, y = leaf(2.0), leaf(3.0)
    z = x * y
    seen = []
    with graph.register_multi_grad_hook([x, y, z], lambda grads: seen.append([it and it.item() for it in grads])):
        z.backward(retain_graph=True)
        assert seen.pop() == [3, 2, 1]
        z.backward(inputs=[x], retain_graph=True)
        assert seen.pop() == [3, None, 1]
    z.backward(retain_graph=True)
    assert not seen
    with graph.register_multi_grad_hook([x, y], lambda grad: seen.append(grad.item()), mode="any"):
        z.backward()
    assert len(seen) == 1


def test_retain_grad():
    x = leaf(2.0)
    y = x * 3
    y.retain_grad()
    y.retain_grad()
    assert (y.retains_grad, x.retains_grad) == (True, False)
    y.register_hook(lambda grad: grad * 2)
    (y * 1).backward()
    assert (y.grad.item(), x.grad.item()) == (2, 6)
    with pytest.raises(RuntimeError, match="requires_grad=False"):
        x.detach().retain_grad()


def test_saved_tensor_hooks():
    x = leaf(2.0)
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor.item()

    with graph.saved_tensors_hooks(pack, lambda value: torch.tensor([value * 10], dtype=torch.float64)):
        y = x * x
    z = x * x
    assert [it is x for it in packed] == [True, True]
    packed.clear()
    y.backward()
    assert x.grad.item() == 40
    x.grad = None
    z.backward()
    assert x.grad.item() == 4
    x.grad = None
    with graph.saved_tensors_hooks(lambda it: it, lambda it: it):
        y = x * x * x
    (first,) = autograd.grad(y, x, create_graph=True)
    assert autograd.grad(first, x)[0].item() == 12
    with graph.saved_tensors_hooks(lambda it: it, lambda it: 3):
        y = x * x
    with pytest.raises(TypeError, match="expected to be a Tensor"):
        y.backward()


def test_hooks_of_what_is_saved_can_be_forbidden():
    x = leaf(2.0)
    with graph.disable_saved_tensors_hooks("not here"):
        assert (x * x).grad_fn is not None
        for hooks in (graph.saved_tensors_hooks(lambda it: it, lambda it: it), graph.save_on_cpu()):
            with pytest.raises(RuntimeError, match="not here"), hooks:
                pass
        with graph.disable_saved_tensors_hooks("nor there"), pytest.raises(RuntimeError, match="nor there"):
            graph.save_on_cpu().__enter__()
        with pytest.raises(RuntimeError, match="not here"):
            graph.save_on_cpu().__enter__()
    with graph.save_on_cpu(), pytest.raises(RuntimeError, match="too late"):
        graph.disable_saved_tensors_hooks("too late").__enter__()
    # Nothing of all that is in force any more.
    with graph.save_on_cpu():
        assert (x * x).requires_grad


@pytest.mark.parametrize("pin", [False, True])
def test_what_is_saved_on_the_processor(pin):
    x = leaf(2.0, 3.0)
    middle = x * 1
    with graph.save_on_cpu(pin_memory=pin):
        y = middle * middle
    if pin:  # it is a copy
        middle.detach().zero_()
    y.sum().backward()
    assert x.grad.tolist() == [4, 6]


def test_callbacks_at_the_end_of_a_run():
    queue, order = autograd.Variable._execution_engine.queue_callback, []

    def last():
        order.append("last")

    def hook(grad):
        queue(lambda: (order.append("queued"), queue(last)))
        order.append("hook")

    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda it: order.append("accumulated"))
    y = x * 1
    y.register_hook(hook)
    y.backward()
    assert order == ["hook", "accumulated", "queued", "last"]
    with pytest.raises(RuntimeError, match="only be installed during backward"):
        queue(last)


def test_callbacks_belong_to_the_innermost_run_and_go_with_one_that_fails():
    queue, order = autograd.Variable._execution_engine.queue_callback, []

    def inner(grad):
        queue(lambda: order.append("outer done"))
        with torch.enable_grad():
            y = leaf(1.0) * 2
        y.register_hook(lambda grad: queue(lambda: order.append("inner done")))
        y.backward()
        order.append("after inner")

    y = leaf(1.0) * 1
    y.register_hook(inner)
    y.backward()
    assert order == ["inner done", "after inner", "outer done"]

    def fails(grad):
        queue(lambda: order.append("never"))
        raise ArithmeticError

    y = leaf(1.0) * 1
    y.register_hook(fails)
    with pytest.raises(ArithmeticError):
        y.backward()
    y = leaf(1.0) * 1
    y.register_hook(lambda grad: queue(lambda: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert order[-1] == "outer done"


def test_pack_hooks_get_the_tensor_itself():
    x = leaf(2.0)
    packed = []
    with graph.saved_tensors_hooks(lambda it: packed.append((it, it.grad_fn)) or it, lambda it: it):
        constant = x.detach()
        y = (x * constant).exp()
    assert [it is constant or it is y for it, _ in packed] == [True, True]
    assert packed[1][1] is y.grad_fn
    packed.clear()
    # A result that the hook returns as it is does not keep its node alive.
    weak = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert weak() is None
    finally:
        gc.enable()


def test_results_that_pass_through_hooks_have_derivatives_of_any_order():
    x = leaf(0.5)
    with graph.saved_tensors_hooks(lambda it: it, lambda it: it):
        y = x.exp()
        z = (x * 1).view(-1).exp_()
    for out in (y, z):
        (grad,) = autograd.grad(out.sum(), x, create_graph=True)
        assert autograd.grad(grad, x)[0].item() == pytest.approx(math.exp(0.5))


@pytest.mark.parametrize("compute", [lambda x: x * x, lambda x: x.exp(), lambda x: x * x.detach()])
def test_a_pack_hook_does_not_write_to_what_it_gets(compute):
    x = leaf(2.0)
    y = x * 1
    refused = pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place")
    with graph.saved_tensors_hooks(lambda it: it.detach().add_(1), lambda it: it), refused:
        compute(y)
    assert y.grad_fn is not None


def test_the_first_gradient_of_each_run():
    """Also of runs that nest or interleave."""
    calls = []
    a, b = leaf(1.0), leaf(1.0)
    # In this order, so that a run comes to b, to the hooks in between, and to a.
    inner_a = a * 1
    middle, waiting = inner_a * 3, inner_a * 3
    inner_b = b * 1
    nested_out = inner_a * 5 + inner_b * 5
    handle = graph.register_multi_grad_hook([inner_a, inner_b], lambda grad: calls.append(grad.item()), mode="any")

    def nested(grad):
        autograd.grad(nested_out, [a, b], retain_graph=True)

    middle.register_hook(nested)
    (middle + inner_b * 2).sum().backward(retain_graph=True)
    assert sorted(calls) == [2, 5]
    calls.clear()
    ready, go = threading.Event(), threading.Event()

    def wait(grad):
        if threading.current_thread() is not threading.main_thread():
            ready.set()
            go.wait()

    waiting.register_hook(wait)
    out = waiting + inner_b * 2
    thread = threading.Thread(target=lambda: out.backward(retain_graph=True))
    thread.start()
    ready.wait()
    (inner_a * 7 + inner_b * 7).sum().backward(retain_graph=True)
    go.set()
    thread.join()
    assert sorted(calls) == [2, 7]
    handle.remove()


def test_hooks_that_are_entered_during_a_run_end_with_it():
    x = leaf(2.0)
    packed = []
    hooks = graph.saved_tensors_hooks(lambda it: packed.append(it) or it, lambda it: it)
    y = x * 1
    y.register_hook(lambda grad: hooks.__enter__())
    y.backward()
    _ = x * x
    assert packed == []
    with graph.disable_saved_tensors_hooks("none are in force"):
        pass
    with hooks:
        y = x * 1
        y.register_hook(lambda grad: graph.save_on_cpu().__enter__())
        y.backward()
        _ = x * x
    assert len(packed) == 2


@pytest.mark.parametrize("shape", [(2, 3), (1,), (2,)])
def test_hooks_of_nodes_keep_the_shape(shape):
    for register in ("register_prehook", "register_hook"):
        x = leaf(1.0, 2.0, 3.0)
        y = x.exp()
        getattr(y.grad_fn, register)(lambda *grads: (torch.ones(*shape, dtype=torch.float64),))
        with pytest.raises(RuntimeError, match="hook has changed the size of value"):
            y.sum().backward()
        assert x.grad is None


def test_what_an_unpack_hook_returns_is_summed_up_or_refused():
    def run(unpack):
        x = leaf(1.0, 2.0, 3.0)
        other = torch.tensor([2.0, 3.0, 4.0], dtype=torch.float64)
        with graph.saved_tensors_hooks(lambda it: it, unpack):
            y = x * other
        (y.sum() + x.sum()).backward()
        return x.grad.tolist()

    assert run(lambda it: it) == [3, 4, 5]
    assert run(lambda it: it.expand(2, 3)) == [5, 7, 9]
    x = torch.ones(1, 3, requires_grad=True)
    with graph.saved_tensors_hooks(lambda it: it, lambda it: it[:2]):
        y = x @ torch.ones(3, 2)
    with pytest.raises(
        RuntimeError, match=r"a gradient of shape \[1, 2\] is not of what was stretched from shape \[1, 3\]"
    ):
        y.sum().backward()
    assert x.grad is None


def test_hooks_after_accumulating_return_nothing():
    x = leaf(2.0)
    handle = x.register_post_accumulate_grad_hook(lambda it: it.grad * 2)
    with pytest.raises(RuntimeError, match="should return None"):
        (x * 1).backward()
    handle.remove()
    with x.register_post_accumulate_grad_hook(lambda it: 3), pytest.raises(TypeError, match="expected Variable"):
        (x * 1).backward()
    (x * 1).backward()
