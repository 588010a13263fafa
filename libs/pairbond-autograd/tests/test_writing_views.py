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


class View(autograd.Function):
    """A view, and so is its derivative."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return View.apply(grad)


def test_a_gradient_that_is_a_view_of_a_function_keeps_its_history():
    x = leaf(3.0)
    (grad,) = autograd.grad(View.apply(x) ** 3, x, create_graph=True)
    (grad * x).sum().backward()
    assert x.grad.tolist() == [81]
    assert autograd.functional.hessian(lambda x: (View.apply(x) ** 3).sum(), leaf(3.0)).tolist() == [[18]]


@pytest.mark.parametrize("function", [Flat, Itself, View])
@pytest.mark.parametrize("further", [lambda y: y.view(3, 1), lambda y: y[1:], lambda y: y.unsqueeze(0)[:, 1:]])
def test_a_view_of_what_a_function_returned_is_followed_through_it(function, further):
    base = leaf() * 1
    view = further(function.apply(base))
    with pytest.raises(RuntimeError, match=r"being modified inplace\. This view was created inside a custom Function"):
        view.mul_(2)
    base.mul_(2)
    with pytest.raises(RuntimeError, match=r"its base has been modified inplace\. This view was created inside"):
        view.sum()


def test_a_view_of_a_view_made_under_no_grad():
    base = leaf() * 1
    with torch.no_grad():
        view = base[1:]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view[:1].mul_(2)
    assert base.tolist() == [1, 2, 3]


NAMES = ["exp_", "relu_", "tanh_", "sigmoid_", "sqrt_", "expm1_", "rsqrt_", "reciprocal_", "tan_", "square_", "sin_"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cut", [lambda y: y.view(-1), lambda y: y[1:], lambda y: y.unsqueeze(1)[:2], lambda y: y])
def test_what_was_written_to_a_view_has_derivatives_of_any_order(name, cut):
    """The result is what the step needs on the way back: it is part of the base, and so is its history."""

    def second(in_place):
        x = torch.tensor([0.5, 0.25, 0.75], dtype=torch.float64, requires_grad=True)
        base = x * x * x
        part = cut(base)
        if in_place:
            getattr(part, name)()
        else:
            part = getattr(part, name.rstrip("_"))()
        (grad,) = autograd.grad(part.pow(2).sum(), x, create_graph=True)
        first = grad.tolist()
        grad.sum().backward()
        return first, x.grad.tolist()

    for found, expected in zip(second(True), second(False), strict=True):
        assert found == pytest.approx(expected)


def test_relu_in_place_of_a_view_twice():
    x = leaf(1.0, -2.0, 3.0)
    y = torch.nn.ReLU(inplace=True)((x * x * x).view(-1))
    (grad,) = autograd.grad(y.pow(2).sum(), x, create_graph=True)
    grad.sum().backward()
    assert x.grad.tolist() == [30, 0, 30 * 81]


class Squared(autograd.Function):
    """Writes to its argument, and needs the result."""

    @staticmethod
    def forward(ctx, x):
        with torch.no_grad():
            x.mul_(x.clone())
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * 2 * result.sqrt()


def test_a_function_that_writes_to_a_view_and_saves_its_result():
    x = leaf()
    base = x * 1
    y = Squared.apply(base[:])
    (grad,) = autograd.grad(y.sum(), x, create_graph=True)
    assert grad.tolist() == [2, 4, 6]
    grad.sum().backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_a_function_that_writes_to_a_view_and_returns_more_is_refused():
    class Two(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return 2 * a + 6 * b

    x = leaf()
    with pytest.raises(RuntimeError, match="your Function cannot return more than one Tensor"):
        Two.apply((x * 1)[:])
    a, b = Two.apply(x * 1)
    (a + b).sum().backward()
    assert x.grad.tolist() == [8, 8, 8]


def test_a_gradient_that_is_infinite_where_something_was_written():
    """The part of the gradient is replaced, and not corrected by a difference."""
    x = leaf(1.0, 1.0)
    y = x * 1
    y[:1].zero_()
    (y * torch.tensor([float("inf"), 1.0])).sum().backward()
    assert x.grad.tolist() == [0, 1]
    x = leaf(1.0, 1.0)
    y = x * 1
    y[:1].mul_(1e-8)
    (y * torch.tensor([1e8, 1.0])).sum().backward()
    assert x.grad.tolist() == pytest.approx([1, 1])


@pytest.mark.parametrize("write", [lambda v: v.mul_(2), lambda v: v.add_(1), lambda v: v.exp_(), lambda v: v.zero_()])
def test_a_view_retains_the_gradient_of_what_it_is_now(write):
    x = leaf()
    base = x * 1
    view, other = base[:], base[:2]
    view.retain_grad()
    other.retain_grad()
    write(view)
    assert view.retains_grad
    ((view * 3).sum() + (other * 2).sum()).backward()
    assert view.grad.tolist() == [3, 3, 3]
    assert other.grad.tolist() == [2, 2]


def test_a_base_that_does_not_lie_in_order():
    numpy = pytest.importorskip("numpy")
    base = torch.from_numpy(numpy.arange(6.0).reshape(2, 3).T)
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    base[1].mul_(x)
    base[2].exp_()
    (base * base).sum().backward()
    assert base[1].tolist() == [2, 12]
    assert x.grad.tolist() == [2 * 2 * 1, 2 * 12 * 4]


def test_hooks_of_a_view_before_it_was_written_to():
    """They see gradients of its old value alone, which no result is computed from by the view."""
    writes = {
        "masked_fill_": lambda view: view.masked_fill_(torch.tensor([False, True]), 5.0),
        "mul_": lambda view: view.mul_(3),
        "clamp_": lambda view: view.clamp_(-9, 9),
        "addcmul_": lambda view: view.addcmul_(torch.ones(2), torch.ones(2)),
        "remainder_": lambda view: view.remainder_(9),
        "pow_": lambda view: view.pow_(torch.ones(2)),
        "lerp_": lambda view: view.lerp_(torch.ones(2), 0.5),
        "fmod_": lambda view: view.fmod_(torch.full((2,), 9.0)),
        "nan_to_num_": lambda view: view.nan_to_num_(),
        "frac_": lambda view: view.frac_(),
        "clip_": lambda view: view.clip_(torch.zeros(2), torch.full((2,), 9.0)),
    }
    expected = {"masked_fill_": [1, 0], "mul_": [3, 3], "lerp_": [0.5, 0.5]}
    for name, write in writes.items():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        base = x * 1
        view, seen = base[:], []
        view.register_hook(seen.append)
        write(view)
        (base.sum() + base.unsqueeze(0).expand(2, 2).sum()).backward()
        assert not seen, name
        assert x.grad.tolist() == [3 * number for number in expected.get(name, [1, 1])], name


@pytest.mark.large
def test_writing_to_parts_keeps_no_list_of_their_elements():
    """Memory does not grow with the number of parts."""
    resource = pytest.importorskip("resource")
    numbers = 1_000_000
    x = torch.ones(numbers, requires_grad=True)
    base = x * 1
    base[:].mul_(2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        base[:].mul_(2)
        base[1:].add_(1)
        base.view(2, -1)[1].copy_(base[: numbers // 2].detach())
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 40_000, f"{grown} KiB"
    base.sum().backward()
