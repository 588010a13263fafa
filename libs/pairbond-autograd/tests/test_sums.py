"""Sums of many small numbers in single precision: none gets lost beside what was summed up already."""

import pairbond_autograd as torch
import pytest

pytestmark = pytest.mark.large

MANY = 17_000_000
"""More ones than a float32 can count one by one: it stays at 16777216."""


def strided(count):
    """Numbers that do not lie behind each other, of which there are few in memory."""
    return torch.ones(count // 1000, 2)[:, 0].unsqueeze(0).expand(1000, count // 1000)


SUMS = {
    "in order": lambda: torch.ones(MANY).sum(),
    "stretched": lambda: torch.ones(1).expand(MANY).sum(),
    "strided": lambda: torch.ones(MANY, 2)[:, 0].sum(),
    "strided and stretched": lambda: strided(MANY).sum(),
    "along the first dimension": lambda: torch.ones(MANY, 2).sum(0)[1],
    "along the first of transposed": lambda: torch.ones(2, MANY).t().sum(0)[1],
    "along the first of stretched": lambda: torch.ones(2).expand(MANY, 2).sum(0)[1],
    "mean": lambda: torch.ones(2).expand(MANY, 2).mean(0)[1] * MANY,
    "softmax": lambda: 1 / torch.zeros(1, 1).expand(MANY, 1).softmax(0)[5, 0],
    "cumsum": lambda: torch.ones(MANY).cumsum(0)[-1],
    "cumsum along the first dimension": lambda: torch.ones(2).expand(MANY, 2).cumsum(0)[-1, 1],
    "product of vectors": lambda: torch.ones(1).expand(MANY) @ torch.ones(1).expand(MANY),
    "index_add": lambda: torch.zeros(1).index_add(0, torch.zeros(MANY, dtype=torch.int64), torch.ones(MANY))[0],
    "scatter_add": lambda: torch.zeros(1).scatter_add(0, torch.zeros(MANY, dtype=torch.int64), torch.ones(MANY))[0],
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_count_all(name):
    assert SUMS[name]().item() == pytest.approx(MANY, rel=1e-6)


def bias(shape, of):
    x = torch.zeros(shape, requires_grad=True)
    (torch.zeros(1).expand(*of) + x).sum().backward()
    return x.grad.flatten()[0]


GRADIENTS = {
    "one": lambda: bias((1,), (MANY,)),
    "none": lambda: bias((), (MANY,)),
    "along rows": lambda: bias((2,), (MANY, 2)),
    "along columns": lambda: bias((2, 1), (2, MANY)),
    "stretched": lambda: _stretched(),
    "view": lambda: _view(),
    "index": lambda: _picked(lambda x, zeros: x[zeros]),
    "index_select": lambda: _picked(lambda x, zeros: x.index_select(0, zeros)),
    "gather": lambda: _picked(lambda x, zeros: x.gather(0, zeros)),
}


def _stretched():
    x = torch.ones(1, requires_grad=True)
    x.expand(MANY).sum().backward()
    return x.grad[0]


def _view():
    """A view that repeats an element, and whose history was made anew."""
    x = torch.ones(1, requires_grad=True)
    base = x * 1
    view = base.expand(MANY)
    base.mul_(1)
    view.sum().backward()
    return x.grad[0]


def _picked(pick):
    """As many ones as MANY lets get lost, added to a number from which on they do."""
    count = 1 << 24
    x = torch.ones(1, requires_grad=True)
    gradients = torch.ones(MANY - count + 1)
    gradients[0] = float(count)
    (pick(x, torch.zeros(MANY - count + 1, dtype=torch.int64)) * gradients).sum().backward()
    return x.grad[0]


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_what_is_repeated_count_all(name):
    assert GRADIENTS[name]().item() == MANY


def test_products_are_accumulated_in_double_precision():
    numbers = torch.full((1000,), 1.0001)
    assert numbers.prod().item() == pytest.approx(float(numbers[0]) ** 1000, rel=1e-7)


def test_integers_are_summed_as_integers():
    large = 2**53 + 1
    assert torch.tensor([large, 1, 1]).sum().item() == large + 2
    assert torch.tensor([large, 1, 1]).cumsum(0).tolist() == [large, large + 1, large + 2]
