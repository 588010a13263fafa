"""Running backwards: what is computed, in what order, and what hooks see of it."""

import gc
import subprocess
import sys
import warnings

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd
from pairbond_autograd.autograd import Function


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_grad():
    x, y = leaf(2.0), leaf(3.0)
    out = x * x * y
    assert [it.item() for it in autograd.grad(out, [x, y], retain_graph=True)] == [12, 4]
    assert autograd.grad(out, x, torch.tensor([10.0], dtype=torch.float64))[0].item() == 120
    assert x.grad is None
    unused = leaf(1.0)
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        autograd.grad(x * 1, [x, unused])
    assert autograd.grad(x * 1, [x, unused], allow_unused=True)[1] is None
    assert autograd.grad(x * 1, [x, unused], materialize_grads=True)[1].item() == 0
    with pytest.raises(RuntimeError, match="does not require grad"):
        autograd.grad(x * 1, x.detach())
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        autograd.grad([x * 1, y * 1], x, [None])


def test_grad_of_what_is_no_leaf_and_runs_only_what_leads_there():
    ran = []

    class Seen(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ran.append(True)
            return grad

    x = leaf(2.0)
    middle = Seen.apply(x) * 3
    out = middle * middle
    assert autograd.grad(out, middle, retain_graph=True)[0].item() == 12
    assert not ran
    autograd.backward(out, inputs=[middle], retain_graph=True)
    assert (middle.grad.item(), x.grad, ran) == (12, None, [])
    out.backward(inputs=[x])
    assert (x.grad.item(), ran) == (36, [True])
    with pytest.raises(RuntimeError, match="cannot be empty"):
        autograd.backward(out, inputs=[])


def test_several_roots():
    x = leaf(2.0)
    y = x * 3
    autograd.backward([y, y * y], [torch.tensor([1.0], dtype=torch.float64), None])
    assert x.grad.item() == 3 + 36


def test_the_last_made_runs_first():
    order = []

    def named(name, x):
        y = x * 1
        y.grad_fn.register_prehook(lambda grads: order.append(name))
        return y

    x = leaf(1.0)
    a = named("a", x)
    b = named("b", x)
    c = named("c", a)
    (b + c).backward()
    assert order == ["c", "b", "a"]


def test_a_second_run():
    x = leaf(2.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12


def test_anomaly_mode_shows_where_it_came_from():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    def here(x):
        return Fails.apply(x)

    with autograd.detect_anomaly():
        y = here(leaf(1.0))
        fails = pytest.raises(ValueError, match="no")
        with (
            pytest.warns(UserWarning, match="Error detected in FailsBackward. Traceback of forward call") as told,
            fails,
        ):
            y.backward()
        assert "return Fails.apply(x)" in str(told[0].message)
        y = leaf(float("inf")) * 0.0
        with (
            pytest.warns(UserWarning, match="MulBackward0"),
            pytest.raises(RuntimeError, match="returned nan values in its 1th"),
        ):
            (y * leaf(1.0)).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="no"):
            here(leaf(1.0)).backward()


def test_writing_to_what_is_needed():
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y * y
    y.add_(1.0)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation: .*MulBackward0.*version 1; expected version 0.*add_"
    ):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.add_(1.0)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x.select(0, 0).add_(1.0)
    with torch.no_grad():
        x.add_(1.0)
    assert (x.tolist(), x._version) == ([2, 3], 1)


def test_writing_has_a_derivative():
    x, w = leaf(1.0, 2.0), leaf(3.0)
    y = x * 1
    y.mul_(w)
    y.add_(x)
    assert y.tolist() == [4, 8]
    y.sum().backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([4, 4], [3])


def test_writing_to_a_view():
    x, w = leaf(1.0, 2.0), leaf(5.0)
    base = x * 2
    other = base.select(0, 1)
    view = base.select(0, 0)
    view.mul_(w.select(0, 0))
    assert base.tolist() == [10, 4]
    assert base.grad_fn.name() == "CopySlices"
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert view.grad_fn is view.grad_fn
    (base.sum() + view + other).backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([20, 4], [4])


def test_writing_to_a_view_twice_differentiable():
    x = leaf(2.0, 3.0)
    base = x * x
    base.select(0, 0).mul_(x.select(0, 1))
    (first,) = autograd.grad(base.sum(), x, create_graph=True)
    assert first.tolist() == [12, 10]
    (second,) = autograd.grad(first.sum(), x)
    assert second.tolist() == [10, 6]


def test_a_base_that_is_written_to_makes_its_views_anew():
    x = leaf(1.0, 2.0)
    base = torch.tensor([5.0, 6.0], dtype=torch.float64)
    view = base.select(0, 0)
    assert not view.requires_grad
    base.mul_(x)
    assert view.requires_grad
    view.backward()
    assert x.grad.tolist() == [5, 0]


def test_a_node_that_is_called_with_what_is_no_gradient_of_it():
    node = (torch.ones(2, requires_grad=True) * torch.ones(2)).grad_fn
    assert node(None) == (None, None)
    assert node() == (None, None)
    with pytest.raises(RuntimeError, match="is called with its gradient"):
        node(None, torch.ones(2))
    stretched = (torch.ones(2, requires_grad=True) + torch.ones(3, 2)).grad_fn
    with pytest.raises(RuntimeError, match=r"shape \[\] is not of what was stretched from shape \[2\]"):
        stretched(torch.tensor(1.0))


def test_detach():
    x = leaf(1.0)
    y = x * 2
    z = y.detach()
    assert (z.is_leaf, z._base) == (True, None)
    z.add_(1.0)
    assert y.item() == 3
    assert y.detach_() is y
    assert (y.is_leaf, y.requires_grad) == (True, False)
    with pytest.raises(RuntimeError, match="Can't detach views"):
        (x * 1).select(0, 0).detach_()
    with pytest.raises(RuntimeError, match="requires_grad flags of leaf"):
        (x * 1).requires_grad_(False)


def test_collecting_in_the_middle():
    class Collects(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.self = ctx
            ctx.save_for_backward(x)
            gc.collect()
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            gc.collect()
            assert ctx.self is ctx
            return grad * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    y = Collects.apply(x)
    y.register_hook(lambda grad, y=y: (gc.collect(), None)[1])
    y = Collects.apply(y)
    gc.collect()
    y.backward()
    assert x.grad.item() == 2 * 6 * 2 * 3


@pytest.mark.parametrize("stack", [256 << 10, 1 << 20, 8 << 20])
def test_a_run_within_a_run_within_a_run(stack):
    """However often it is done, the process lives."""
    code = f"""
import sys, threading
import pairbond_autograd as torch

def work():
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    runs = [0]

    def hook(grad):
        runs[0] += 1
        y.backward(retain_graph=True)

    handle = y.register_hook(hook)
    for limit in (1000, 100_000):
        sys.setrecursionlimit(limit)
        try:
            y.backward(retain_graph=True)
        except RecursionError:
            print("RecursionError")
    assert runs[0] > 4
    handle.remove()
    x.grad = None
    y.backward()
    assert x.grad.tolist() == [2, 2]

threading.stack_size({stack})
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "RecursionError\nRecursionError\n", "")


def test_gradients_have_the_dtype_of_what_they_are_of():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    double = torch.ones(2, dtype=torch.float64)
    (x * 2).backward(double)
    assert x.grad.dtype == torch.float32
    (grad,) = torch.autograd.grad(x * 2, x, double)
    assert grad.dtype == torch.float32


def test_an_input_that_is_given_twice_counts_once():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward(inputs=[x, x])
    assert x.grad.tolist() == [2, 2]
    (x * 2).sum().backward(inputs=x)
    assert x.grad.tolist() == [4, 4]
    autograd.backward((x * 2).sum(), inputs=x)
    assert x.grad.tolist() == [6, 6]
    with pytest.raises(TypeError, match="a sequence of Tensors"):
        x.sum().backward(inputs=3)
    assert [it.tolist() for it in torch.autograd.grad((x * 2).sum(), [x, x])] == [[2, 2], [2, 2]]


def test_a_retained_gradient_is_that_of_what_it_is_now():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    assert y.retains_grad
    y.sum().backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([1, 1, 1], [6, 6, 6])
    z = x * 2
    z.retain_grad()
    z[:2].mul_(3)
    z[0] = 7
    z.sum().backward()
    assert z.grad.tolist() == [1, 1, 1]


def test_nothing_is_its_own_gradient():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x


def test_generators_are_run_in_the_mode():
    x = torch.ones(2, requires_grad=True)
    seen = []

    @torch.no_grad()
    def steps():
        try:
            got = yield (x * 2).requires_grad
            seen.append((got, torch.is_grad_enabled()))
            yield (x * 2).requires_grad
        except ValueError:
            seen.append(torch.is_grad_enabled())
            yield 3
        finally:
            seen.append(torch.is_grad_enabled())
        return "end"

    it = steps()
    assert next(it) is False
    assert torch.is_grad_enabled()
    assert it.send("sent") is False
    assert it.throw(ValueError()) == 3
    assert torch.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(it)
    assert end.value.value == "end"
    it = steps()
    next(it)
    it.close()
    assert seen == [("sent", False), False, False, False]
    assert list(torch.no_grad()(lambda: [(x * 2).requires_grad])()) == [False]


def test_a_leaf_that_requires_no_gradient_any_more_gets_none():
    x = torch.tensor([2.0], requires_grad=True)
    calls = []
    x.register_post_accumulate_grad_hook(calls.append)
    y = x * 3
    x.requires_grad_(False)
    y.backward()
    assert x.grad is None
    assert calls == []


def test_gradients_of_inputs_run_their_nodes():
    """So that hooks of these are called; the inputs retain their gradients."""
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 2
    calls = []
    y.grad_fn.register_prehook(lambda grads: calls.append("before"))
    y.grad_fn.register_hook(lambda made, grads: calls.append("after"))
    y.register_hook(lambda grad: calls.append("tensor"))
    (y * y).sum().backward(inputs=[y], retain_graph=True)
    assert calls == ["tensor", "before", "after"]
    assert y.grad.tolist() == [8, 12]
    assert y.retains_grad
    assert x.grad is None
    (y * y).sum().backward(inputs=[y, x, y])
    assert y.grad.tolist() == [16, 24]
    assert x.grad.tolist() == [16, 24]


def test_inputs_may_be_edges():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 2
    edge, of_result = autograd.graph.get_gradient_edge(x), autograd.graph.get_gradient_edge(y)
    for inputs in (edge, (edge,), [x, edge]):
        x.grad = None
        (y * y).sum().backward(inputs=inputs, retain_graph=True)
        assert x.grad.tolist() == [16, 24]
        x.grad = None
        autograd.backward((y * y).sum(), inputs=inputs, retain_graph=True)
        assert x.grad.tolist() == [16, 24]
    x.grad = None
    (y * y).sum().backward(inputs=of_result)
    assert x.grad is None
    assert not y.retains_grad


def test_gradients_that_are_made_of_nothing():
    x, y = torch.ones(2, requires_grad=True), torch.tensor([float("inf"), 1.0], requires_grad=True)
    for create in (False, True):
        (zeros,) = autograd.grad((x * x).sum(), y, create_graph=create, materialize_grads=True)
        assert zeros.tolist() == [0, 0]
        assert zeros.requires_grad is create


def test_a_gradient_with_a_history_is_a_tensor_of_its_own():
    x, given = torch.ones(2, requires_grad=True), torch.ones(2)
    x.view(2).backward(given, create_graph=True)
    x.grad.zero_()
    assert given.tolist() == [1, 1]


def test_a_gradient_can_be_deleted():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    assert x.grad is None
    del x.grad
    x.mark = 3
    del x.mark
    assert not hasattr(x, "mark")
    with pytest.raises(AttributeError):
        del x.shape
