"""Results of operations on tensors of a class that extends `Tensor` are of that class."""

import copy

import pairbond_autograd as torch
import pytest


class Marked(torch.Tensor):
    """With a method of its own, and one that replaces another."""

    def half(self):
        return self / 2

    def exp(self):
        return super().exp() + 0


class Further(Marked):
    pass


RESULTS = {
    "operator": lambda s: s + 1,
    "operator on the right": lambda s: torch.ones(2) + s,
    "number on the left": lambda s: 1 - s,
    "method": lambda s: s.sin(),
    "replaced method": lambda s: s.exp(),
    "own method": lambda s: s.half(),
    "view": lambda s: s.view(2, 1),
    "part": lambda s: s[0],
    "comparison": lambda s: s > 1,
    "function": lambda s: torch.exp(s),
    "function of several": lambda s: torch.stack([torch.ones(2), s]),
    "function of nn": lambda s: torch.nn.functional.relu(s),
    "transposed": lambda s: s.T,
    "detached": lambda s: s.detach(),
    "data": lambda s: s.data,
    "parts": lambda s: s.split(1)[1],
    "named": lambda s: s.max(0).values,
    "iterated": lambda s: next(iter(s)),
    "in place": lambda s: s.add_(1),
    "copy": lambda s: copy.copy(s),
}


@pytest.mark.parametrize("cls", [Marked, Further])
@pytest.mark.parametrize("name", RESULTS)
def test_results_are_of_the_class(cls, name):
    assert type(RESULTS[name](cls([1.0, 2.0]))) is cls


def test_other_results_are_what_they_were():
    s = Marked([1.0, 2.0])
    assert s.tolist() == [1, 2]
    assert s.sum().item() == 3
    assert s.shape == (2,)
    assert s.grad is None
    assert s.max(0)._fields == ("values", "indices")
    assert type(torch.ones(2) + 1) is torch.Tensor
    assert type(torch.exp(torch.ones(2))) is torch.Tensor


def test_derivatives_and_writes_go_through_results():
    s = Marked([1.0, 2.0], requires_grad=True)
    y = s * 3
    assert y.grad_fn.name() == "AliasBackward0"
    y[0] = 5
    y.view(2)[1:].mul_(2)
    y.square().sum().backward()
    assert y.tolist() == [5, 12]
    assert s.grad.tolist() == [0, 2 * 12 * 6]
    assert type(s.grad) is torch.Tensor


def test_what_is_computed_from_parameters_is_no_parameter():
    class Mine(torch.nn.Parameter):
        pass

    for parameter in (torch.nn.Parameter(torch.ones(2)), Mine(torch.ones(2))):
        assert type(parameter + 1) is torch.Tensor
        assert type(parameter.view(2)) is torch.Tensor


def test_a_tensor_as_one_of_a_subclass():
    x = torch.ones(2, requires_grad=True)
    s = x.as_subclass(Marked)
    assert type(s) is Marked
    assert s._base is x
    (s * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]
