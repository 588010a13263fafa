"""Tensors, a few operations and their derivatives."""

import gc
import pickle
import pydoc
import weakref

import pairbond_autograd as torch
import pytest


def test_numbers_go_in_and_come_out():
    t = torch.tensor([[1, 2, 3], [4, 5, 6]])
    assert (t.shape, t.dtype, t.tolist()) == ((2, 3), torch.int64, [[1, 2, 3], [4, 5, 6]])
    assert torch.tensor(2.5).item() == 2.5
    assert torch.tensor([True, False]).dtype is torch.bool
    assert torch.tensor([1, 2.5]).dtype is torch.float32
    assert torch.tensor([1], dtype=torch.float64).tolist() == [1.0]
    assert torch.tensor([]).shape == (0,)
    with pytest.raises(ValueError, match="same length"):
        torch.tensor([[1, 2], [3]])


def test_classes_of_the_tape_are_found_where_they_say():
    """So that pickle, help() and others find them: in the library of the process that was imported first."""
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    accumulates = type(y.grad_fn.next_functions[0][0])
    for cls in (type(y.grad_fn), accumulates, torch.autograd.function.FunctionCtx, type(x.register_hook(print))):
        assert cls.__module__.startswith(("pairbond_autograd", "_tape_numpy"))
        assert pickle.loads(pickle.dumps(cls)) is cls
        assert cls.__name__ in pydoc.render_doc(cls)
    assert all(cls.__module__ != "pairbond_tape" for cls in torch.Tensor.__mro__)


def test_repr():
    x = torch.tensor([[1.0, 2.5], [-3.0, 4.0]], requires_grad=True)
    assert repr(x) == "tensor([[ 1.0000,  2.5000],\n        [-3.0000,  4.0000]], requires_grad=True)"
    assert repr(torch.tensor(1)) == "tensor(1)"
    assert repr(x.sum()) == "tensor(4.5000, grad_fn=<SumBackward0>)"


def test_derivatives():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)
    (x * y + x * 2 - y).sum().backward()
    assert x.grad.tolist() == [6, 7, 8]
    assert y.grad.tolist() == [0, 1, 2]


def test_gradients_add_up_in_the_same_tensor():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    first = x.grad
    (x * 4).sum().backward()
    assert x.grad is first
    assert first.tolist() == [7, 7]


def test_leaves_do_not_share_a_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    (x + y).backward(torch.tensor([1.0, 1.0]))
    (x * 1).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2, 2], [1, 1])


def test_stretching():
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    y = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
    out = x * y
    assert out.tolist() == [[10, 20, 30], [20, 40, 60]]
    out.sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([[60], [60]], [3, 3, 3])
    with pytest.raises(RuntimeError, match=r"size of tensor a \(2\) must match the size of tensor b \(3\)"):
        torch.tensor([1.0, 2.0]) + torch.tensor([1.0, 2.0, 3.0])


def test_matmul():
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = torch.tensor([[5.0], [6.0]], requires_grad=True)
    out = a @ b
    assert out.tolist() == [[17], [39]]
    out.sum().backward()
    assert a.grad.tolist() == [[5, 6], [5, 6]]
    assert b.grad.tolist() == [[4], [6]]
    assert (a.transpose(0, 1) @ b).tolist() == [[23], [34]]


def test_derivatives_of_derivatives():
    x = torch.tensor([3.0], requires_grad=True)
    (x * x * x).backward(create_graph=True)
    assert x.grad.tolist() == [27]
    first = x.grad
    x.grad = None
    first.backward()
    assert x.grad.tolist() == [18]


def test_a_diamond_runs_each_node_once():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    (y * y + y).backward()
    assert x.grad.item() == 4 * 8 + 4


def test_a_subclass_keeps_itself():
    class Named(torch.Tensor):
        pass

    t = Named([1.0, 2.0], requires_grad=True)
    t.name = "weights"
    gone = weakref.ref(t)
    y = t * 2
    # A result of a subclass is a view of the tensor that the operation made.
    node = y.grad_fn.next_functions[0][0].next_functions[0][0]
    del t, y
    gc.collect()
    assert type(node.variable) is Named
    assert node.variable.name == "weights"
    del node
    assert gone() is None


def test_identity():
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    y.grad_fn.note = "kept"
    assert y.grad_fn is y.grad_fn
    assert y.grad_fn.note == "kept"
    assert y.grad_fn.name() == "MulBackward0"
    assert y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[0][0]
    assert y.grad_fn.next_functions[0][0].variable is x
    y.backward()
    assert x.grad is x.grad


def test_a_second_time():
    x = torch.tensor([1.0], requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_what_cannot_run():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.tensor([1.0]).backward()
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="floating point"):
        torch.tensor([1], requires_grad=True)


def test_modes():
    x = torch.tensor([1.0], requires_grad=True)
    with torch.no_grad():
        assert not torch.is_grad_enabled()
        assert (x * 2).is_leaf
        with torch.enable_grad():
            assert (x * 2).requires_grad
    assert torch.is_grad_enabled()

    @torch.no_grad()
    def quiet():
        return x * 2

    assert not quiet().requires_grad
    assert torch.no_grad(lambda: x * 2)().is_leaf
    with torch.set_grad_enabled(False):
        assert (x * 2).is_leaf
    assert torch.is_grad_enabled()


def test_what_has_no_cycle_goes_at_once():
    x = torch.tensor([1.0], requires_grad=True)
    y = x * x
    node = y.grad_fn
    gone = [weakref.ref(it) for it in (x, y, node, node.next_functions[0][0])]
    gc.disable()
    try:
        del x, y, node
        assert [it() for it in gone] == [None] * 4
    finally:
        gc.enable()


def test_a_saved_result_makes_no_cycle():
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    y = x.exp()
    gone = weakref.ref(y)
    y.backward(create_graph=True)
    first, x.grad = x.grad, None
    first.backward()
    assert x.grad.item() == y.item()
    gc.disable()
    try:
        del y
        assert gone() is None
    finally:
        gc.enable()
