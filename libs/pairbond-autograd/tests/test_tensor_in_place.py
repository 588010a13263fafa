"""Writing to tensors: what becomes of numbers, versions and gradients, and what is refused."""

import math

import pairbond_autograd as torch
import pytest

CHANGES = {
    "add_": lambda t: t.add_(3),
    "add_ alpha": lambda t: t.add_(torch.ones(2), alpha=3),
    "+=": lambda t: t.__iadd__(torch.tensor([1.0, 2.0])),
    "sub_": lambda t: t.sub_(torch.tensor([1.0, 2.0])),
    "mul_": lambda t: t.mul_(torch.tensor([3.0, 2.0])),
    "div_": lambda t: t.div_(4),
    "pow_": lambda t: t.pow_(3),
    "neg_": lambda t: t.neg_(),
    "exp_": lambda t: t.exp_(),
    "log_": lambda t: t.log_(),
    "sqrt_": lambda t: t.sqrt_(),
    "tanh_": lambda t: t.tanh_(),
    "sigmoid_": lambda t: t.sigmoid_(),
    "relu_": lambda t: t.relu_(),
    "clamp_": lambda t: t.clamp_(0.6, 2.0),
    "masked_fill_": lambda t: t.masked_fill_(torch.tensor([True, False]), 9.0),
    "zero_": lambda t: t.zero_(),
    "fill_": lambda t: t.fill_(2.5),
    "copy_": lambda t: t.copy_(torch.tensor([5.0, 6.0])),
    "index_put_": lambda t: t.__setitem__([1], 5.0) or t,
    "setitem": lambda t: t.__setitem__(0, 5.0) or t,
}
# The same, out of place.
ELSEWHERE = {
    "add_": lambda t: t + 3,
    "add_ alpha": lambda t: t + 3 * torch.ones(2),
    "+=": lambda t: t + torch.tensor([1.0, 2.0]),
    "sub_": lambda t: t - torch.tensor([1.0, 2.0]),
    "mul_": lambda t: t * torch.tensor([3.0, 2.0]),
    "div_": lambda t: t / 4,
    "pow_": lambda t: t**3,
    "neg_": lambda t: -t,
    "exp_": lambda t: t.exp(),
    "log_": lambda t: t.log(),
    "sqrt_": lambda t: t.sqrt(),
    "tanh_": lambda t: t.tanh(),
    "sigmoid_": lambda t: t.sigmoid(),
    "relu_": lambda t: t.relu(),
    "clamp_": lambda t: t.clamp(0.6, 2.0),
    "masked_fill_": lambda t: t * torch.tensor([0.0, 1.0]) + torch.tensor([9.0, 0.0]),
    "zero_": lambda t: t * 0,
    "fill_": lambda t: t * 0 + 2.5,
    "copy_": lambda t: t * 0 + torch.tensor([5.0, 6.0]),
    "index_put_": lambda t: t * torch.tensor([1.0, 0.0]) + torch.tensor([0.0, 5.0]),
    "setitem": lambda t: t * torch.tensor([0.0, 1.0]) + torch.tensor([5.0, 0.0]),
}


def close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, rel=1e-6)


@pytest.mark.parametrize("name", CHANGES)
def test_numbers_and_gradients(name):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = x * 1
    assert CHANGES[name](y) is y
    expected = ELSEWHERE[name](x)
    assert close(y.tolist(), expected.tolist())
    (y * y).sum().backward()
    got, x.grad = x.grad, None
    (expected * expected).sum().backward()
    assert close(got.tolist(), x.grad.tolist())


@pytest.mark.parametrize("name", CHANGES)
def test_a_view_is_written_to(name):
    """The base and its other views see it, and so do their gradients."""
    x = torch.tensor([[0.5, 2.0], [1.0, 3.0]], requires_grad=True)
    y = x * 1
    row, column = y[0], y[:, 0]
    CHANGES[name](row)
    expected = ELSEWHERE[name](x[0])
    assert close(y.tolist(), [expected.tolist(), [1.0, 3.0]])
    assert close(column.tolist(), [expected.tolist()[0], 1.0])
    (y * y).sum().backward()
    got, x.grad = x.grad, None
    ((expected * expected).sum() + (x[1] * x[1]).sum()).backward()
    assert close(got.tolist(), x.grad.tolist())


def test_the_operand_has_a_gradient_too():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    buffer = torch.zeros(3)
    buffer[1:] = x * 3
    buffer *= 2
    buffer[[0, 0]] = x[1]
    assert buffer.requires_grad
    assert buffer.tolist() == [2, 6, 12]
    buffer.sum().backward()
    assert x.grad.tolist() == [6, 8]


def test_versions_and_errors_that_name_the_operation():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = y * y
    assert y._version == 0
    y.div_(2)
    assert (y._version, y[0]._version) == (1, 1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation: .* MulBackward0 .* was div_"):
        z.sum().backward()


def test_leaves():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for change in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.__setitem__(0, 1)):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place"):
            change()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        x[:1].mul_(2)
    with torch.no_grad():
        x -= 1
    assert (x.tolist(), x.is_leaf, x._version) == ([0, 1], True, 1)


def test_what_does_not_fit():
    whole = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="float32 can't be cast to the desired output type int64"):
        whole += 0.5
    with pytest.raises(RuntimeError, match="float32 can't be cast"):
        whole.div_(2)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type bool"):
        torch.tensor([True]).add_(1)
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"):
        whole += torch.ones(3, 2, dtype=torch.int64)
    assert (whole.tolist(), whole._version) == ([1, 2], 0)


def test_in_place_keeps_the_object_and_its_memory():
    t = same = torch.tensor([1.0, 2.0])
    address = t.data_ptr()
    t += 1
    t *= 2
    assert t is same
    assert t.data_ptr() == address
    assert same.tolist() == [4, 6]


def test_data_is_written_in_place():
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    (weight * weight).sum().backward()
    for _ in range(2):
        weight.data -= 0.25 * weight.grad
    weight.data[0] += 1.0
    weight.data = weight.data
    assert (weight.tolist(), weight.is_leaf) == ([1.0, 0.0], True)
    with pytest.raises(TypeError, match="data"):
        weight.data = 5
    assert weight.tolist() == [1.0, 0.0]


def test_stretched_tensors_may_be_filled():
    one = torch.zeros(1)
    one.expand(3).fill_(2)
    assert one.tolist() == [2]
    one.expand(3).zero_()
    assert one.tolist() == [0]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        one.expand(3).add_(1)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        one.expand(3).copy_(torch.ones(3))
    recorded = torch.ones(1, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        recorded.expand(3).fill_(1)


LOW, HIGH = torch.full((4,), -0.3), torch.full((4,), 0.4)
WRITTEN_TO_VIEWS = {
    "clip": lambda other: (LOW, HIGH),
    "fmod": lambda other: (other,),
    "frac": lambda other: (),
    "lerp": lambda other: (other, 0.3),
    "nan_to_num": lambda other: (),
}


@pytest.mark.parametrize("name", WRITTEN_TO_VIEWS)
def test_what_is_made_of_several_operations_is_written_to_a_view(name):
    """The derivatives are those of the same out of place, whichever of the operations use the old value."""
    gradients = []
    for in_place in (True, False):
        x = torch.tensor([-0.7, 0.2, 0.9, float("inf")], requires_grad=True)
        y = torch.tensor([0.3, 0.4, 0.5, 0.6], requires_grad=True)
        arguments, weights = WRITTEN_TO_VIEWS[name](y * 1), torch.tensor([1.0, 2.0, 3.0, 0.0])
        base = torch.where(torch.tensor([True, True, True, name == "nan_to_num"]), x, 0.5)
        if in_place:
            getattr(base[:], f"{name}_")(*arguments)
        else:
            base = getattr(base, name)(*arguments)
        if name == "nan_to_num":
            weights = weights + 1
        found = torch.autograd.grad((base * weights).sum(), (x, y), allow_unused=True)
        gradients.append([None if grad is None else grad.tolist() for grad in found])
    assert gradients[0] == [None if grad is None else pytest.approx(grad) for grad in gradients[1]]


@pytest.mark.parametrize("needs_gradient", [True, False])
def test_results_of_several_nodes_are_copied_to_a_view(needs_gradient):
    """Methods in place make one node each; what does not is right, too."""
    x, y = (torch.tensor([2.0, 3.0], requires_grad=needed) for needed in (needs_gradient, True))
    base = x * 1
    base[:]._change("multiplied", lambda old: y * old + old * old)
    base.sum().backward()
    assert y.grad.tolist() == [2, 3]
    assert not needs_gradient or x.grad.tolist() == [2 + 4, 3 + 6]


def test_numbers_beside_a_tensor_are_as_exact_as_it():
    x = torch.tensor([1.0, 5.0], dtype=torch.float64)
    assert x.fmod(0.3).tolist() == [math.fmod(1, 0.3), math.fmod(5, 0.3)]
    assert torch.tensor([5, -7]).fmod(2.5).dtype is torch.float32


def test_the_value_of_masked_fill_has_a_gradient():
    value = torch.tensor(5.0, requires_grad=True)
    base = torch.zeros(3)
    base[1:].masked_fill_(torch.tensor([True, True]), value)
    base.sum().backward()
    assert value.grad.item() == 2


def test_operators_with_an_assignment_write_to_the_memory():
    x, whole, truth = torch.tensor([7.0, 8.0]), torch.tensor([6, 9]), torch.tensor([True, False])
    views = [it[:] for it in (x, whole, truth)]
    x **= 2
    x //= 5
    x %= 5
    whole &= 3
    whole |= 8
    whole ^= 1
    whole <<= 3
    whole >>= 1
    truth ^= True
    assert [view.tolist() for view in views] == [[4, 2], [44, 32], [False, True]]


def test_clamp_between_tensors():
    """Where a bound is equal, it has half of the gradient; where both are equal, they have none."""
    x, low, high = (
        torch.tensor(numbers, requires_grad=True)
        for numbers in ([1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 2.0, 2.0], [2.0, 2.0, 1.0, 3.0, 0.0])
    )
    (x * 1).clamp_(low, high).sum().backward()
    assert x.grad.tolist() == [1, 0.5, 1, 0, 0]
    assert low.grad.tolist() == [0, 0.5, 0, 1, 0]
    assert high.grad.tolist() == [0, 0, 0, 0, 1]


def test_lerp_meets_both_ends():
    one, other = torch.tensor([0.1, math.inf]), torch.tensor([0.7, 1.0])
    assert one.lerp(other, 1.0)[0] == other[0]
    assert one.lerp(other, 0.7)[1].item() == math.inf


def test_comparisons_in_place_have_zero_gradients():
    x, y = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    z = x * 1
    z.eq_(y)
    z.sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([0, 0], [0, 0])


def test_what_is_made_of_several_operations_is_written_to_a_constant_view():
    base, y = torch.tensor([-0.7, 0.9]), torch.tensor([0.3, 0.5], requires_grad=True)
    base[:].fmod_(y * 1)
    base.sum().backward()
    assert y.grad.tolist() == [2, -1]
