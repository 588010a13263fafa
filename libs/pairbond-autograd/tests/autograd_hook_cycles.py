"""Graphs that hooks of every kind lead back to."""

from __future__ import annotations

from autograd_cycles import CYCLES, cycle
from autograd_sentinels import holding, leaf
from pairbond_autograd import nn
from pairbond_autograd.autograd import graph


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


# Every kind of hook, over everything that leads to it.


def _closure(s):
    """A hook of any kind that does nothing, and what it refers to: set afterwards."""
    held = [s]

    def hook(*args):
        assert held

    return hook, held


def _tensor_hook(hook, x, y, z):
    y.register_hook(hook)


def _leaf_hook(hook, x, y, z):
    x.register_hook(hook)


def _node_hook(hook, x, y, z):
    y.grad_fn.register_hook(hook)


def _node_prehook(hook, x, y, z):
    y.grad_fn.register_prehook(hook)


def _accumulating_node_hook(hook, x, y, z):
    y.grad_fn.next_functions[0][0].register_hook(hook)


def _accumulated_grad_hook(hook, x, y, z):
    x.register_post_accumulate_grad_hook(hook)


def _multi_grad_hook(hook, x, y, z):
    graph.register_multi_grad_hook([x, y], hook)


def _any_grad_hook(hook, x, y, z):
    graph.register_multi_grad_hook([x, y], hook, mode="any")


HOOKS = [
    _tensor_hook,
    _leaf_hook,
    _node_hook,
    _node_prehook,
    _accumulating_node_hook,
    _accumulated_grad_hook,
    _multi_grad_hook,
    _any_grad_hook,
]
OVER = {
    "leaf": lambda x, y, z: x,
    "non_leaf": lambda x, y, z: y,
    "grad_fn": lambda x, y, z: y.grad_fn,
    "downstream": lambda x, y, z: z,
}


def _hook_over(register, over):
    def make(s):
        x = leaf()
        y = x * 2
        z = y * y
        hook, held = _closure(s)
        register(hook, x, y, z)
        held.append(over(x, y, z))
        # Whatever it is over, the hook leads to the root, and the root to the hook.
        held.append(z)
        x.root = z
        return z

    return make


def _saved_hook_over(which, over):
    def make(s):
        hook, held = _closure(s)
        same = [lambda it: (hook(), it)[1], lambda it: it]
        pack, unpack = same if which == "pack" else same[::-1]
        x = leaf()
        with graph.saved_tensors_hooks(pack, unpack):
            y = x * x
            z = y * y
        held.append(over(x, y, z))
        # Of the two only what unpacks is the graph's.
        x.root, z.pack = z, pack
        return z

    return make


def _module_hook_over(kind, over):
    def make(s):
        hook, held = _closure(s)
        module = nn.Linear(2, 2)
        getattr(module, f"register_{kind}_hook")(hook)
        x = leaf()
        y = module(x * 1)
        z = y * y
        held += [over(x, y, z), module]
        x.module = module
        return z

    return make


for _over, _what in OVER.items():
    for _register in HOOKS:
        CYCLES[f"{_register.__name__[1:]}_over_{_over}"] = _hook_over(_register, _what)
    for _which in ("pack", "unpack"):
        CYCLES[f"{_which}_hook_over_{_over}"] = _saved_hook_over(_which, _what)
    for _kind in ("forward", "forward_pre", "full_backward", "full_backward_pre"):
        CYCLES[f"{_kind}_hook_of_a_module_over_{_over}"] = _module_hook_over(_kind, _what)
