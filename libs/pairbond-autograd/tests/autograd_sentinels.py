"""Objects that tell when they die, and graphs that refer to themselves."""

from __future__ import annotations

import weakref

import pairbond
import pairbond_autograd as torch
from pairbond_autograd.autograd import Function, graph


def alive() -> int:
    """How many objects of this library there are, but for enum members."""
    types = pairbond.stats()["types"]
    ours = (name for name in types if name.startswith("pairbond_autograd.") and name != "pairbond_autograd.DType")
    return sum(types[name]["objects"] for name in ours)


class Sentinel:
    """Its death is seen by a weak reference."""


class Box:
    """Holds anything, as a module or a configuration would."""


class Keep(Function):
    """A function whose context keeps whatever it is told to."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        return a * 2 + b * 3


class Fails(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError


def leaf():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def holding(holder, *things):
    """What a closure captured."""

    def hook(*args):
        assert things is not None
        return None

    holder.append(hook)
    return hook


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
def tensor_hook_over_leaf(s):
    x = leaf()
    x.register_hook(holding([], x, s))
    return x * 2


@cycle
def tensor_hook_over_its_tensor(s):
    y = leaf() * 2
    y.register_hook(holding([], y, s))
    return y


@cycle
def tensor_hook_over_grad_fn(s):
    y = leaf() * 2
    y.register_hook(holding([], y.grad_fn, s))
    return y


@cycle
def tensor_hook_over_downstream(s):
    x = leaf()
    z = x * 2 * x
    x.register_hook(holding([], z, s))
    return z


@cycle
def node_hook_over_its_tensor(s):
    y = leaf() * 2
    y.grad_fn.register_hook(holding([], y, s))
    return y


@cycle
def node_hook_over_its_node(s):
    y = leaf() * 2
    y.grad_fn.register_hook(holding([], y.grad_fn, s))
    return y


@cycle
def node_prehook_over_downstream(s):
    y = leaf() * 2
    z = y * y
    y.grad_fn.register_prehook(holding([], z, s))
    return z


@cycle
def hook_of_the_accumulating_node(s):
    x = leaf()
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(holding([], y, s))
    return y


@cycle
def accumulated_grad_hook(s):
    x = leaf()
    z = x * 2
    x.register_post_accumulate_grad_hook(holding([], x, z, s))
    return z


@cycle
def multi_grad_hook(s):
    x, w = leaf(), leaf()
    z = x * w
    graph.register_multi_grad_hook([x, w], holding([], x, w, z, s))
    return z


@cycle
def handle_at_its_tensor(s):
    x = leaf()
    x.handle, x.s = x.register_hook(holding([], x)), s
    return x * 2


@cycle
def saved_tensor_hooks(s):
    x, found = leaf(), []
    with graph.saved_tensors_hooks(lambda it: (it, found, s), lambda it: it[0]):
        y = x * x
    found.append(y)
    return y


@cycle
def unpack_hook_over_its_tensor(s):
    x, found = leaf(), []
    unpack = holding(found, s)
    with graph.saved_tensors_hooks(lambda it: it, lambda it: (unpack(it), it)[1]):
        y = x * x
    unpack.y = y
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
def gradient_of_itself(s):
    x = leaf()
    x.grad, x.s = x, s


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


def death_of(make, run):
    """Makes a cycle, runs it backwards as often as told, drops it, and gives a weak reference to its sentinel."""
    s = Sentinel()
    seen = weakref.ref(s)
    root = make(s)
    del s
    for keep in run:
        if root is not None:
            root.sum().backward(retain_graph=keep)
    return seen
