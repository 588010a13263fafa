"""Values and derivatives where functions bend, overflow or have nothing to compute from: those of PyTorch."""

import math

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd, nn, optim
from pairbond_autograd.nn import functional as F

inf, nan = math.inf, math.nan


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def same(found, expected):
    assert found.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "other"),
    [("eq_", 1.0), ("gt_", 1.5), ("lt_", 1.5), ("ne_", 2.0), ("logical_and_", None), ("logical_not_", ())],
)
@pytest.mark.parametrize("cut", [lambda y: y, lambda y: y[1:], lambda y: y.view(3, 1)])
def test_the_truth_that_was_written_to_a_tensor_has_no_derivative(name, other, cut):
    x = leaf(1.0, 2.0, 3.0)
    y = x * x
    part = cut(y)
    written = part.numel()
    getattr(part, name)(*(() if other == () else (torch.ones(1),) if other is None else (other,)))
    y.sum().backward()
    assert x.grad.tolist() == [2.0] * (3 - written) + [0.0] * written


def test_what_a_function_returned_as_it_was_is_a_view():
    """Of a constant, too: what is written to it would be missed by the constant."""

    class Itself(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    constant = torch.zeros(2)
    view = Itself.apply(constant)
    assert view is not constant
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view.copy_(torch.ones(2, requires_grad=True))
    view.add_(1)
    assert constant.tolist() == [1, 1]


@pytest.mark.parametrize("around", [(0, 0), (), (0, 0, 0, 0)])
def test_nothing_around_is_a_copy(around):
    x = torch.zeros(2, 3)
    F.pad(x, around).add_(1)
    assert x.sum().item() == 0


def test_products_over_nothing():
    x = torch.ones(2, 3, requires_grad=True)
    out = torch.tensordot(x[:, :0], x[:, :0], dims=([1], [1]))
    out.sum().backward()
    assert out.tolist() == [[0, 0], [0, 0]]
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert torch.tensordot(torch.ones(0, 2), torch.ones(2, 3), dims=1).shape == (0, 3)


@pytest.mark.parametrize(
    ("values", "middle", "grad"),
    [
        ((1.0, 1.0, 0.0), 1.0, [0.5, 0.5, 0.0]),
        ((0.0, 0.0), 0.0, [0.5, 0.5]),
        ((3.0, 1.0, 2.0, 4.0), 2.0, [0, 0, 1, 0]),
        ((inf, inf), inf, [0.5, 0.5]),
        ((nan, 1.0), nan, [1.0, 0.0]),
        ((nan, nan, 1.0), nan, [0.5, 0.5, 0.0]),
    ],
)
def test_the_median_is_of_all_that_are_equal(values, middle, grad):
    x = leaf(*values)
    y = x.median()
    y.backward()
    same(y, middle)
    same(x.grad, grad)
    assert torch.tensor([3, 1, 2]).median().item() == 2


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
def test_no_number_is_the_largest(name):
    x = leaf(1.0, nan, 2.0, nan)
    y = getattr(x, name)()
    y.backward()
    assert math.isnan(y.item())
    same(x.grad, [0, 0.5, 0, 0.5])


@pytest.mark.parametrize(
    ("a", "b", "left", "truncated"),
    [
        (1.0, inf, 1.0, 1.0),
        (-1.0, inf, inf, -1.0),
        (0.0, -inf, 0.0, 0.0),
        (1.0, 0.1, 1 % 0.1, math.fmod(1, 0.1)),
        (-7.0, 3.0, 2.0, -1.0),
        (7.0, -3.0, -2.0, 1.0),
        (1e300, 3.0, 1e300 % 3, math.fmod(1e300, 3)),
        (inf, 1.0, nan, nan),
        (1.0, 0.0, nan, nan),
    ],
)
def test_what_is_left_by_a_division(a, b, left, truncated):
    a, b = torch.tensor(a, dtype=torch.float64), torch.tensor(b, dtype=torch.float64)
    same(a % b, left)
    same(torch.fmod(a, b), truncated)


def test_derivatives_of_what_is_left():
    x, y = leaf(7.0, -7.0, 0.0), leaf(3.0, 3.0, 3.0)
    torch.fmod(x, y).sum().backward()
    same(x.grad, [1, 1, 1])
    same(y.grad, [-2, 2, 0])
    x, y = leaf(7.0, -7.0, 0.0), leaf(3.0, 3.0, 3.0)
    (x % y).sum().backward()
    same(x.grad, [1, 1, 1])
    same(y.grad, [-2, 3, 0])


def test_what_is_added_by_numbers_is_of_the_same_shape():
    x = torch.zeros(2, 1)
    with pytest.raises(RuntimeError, match="which has the shape"):
        x.index_add_(0, torch.tensor([0]), torch.ones(1))
    x.index_add_(0, torch.tensor([0]), torch.ones(1, 1))
    assert x.tolist() == [[1], [0]]


def test_an_optimizer_with_averages_of_the_former_dtype():
    module = nn.Linear(2, 1)
    optimizer = optim.AdamW(module.parameters(), lr=0.1)
    module(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    module.double()
    module.zero_grad()
    module(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    with pytest.raises(RuntimeError, match=r"float64 has a gradient or a state of shape .* and float32"):
        optimizer.step()


def test_what_requires_a_gradient_is_not_given_away():
    with pytest.raises(BufferError, match="require gradient"):
        torch.from_dlpack(torch.ones(2, requires_grad=True))
    assert torch.from_dlpack(torch.ones(2)).tolist() == [1, 1]


def test_a_view_that_missed_a_write_may_be_written_to_without_derivatives():
    class View(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, grad):
            return grad

    base = leaf(1.0, 2.0) * 1
    view = View.apply(base)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="custom Function"):
        view.sub_(1)
    with torch.no_grad():
        view.sub_(1)
    assert base.tolist() == [1, 3]


@pytest.mark.parametrize("turned", [lambda x: x[:, :0], lambda x: x[:0].t(), lambda x: x[:, 1:1].unsqueeze(0)])
def test_what_has_no_elements_is_a_view_in_any_shape(turned):
    x = torch.ones(2, 3, requires_grad=True)
    empty = turned(x)
    assert empty.view(0, 7).shape == empty.reshape(0, 7).shape == (0, 7)
    empty.view(5, 0, 2).sum().backward()
    assert x.grad.sum().item() == 0
