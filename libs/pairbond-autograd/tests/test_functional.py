"""Derivatives of functions as functions (`autograd.functional`): the examples that can be computed by hand."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd.autograd import functional


def tensor(values, requires_grad=False):
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


def nested(value):
    return tuple(map(nested, value)) if isinstance(value, tuple) else value.tolist()


def power(x, y):
    return (x**3).sum() * y


X, Y = [1.0, 2.0], 5.0


def test_vector_times_jacobian():
    out, (by_x, by_y) = functional.vjp(power, (tensor(X), tensor(Y)))
    assert (out.item(), by_x.tolist(), by_y.item()) == (45.0, [15.0, 60.0], 9.0)
    out, product = functional.vjp(lambda x: x * x, tensor(X), tensor([10.0, 1.0]))
    assert (out.tolist(), product.tolist()) == ([1.0, 4.0], [20.0, 4.0])
    assert not out.requires_grad
    assert not product.requires_grad


def test_jacobian_times_vector():
    out, product = functional.jvp(lambda x: (x * x, x.sum()), tensor(X), tensor([10.0, 1.0]))
    assert (nested(out), nested(product)) == (([1.0, 4.0], 3.0), ([20.0, 4.0], 11.0))
    assert functional.jvp(lambda x: x * x, tensor([3.0]))[1].tolist() == [6.0]


def test_jacobian():
    assert functional.jacobian(lambda x: x * x.sum(), tensor(X)).tolist() == [[4.0, 1.0], [2.0, 5.0]]
    assert nested(functional.jacobian(power, (tensor(X), tensor(Y)))) == ([15.0, 60.0], 9.0)
    whole = functional.jacobian(lambda x, y: (x * y, y * y), (tensor(X), tensor(Y)))
    assert nested(whole) == (([[5.0, 0.0], [0.0, 5.0]], [1.0, 2.0]), ([0.0, 0.0], 10.0))
    assert functional.jacobian(lambda x: x.reshape(1, 2)[:0], tensor(X)).shape == (0, 2, 2)


def test_hessian():
    assert functional.hessian(lambda x: (x**3).sum(), tensor(X)).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    whole = functional.hessian(power, (tensor(X), tensor(Y)))
    assert nested(whole) == (([[30.0, 0.0], [0.0, 60.0]], [3.0, 12.0]), ([3.0, 12.0], 0.0))
    with pytest.raises(RuntimeError, match="a single element"):
        functional.hessian(lambda x: x * x, tensor(X))


@pytest.mark.parametrize("product", [functional.vhp, functional.hvp])
def test_products_with_hessians(product):
    out, found = product(lambda x: (x**3).sum(), tensor(X), tensor([1.0, 10.0]))
    assert (out.item(), found.tolist()) == (9.0, [6.0, 120.0])
    out, found = product(power, (tensor(X), tensor(Y)), (tensor([1.0, 0.0]), tensor(1.0)))
    assert nested(found) == ([33.0, 12.0], 3.0)


def test_a_history_that_is_asked_for():
    x = tensor(X, requires_grad=True)
    out, product = functional.vjp(lambda x: x**3, x, tensor([1.0, 1.0]), create_graph=True)
    (out.sum() + product.sum()).backward()
    assert x.grad.tolist() == [3.0 + 6.0, 12.0 + 12.0]
    for made in (functional.jacobian, functional.hessian):
        x.grad = None
        made(lambda x: (x**3).sum(), x, create_graph=True).sum().backward()
        assert x.grad.tolist() == ([6.0, 12.0] if made is functional.jacobian else [6.0, 6.0])
        assert not made(lambda x: (x**3).sum(), x).requires_grad
    for both in (functional.jvp, functional.vhp, functional.hvp):
        assert all(it.requires_grad for it in both(lambda x: (x**3).sum(), x, tensor([1.0, 1.0]), create_graph=True))
        assert not any(it.requires_grad for it in both(lambda x: (x**3).sum(), x, tensor([1.0, 1.0])))


def test_inputs_are_left_alone():
    x = tensor(X, requires_grad=True)
    seen = []
    with torch.no_grad():
        functional.jacobian(lambda it: seen.append(it) or it * x, x)
    assert (x.grad, x.is_leaf, seen[0] is x) == (None, True, False)
    # What the function knows from elsewhere is no input.
    assert functional.jacobian(lambda it: it * x, x).tolist() == [[1.0, 0.0], [0.0, 2.0]]


EVERY = [
    functional.jacobian,
    functional.hessian,
    lambda *args, **options: functional.vjp(*args, None, **options)[1],
    lambda f, x, **options: functional.jvp(f, x, (tensor(X), tensor(Y)), **options)[1],
    lambda f, x, **options: functional.vhp(f, x, (tensor(X), tensor(Y)), **options)[1],
]


@pytest.mark.parametrize("derive", EVERY)
def test_what_depends_on_nothing(derive):
    inputs = (tensor(X), tensor(Y))
    for function in (lambda x, y: (x**3).sum(), lambda x, y: tensor(3.0)):
        derive(function, inputs)
    with pytest.raises(RuntimeError, match="independent of input 1"):
        derive(lambda x, y: (x**3).sum(), inputs, strict=True)
    with pytest.raises(RuntimeError, match="does not require gradients"):
        derive(lambda x, y: tensor(3.0), inputs, strict=True)
    assert nested(functional.vjp(lambda x, y: tensor(3.0), inputs)[1]) == ([0.0, 0.0], 0.0)


def test_what_is_refused():
    x = tensor(X)
    with pytest.raises(RuntimeError, match="v can only be None"):
        functional.vjp(lambda x: x, x)
    with pytest.raises(RuntimeError, match="v can only be None"):
        functional.jvp(lambda x: x, x)
    with pytest.raises(RuntimeError, match="should be 1 but got 2"):
        functional.vjp(lambda x: x, x, (x, x))
    with pytest.raises(RuntimeError, match="v has invalid size"):
        functional.vjp(lambda x: x, x, tensor([1.0]))
    with pytest.raises(TypeError, match="inputs must be a Tensor"):
        functional.vjp(lambda x: x, 1.0)
    with pytest.raises(TypeError, match="a tuple of Tensors, and one is of type int"):
        functional.jacobian(lambda x: 1, x)
