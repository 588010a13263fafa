"""Custom functions: what they do."""

import copy
import gc
import weakref

import pairbond_autograd as torch
import pytest
from pairbond_autograd.autograd import Function
from pairbond_autograd.autograd.function import once_differentiable


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.factor = 2
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_the_context_is_the_node():
    x = leaf(1.0, 2.0)
    y = Double.apply(x)
    ctx = y.grad_fn
    assert ctx is y.grad_fn
    assert (ctx.name(), type(ctx).__name__, ctx.factor) == ("DoubleBackward", "DoubleBackward", 2)
    assert ctx.saved_tensors[0] is x
    assert ctx.next_functions[0][0].variable is x
    assert ctx.needs_input_grad == (True,)
    assert Double.apply(x).grad_fn is not ctx
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="a second time"):
        ctx.saved_tensors
    del y, x
    assert (ctx.name(), ctx.factor) == ("DoubleBackward", 2)


def test_setup_context_and_derivatives_of_any_order():
    x = leaf(2.0)
    y = Cube.apply(x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    assert (y.item(), first.item(), second.item(), third.item()) == (8, 12, 12, 6)


def test_several_results_and_gradients_that_are_not_there():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, 7, x * 3

        @staticmethod
        def backward(ctx, *grads):
            seen.append([it if it is None else it.tolist() for it in grads])
            return grads[0] * 2, None

    x = leaf(1.0)
    a, number, b = Two.apply(x, True)
    assert (number, a.output_nr, b.output_nr) == (7, 0, 2)
    assert a.grad_fn is b.grad_fn
    a.backward()
    assert seen.pop() == [[1.0], None, [0.0]]
    Two.apply(x, False)[0].backward()
    assert seen.pop() == [[1.0], None, None]
    assert x.grad.tolist() == [4]


def test_backward_is_called_also_where_no_result_has_a_gradient():
    seen = []

    class Watched(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(grad.tolist())
            return grad

    class Ends(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return None

    x = leaf(1.0)
    Ends.apply(Watched.apply(x)).backward()
    assert seen == [[0.0]]
    assert x.grad.tolist() == [0.0]


def test_results_that_have_no_derivative():
    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            a, b = x * 2, x * 3
            ctx.mark_non_differentiable(b)
            return a, b

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b

    a, b = Both.apply(x := leaf(1.0))
    assert a.requires_grad
    assert b.is_leaf
    assert not b.requires_grad
    a.backward()
    assert x.grad.item() == 2


def test_writing_to_an_argument():
    class Negate(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(-1)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * -1

    x = leaf(1.0, 2.0)
    y = x * 1
    z = Negate.apply(y)
    assert z is y
    assert z.grad_fn.name() == "NegateBackward"
    z.sum().backward()
    assert x.grad.tolist() == [-1, -1]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Negate.apply(x)


def test_an_argument_that_is_returned():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    assert x.is_leaf
    y.backward()
    assert x.grad.item() == 5
    assert not Same.apply(x.detach()).requires_grad


def test_a_result_that_is_saved_is_found_again_while_it_lives():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

    x = leaf(0.5)
    y = Exp.apply(x)
    ctx = y.grad_fn
    assert ctx.saved_tensors[0] is y
    value = y.item()
    gone = weakref.ref(y)
    gc.disable()
    del y
    gc.enable()
    assert gone() is None
    again = ctx.saved_tensors[0]
    assert (again.item(), again.grad_fn) == (value, ctx)
    (first,) = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == value


def test_once_differentiable():
    recorded = []

    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            recorded.append(torch.is_grad_enabled())
            return grad * 2 * x

    x = leaf(3.0)
    Once.apply(x).backward()
    assert x.grad.item() == 6
    (first,) = torch.autograd.grad(Once.apply(x) * x, x, create_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        first.backward()
    assert recorded == [False, False]


def test_a_run_within_a_run():
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            with torch.enable_grad():
                (x,) = ctx.saved_tensors
                y = x.detach().requires_grad_()
                (y * y).backward()
            return grad * y.grad

    x = leaf(3.0)
    (Inner.apply(x) * 2).backward()
    assert x.grad.item() == 12


def test_views_that_a_function_writes_to():
    class Fill(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.copy_(9.0)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 0

    x = leaf(1.0, 2.0)
    base = x * 1
    Fill.apply(base.select(0, 0))
    assert base.tolist() == [9, 2]
    base.sum().backward()
    assert x.grad.tolist() == [0, 1]


def test_the_same_result_twice_is_one_tensor():
    """Its gradient is that of the last place."""

    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            out = x * 2
            ctx.save_for_backward(out)
            return out, out

        @staticmethod
        def backward(ctx, first, second):
            (out,) = ctx.saved_tensors
            assert out.output_nr == 1
            return first * 2 + second * 20

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = Twice.apply(x)
    assert a is b
    assert a.output_nr == 1
    (a.sum() + 3 * b.sum()).backward()
    assert x.grad.tolist() == [80, 80]


def test_arguments_that_are_left_out_have_their_defaults():
    seen = []

    class Scaled(Function):
        @staticmethod
        def forward(x, factor=3, *, negative=False):
            return x * (-factor if negative else factor)

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(len(inputs))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Scaled.apply(x).sum().backward()
    assert x.grad.tolist() == [3, 3]
    Scaled.apply(x, factor=4).sum().backward()
    assert x.grad.tolist() == [7, 7]
    assert seen == [2, 2]
    assert Scaled.apply is Scaled.apply
    assert copy.deepcopy(Scaled.apply)(x).tolist() == [3, 6]
