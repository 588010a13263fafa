"""Objects that tell when they die, and functions that tests of lifetimes share."""

from __future__ import annotations

import weakref

import pairbond
import pairbond_autograd as torch
from pairbond_autograd.autograd import Function


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
