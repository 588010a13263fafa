"""Running backwards: what is computed, in what order, and what hooks see of it."""

import gc
import warnings

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd
from pairbond_autograd.autograd import Function, graph


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
    with pytest.raises(TypeError, match="return None or a Tensor"):
        z.backward()


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
    assert [it.is_leaf and not it.requires_grad for it in packed] == [True, True]
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
