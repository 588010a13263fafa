"""Graphs that refer to themselves."""

from __future__ import annotations

import pairbond_autograd as torch
from autograd_sentinels import Box, Fails, Keep, Two, leaf
from pairbond_autograd.autograd import Function

CYCLES = {}


def cycle(make):
    CYCLES[make.__name__] = make
    return make


# Each makes a graph that refers to itself, hangs the sentinel into it, and returns what backward is called on, or None.


@cycle
def context_and_input(s):
    x = leaf()
    y = Keep.apply(x)
    y.grad_fn.x, x.y, x.s = x, y, s
    return y


@cycle
def context_and_output(s):
    y = Keep.apply(leaf())
    y.grad_fn.y, y.grad_fn.s = y, s
    return y


@cycle
def context_and_one_of_two_outputs(s):
    a, b = Two.apply(leaf())
    a.grad_fn.a, a.grad_fn.s = a, s
    return b


@cycle
def context_and_both_outputs(s):
    a, b = Two.apply(leaf())
    a.grad_fn.both, a.s = (a, b), s
    return a


@cycle
def context_and_an_output_further_down(s):
    y = Keep.apply(leaf())
    z = (y * 2) * y
    y.grad_fn.z, y.grad_fn.s = z, s
    return z


@cycle
def context_and_a_view_of_its_output(s):
    y = Keep.apply(leaf())
    view = y.select(0, 0)
    y.grad_fn.view, view.s = view, s
    return y


@cycle
def context_and_itself(s):
    y = Keep.apply(leaf())
    y.grad_fn.me, y.grad_fn.s = y.grad_fn, s
    return y


@cycle
def context_and_a_dict_of_its_output(s):
    y = Keep.apply(leaf())
    y.grad_fn.config = {"out": y, "s": s}
    return y


@cycle
def context_and_a_module_of_its_output(s):
    y, box = Keep.apply(leaf()), Box()
    box.parts, box.s, y.grad_fn.box = [y], s, box
    return y


@cycle
def saved_result(s):
    class Saves(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    y = Saves.apply(leaf())
    y.grad_fn.saved, y.s = y.grad_fn.saved_tensors, s
    return y


@cycle
def metadata(s):
    y = leaf() * 2
    y.grad_fn.metadata["y"], y.grad_fn.metadata["s"] = y, s
    return y


@cycle
def attribute_of_a_leaf(s):
    x = leaf()
    loss = x * x
    x.loss, loss.s = loss, s
    return loss


@cycle
def attribute_of_a_node(s):
    y = leaf() * 2
    y.grad_fn.loss, y.grad_fn.s = y * 3, s
    y.grad_fn.me = y
    return y


@cycle
def gradient_and_its_owner(s):
    x = leaf()
    grad = torch.tensor([1.0, 1.0])
    x.grad, grad.owner, grad.s = grad, x, s


@cycle
def gradients_of_each_other(s):
    x, y = leaf(), leaf()
    x.grad, y.grad, x.s = y, x, s


@cycle
def gradient_in_the_same_memory(s):
    x = leaf()
    x.grad = x.detach()
    x.grad.owner, x.s = x, s


@cycle
def base_and_view(s):
    base = torch.tensor([1.0, 2.0])
    view = base.select(0, 0)
    base.view, base.s = view, s


@cycle
def storage_and_tensor(s):
    x = leaf()
    storage = x.untyped_storage()
    storage.tensor, storage.s = x, s


@cycle
def view_of_a_result_that_was_written_to(s):
    base = leaf() * 2
    view = base.select(0, 0)
    view.mul_(3.0)
    base.view, view.s = view, s
    assert view.grad_fn is not None
    return base


@cycle
def graph_of_a_gradient(s):
    x = leaf()
    (x * x * x).sum().backward(create_graph=True)
    x.s = s


@cycle
def context_in_a_graph_of_a_gradient(s):
    x = leaf()
    y = Keep.apply(x * x)
    y.sum().backward(create_graph=True)
    y.grad_fn.grad, x.s = x.grad, s


@cycle
def module_with_hooks(s):
    box = Box()
    box.weight, box.s = leaf(), s
    box.weight.register_hook(lambda grad: box.seen.append(grad))
    box.seen = []
    box.out = box.weight * 2
    return box.out


@cycle
def a_class_of_functions(s):
    class Own(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    Own.s = s
    y = Own.apply(leaf())
    Own.last = y
    return y


@cycle
def a_subclass_and_its_instance(s):
    class Mine(torch.Tensor):
        pass

    t = Mine([1.0], requires_grad=True)
    Mine.last, t.s = t, s
    return t * 2


@cycle
def an_exception_that_holds_the_graph(s):
    y = Fails.apply(leaf())
    try:
        y.sum().backward()
    except ArithmeticError as error:
        y.grad_fn.error, y.s = error, s
    y.grad_fn.y = y


@cycle
def memory_that_is_looked_at(s):
    t = torch.tensor([1.0])
    t.view_of_it, t.s = memoryview(t), s
