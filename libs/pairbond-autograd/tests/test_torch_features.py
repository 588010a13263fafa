"""As `test_torch.py`, for what modules, padding, pools, hooks and named results do."""

import random

import pytest
from test_torch import both, near, numbers, ours, theirs

IMAGE = numbers((2, 3, 5, 6), random.Random(4))


def image(torch, rows=IMAGE):
    return torch.tensor(rows, dtype=torch.float64, requires_grad=True)


def run(torch, x, *values):
    """Values, and the gradient of the sum of their squares."""
    sum((value * value).sum() for value in values).backward()
    return [*(value.tolist() for value in values), x.grad.tolist()]


@pytest.mark.parametrize("pad", [(1, 2), (2, 0, 1, 3), (0, 4, 4, 0), (-1, 1, 0, -2)])
def test_padding(pad):
    both(lambda torch: run(torch, x := image(torch), torch.nn.functional.pad(x, pad, value=2.0)))


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize(
    ("window", "stride", "padding"), [(2, None, 0), (3, 2, 1), ((2, 3), (3, 4), (1, 0)), (2, 5, 1), (4, 3, 2)]
)
def test_pools(window, stride, padding, ceil):
    def program(torch):
        F, x = torch.nn.functional, image(torch)
        most, places = F.max_pool2d(x, window, stride, padding, 1, ceil, True)
        means = [
            F.avg_pool2d(x, window, stride, padding, ceil, *rest) for rest in [(True,), (False,), (True, 3), (False, 2)]
        ]
        return [places.tolist(), *run(torch, x, most, *means)]

    both(program)


def test_convolutions():
    weight = numbers((2, 3, 3, 2), random.Random(5))

    def program(torch):
        x = image(torch)
        conv = torch.nn.Conv2d(3, 2, (3, 2), padding=(2, 1), bias=False, dtype=torch.float64)
        with torch.no_grad():
            conv.weight.copy_(torch.tensor(weight, dtype=torch.float64))
        return [*run(torch, x, conv(x)), conv.weight.grad.tolist()]

    both(program)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_cross_entropy(reduction, smoothing):
    dice = random.Random(6)
    rows, of_pixels = numbers((4, 3), dice), numbers((2, 3, 2, 2), dice)

    def program(torch):
        F, weight = torch.nn.functional, torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
        given = {"reduction": reduction, "label_smoothing": smoothing}
        x, y = (torch.tensor(it, dtype=torch.float64, requires_grad=True) for it in (rows, of_pixels))
        losses = [
            F.cross_entropy(x, torch.tensor([0, 2, 1, 1]), weight, **given),
            F.cross_entropy(x, torch.tensor([0, -100, 1, 2]), weight, **given),
            F.cross_entropy(x, x.detach().softmax(1), weight, **given),
            F.cross_entropy(y, torch.tensor([[[0, 1], [2, 2]], [[1, 1], [-100, 0]]]), weight, **given),
            F.cross_entropy(y, y.detach().softmax(1), weight, **given),
        ]
        return [*run(torch, x, *losses), y.grad.tolist()]

    both(program)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_named_results(dim):
    def program(torch):
        x = image(torch, IMAGE[0])
        found = [
            x.max(dim),
            x.min(dim, keepdim=True),
            x.sort(dim),
            x.sort(dim, descending=True),
            x.topk(2, dim),
            x.topk(3, dim, largest=False),
            x.kthvalue(2, dim),
            torch.kthvalue(x, 1, dim, keepdim=True),
        ]
        return [*run(torch, x, *(it.values for it in found)), [it.indices.tolist() for it in found]]

    both(program)


def test_hooks_of_modules():
    """What hooks see, in which order, and what becomes of what they return."""

    def program(torch):
        seen = []

        class Both(torch.nn.Module):
            def forward(self, x, factor, y):
                return x * factor, x * y, y.detach()

        def see(name, result=None):
            def hook(module, *grads):
                seen.append([name, [[it if it is None else it.tolist() for it in grad] for grad in grads]])
                return result and result(grads[0])

            return hook

        module = Both()
        module.register_full_backward_pre_hook(
            see("pre", lambda grads: tuple(it if it is None else it * 2 for it in grads))
        )
        module.register_full_backward_hook(
            see("first", lambda grads: tuple(it if it is None else it * 3 for it in grads))
        )
        module.register_full_backward_hook(see("second"))
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = torch.tensor([3.0, 4.0], requires_grad=True)
        a, b, _ = module(x * 1, 5.0, y)
        (a * 7 + b).sum().backward()
        a, b, _ = module(x, 5.0, y.detach())
        b.sum().backward()
        return [repr(seen), x.grad.tolist(), y.grad.tolist()]

    assert program(ours) == program(theirs)


def test_callbacks_at_the_end_of_a_run():
    def program(torch):
        queue, order = torch.autograd.Variable._execution_engine.queue_callback, []

        def first():
            order.append("first")
            queue(lambda: order.append("third"))

        def hook(grad):
            queue(first)
            queue(lambda: order.append("second"))
            order.append("hook")

        x = torch.tensor([2.0], requires_grad=True)
        y = x * 3
        y.register_hook(hook)
        x.register_hook(lambda grad: order.append("leaf"))
        y.backward()
        return order

    assert program(ours) == program(theirs)


@pytest.mark.parametrize("share", [lambda t: t, lambda t: t.T, lambda t: t[:, 1], lambda t: t[1], lambda t: t[0, 1]])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_dlpack_both_ways(dtype, share):
    for one, other in [(ours, theirs), (theirs, ours)]:
        given = share(one.tensor([[1, 0, 1], [0, 1, 1]], dtype=getattr(one, dtype)))
        taken = other.from_dlpack(given)
        assert (taken.tolist(), tuple(taken.shape)) == (given.tolist(), tuple(given.shape))
        taken.copy_(taken == 0)
        assert given.tolist() == taken.tolist()
        values, before = given.clone(), taken.tolist()
        del given
        assert taken.tolist() == before
        near(values.tolist(), before, 0, "")


def test_dlpack_of_what_requires_a_gradient():
    for one, other in [(ours, theirs), (theirs, ours)]:
        t = one.tensor([1.0], requires_grad=True)
        with pytest.raises((BufferError, RuntimeError), match="require"):
            other.from_dlpack(t)


def test_derivatives_of_functions():
    x_rows, y_rows, v_rows = (numbers((2, 3), random.Random(seed)) for seed in (21, 22, 23))

    def program(torch):
        F = torch.autograd.functional
        x, y, v = (torch.tensor(rows, dtype=torch.float64) for rows in (x_rows, y_rows, v_rows))

        def function(x, y):
            return (x * y).sin() @ x.reshape(3, 2), (x * x).sum()

        def number(x, y):
            return (x * y).sin().sum() * (x * x * y).sum()

        def both_of(made):
            return [[it.tolist() for it in row] for row in made]

        _, product = F.vjp(lambda x, y: function(x, y)[0], (x, y), torch.ones(2, 2, dtype=torch.float64))
        return [
            [it.tolist() for it in product],
            *both_of(F.jvp(function, (x, y), (v, v))),
            *both_of(F.jacobian(function, (x, y))),
            *both_of(F.hessian(number, (x, y))),
            [it.tolist() for it in F.vhp(number, (x, y), (v, v))[1]],
            [it.tolist() for it in F.hvp(number, (x, y), (v, v))[1]],
        ]

    both(program)
