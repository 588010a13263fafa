"""What `apply` calls: methods of classes that change, are inherited and replaced."""

import copy
import pickle

import pairbond_autograd as torch
import pytest
from pairbond_autograd.autograd import Function


def leaf(value):
    return torch.tensor([value], dtype=torch.float64, requires_grad=True)


def made_of(factor):
    def forward(ctx, x):
        return x * factor

    return staticmethod(forward)


class Scale(Function):
    forward = made_of(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 10


class Mixin:
    forward = made_of(3)


class Derived(Scale):
    pass


class Mixed(Mixin, Scale):
    pass


def test_methods_that_change_after_the_class_was_made(monkeypatch):
    x = leaf(1.0)
    apply = Derived.apply
    assert (apply(x).item(), Mixed.apply(x).item()) == (2, 3)
    before = apply(x)
    monkeypatch.setattr(Scale, "forward", made_of(4))
    monkeypatch.setattr(Mixin, "forward", made_of(5))
    monkeypatch.setattr(Scale, "backward", staticmethod(lambda ctx, grad: grad * 20))
    assert (apply(x).item(), Scale.apply(x).item(), Mixed.apply(x).item()) == (4, 4, 5)
    before.backward()
    Mixed.apply(x).backward()
    assert x.grad.item() == 40
    # One of its own, which goes again.
    Derived.forward = made_of(6)
    assert (apply(x).item(), Scale.apply(x).item()) == (6, 4)
    del Derived.forward
    assert apply(x).item() == 4
    seen = []
    monkeypatch.setattr(Scale, "forward", staticmethod(lambda x: x * 7))
    monkeypatch.setattr(Scale, "setup_context", staticmethod(lambda *all: seen.append(all)))
    y = apply(x)
    (((ctx, inputs, output),)) = seen
    assert (y.item(), ctx is y.grad_fn, inputs, output is y) == (7, True, (x,), True)
    monkeypatch.undo()
    assert (apply(x).item(), Mixed.apply(x).item()) == (2, 3)


def test_bases_that_change_after_the_class_was_made():
    class One(Function):
        forward = made_of(2)

    class Other(Function):
        forward = made_of(3)

    class Last(One):
        pass

    assert Last.apply(leaf(1.0)).item() == 2
    Last.__bases__ = (Other,)
    assert Last.apply(leaf(1.0)).item() == 3


def test_an_apply_of_its_own():
    class Twice(Scale):
        @classmethod
        def apply(cls, x):
            return super().apply(super().apply(x))

    class More(Twice):
        forward = made_of(5)

    assert Twice.apply(leaf(1.0)).item() == 4
    y = More.apply(leaf(1.0))
    assert (y.item(), y.grad_fn.name()) == (25, "MoreBackward")


def test_apply_is_copied_as_a_function_is():
    apply = Scale.apply
    assert apply is Scale.apply
    assert copy.copy(apply) is copy.deepcopy([apply])[0] is apply
    assert pickle.loads(pickle.dumps(Derived.apply)) is Derived.apply


def test_a_tuple_of_results_and_other_results():
    class Gives(Function):
        @staticmethod
        def forward(ctx, what):
            return what

    for what in (1, None, "a", (), (1, "a"), [1, 2], {"a": 1}):
        result = Gives.apply(what)
        assert (type(result), result) == (type(what), what)
    with pytest.raises(TypeError, match="keyword"):
        Gives.apply(what=1)
