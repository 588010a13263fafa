"""Writing to views: through which the history is followed, and which writes are refused."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd
from pairbond_autograd.autograd import graph


class Flat(autograd.Function):
    """A view, whose derivative is not that of a view."""

    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return grad * 10


class Itself(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 10


class Both(autograd.Function):
    """Twice the same tensor."""

    @staticmethod
    def forward(ctx, x):
        made = x * 2
        return made, made

    @staticmethod
    def backward(ctx, a, b):
        return a * 2 + b * 2


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def test_a_view_made_under_no_grad():
    z = leaf() * 1
    with torch.no_grad():
        view = z[0:1]
        view.mul_(2)
    assert z.tolist() == [2, 2, 3]
    with pytest.raises(RuntimeError, match="no_grad mode and is being modified inplace with grad mode enabled"):
        view.mul_(2)
    assert view.tolist() == [2]
    # Where nobody wants derivatives it is an ordinary tensor.
    plain = torch.zeros(3)
    with torch.no_grad():
        view = plain[0:1]
    view.add_(2)
    assert plain.tolist() == [2, 0, 0]


@pytest.mark.parametrize("function", [Flat, Itself])
def test_a_view_made_by_a_function(function):
    x = leaf()
    y = function.apply(x * 1)
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        y.mul_(2)
    y.sum().backward()
    assert x.grad.tolist() == [10, 10, 10]


def test_what_a_view_of_a_function_looks_at_is_written_to():
    x = leaf()
    z = x * 1
    y = Flat.apply(z)
    z.mul_(2)
    with pytest.raises(RuntimeError, match="custom Function"):
        y.sum()
    assert y.tolist() == [2, 4, 6]


def test_a_tensor_that_is_returned_twice():
    x = leaf()
    a, b = Both.apply(x)
    assert a.tolist() == b.tolist() == [2, 4, 6]
    (a.sum() + 3 * b.sum()).backward()
    assert x.grad.tolist() == [8, 8, 8]


def test_an_input_that_is_returned():
    x = leaf()
    y = Itself.apply(x)
    assert y is not x
    assert y.grad_fn is not None
    y.sum().backward()
    assert x.grad.tolist() == [10, 10, 10]


def test_views_of_operations_are_followed():
    """Also of unbind, split and iteration."""
    x = leaf()
    z = x * 1
    a, b, _ = z.unbind()
    a.mul_(2)
    (a + b + z.sum()).backward()
    assert x.grad.tolist() == [4, 2, 1]
    x = leaf()
    z = x * 1
    a, b = z.split(2)
    z.mul_(2)
    (a.sum() + b.sum()).backward()
    assert x.grad.tolist() == [2, 2, 2]
    x = leaf()
    z = x * 1
    for row in z:
        row.mul_(3)
    z.sum().backward()
    assert x.grad.tolist() == [3, 3, 3]


def test_versions_that_are_counted_by_hand():
    x = leaf()
    y = x * 1
    out = (y * y).sum()
    before = y._version
    graph.increment_version([y])
    graph.increment_version(y)
    assert y._version == before + 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_what_is_saved_may_be_written_to_when_it_is_copied():
    x = leaf()
    y = x * 1
    with graph.allow_mutation_on_saved_tensors():
        out = (y * y).sum()
        y.zero_()
        out.backward()
    assert x.grad.tolist() == [2, 4, 6]
