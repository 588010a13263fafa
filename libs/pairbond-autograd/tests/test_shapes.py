"""Shapes: what can be viewed, what indices and lengths may be, and what the errors say. The texts are PyTorch's."""

import pairbond_autograd as torch
import pytest


def grid(*shape):
    count = 1
    for length in shape:
        count *= length
    return torch.arange(count).view(*shape)


VIEWS = {
    "transposed": lambda: (grid(3, 4).t(), (2, 2, 3), (2, 1, 4)),
    "columns": lambda: (grid(3, 4)[:, :2], (3, 2, 1), (4, 1, 1)),
    "every second row": lambda: (grid(4, 4)[::2], (2, 2, 2), (8, 2, 1)),
    "permuted": lambda: (grid(2, 3, 4).permute(1, 0, 2), (3, 2, 2, 2), (4, 12, 2, 1)),
    "one column": lambda: (grid(2, 3, 4)[:, :, 0], (6,), (4,)),
    "a row that is a column": lambda: (grid(1, 3).t(), (3,), (1,)),
    "expanded": lambda: (torch.tensor(1.0).expand(2, 3), (6,), (0,)),
    "expanded rows": lambda: (torch.tensor([1.0, 2.0]).expand(3, 2), (3, 2, 1), (0, 1, 1)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_what_does_not_lie_in_order(name):
    x, shape, strides = VIEWS[name]()
    view = x.view(shape)
    assert (tuple(view.shape), view.stride(), view.data_ptr()) == (shape, strides, x.data_ptr())
    assert view.tolist() == x.clone().view(shape).tolist()
    assert x.reshape(shape).data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    ("x", "shape"),
    [(grid(3, 4)[:, :2], (6,)), (grid(2, 3).t(), (6,)), (torch.ones(2).expand(3, 2), (6,))],
    ids=["columns", "transposed", "expanded"],
)
def test_what_has_to_be_moved(x, shape):
    with pytest.raises(RuntimeError, match="at least one dimension spans across two contiguous subspaces"):
        x.view(shape)
    moved = x.reshape(shape)
    assert moved.data_ptr() != x.data_ptr()
    assert moved.tolist() == x.clone().view(shape).tolist()


def test_derivatives_and_writes_go_through_such_views():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    weights = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    ((x * 1).t().view(2, 1, 2) * weights).sum().backward()
    assert x.grad.tolist() == [[1, 3], [2, 4]]
    y = torch.zeros(2, 3)
    y[:, :2].view(2, 2, 1).add_(1)
    assert y.tolist() == [[1, 1, 0], [1, 1, 0]]


def test_truth_values_in_brackets_are_new_dimensions():
    x = grid(2, 2)
    for key, shape in [
        ((True,), (1, 2, 2)),
        ((False,), (0, 2, 2)),
        ((slice(None), True), (2, 1, 2)),
        ((slice(None), False), (2, 0, 2)),
        ((..., True), (2, 2, 1)),
        ((None, True), (1, 1, 2, 2)),
        ((0, True), (1, 2)),
    ]:
        assert tuple(x[key].shape) == shape, key
    assert x[:, True].tolist() == [[[0, 1]], [[2, 3]]]
    x[:, True] = 7
    assert x.tolist() == [[7, 7], [7, 7]]
    x[False] = 1
    assert x.tolist() == [[7, 7], [7, 7]]
    number = torch.tensor(5)
    assert number[True].tolist() == [5]


ERRORS = {
    "view": (lambda x: x.view(4), RuntimeError, r"shape '\[4\]' is invalid for input of size 6"),
    "length": (lambda x: x.reshape(-2, 3), RuntimeError, r"invalid shape dimension -2 at index 0 of shape \[-2, 3\]"),
    "split": (lambda x: x.split(-1), RuntimeError, "split expects split_size be non-negative, but got split_size=-1"),
    "split 0": (lambda x: x.split(0), RuntimeError, "split_size can only be 0 if dimension size is 0, but got .* of 2"),
    "chunk": (lambda x: x.chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
    "permute": (lambda x: x.permute(1), RuntimeError, r"input.dim\(\) = 2 is not equal to len\(dims\) = 1"),
    "twice": (lambda x: x.permute(0, 0), RuntimeError, r"permute\(\): duplicate dims are not allowed"),
    "expand": (
        lambda x: x.expand(4, 3),
        RuntimeError,
        r"expanded size of the tensor \(4\) must match .* \(2\) at non-",
    ),
    "expand less": (lambda x: x.expand(3), RuntimeError, r"number of sizes provided \(1\) must be greater or equal"),
    "select": (
        lambda x: x.select(0, 5),
        IndexError,
        r"select\(\): index 5 out of range for tensor of size \[2, 3\] at",
    ),
    "narrow": (lambda x: x.narrow(0, 0, -1), RuntimeError, r"narrow\(\): length must be non-negative"),
    "narrow start": (lambda x: x.narrow(0, 5, 1), IndexError, r"range of \[-2, 2\], but got 5"),
    "narrow 0": (lambda x: x[0, 0].narrow(0, 0, 1), RuntimeError, "cannot be applied to a 0-dim tensor"),
    "mm": (lambda x: x @ x, RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    "mv": (lambda x: x @ x[0, :2], RuntimeError, r"size mismatch, got input \(2\), mat \(2x3\), vec \(2\)"),
    "dot": (lambda x: x[0] @ x[0, :2], RuntimeError, r"expected tensor \[3\] and src \[2\] to have the same number"),
    "a vector": (lambda x: torch.mm(x[0], x), RuntimeError, "mm: self must be a matrix, got 1-D tensor"),
    "bmm": (lambda x: torch.bmm(x, x), RuntimeError, "batch1 must be a 3D tensor"),
    "batches": (
        lambda x: torch.bmm(x.view(1, 2, 3), x.view(2, 3, 1)),
        RuntimeError,
        r"first two dimensions of batch2 tensor to be: \[1, 3\] but got: \[2, 3\]",
    ),
    "rank": (lambda x: torch.cat([x, x[0]]), RuntimeError, "must have same number of dimensions: got 2 and 1"),
    "cat": (lambda x: torch.cat([x, x[:, :2]]), RuntimeError, "except in dimension 0. Expected size 3 but got size 2"),
    "empty": (lambda x: x[:0].max(0), IndexError, r"max\(\): Expected reduction dim 0 to have non-zero size"),
    "least": (lambda x: x[:0].min(0), IndexError, r"min\(\): Expected reduction dim 0 to have non-zero size"),
    "place": (lambda x: x[:0].argmax(), IndexError, r"argmax\(\): .* to be specified for input.numel\(\) == 0"),
    "number": (lambda x: x[0, 0][0], IndexError, "invalid index of a 0-dim tensor"),
    "slice": (lambda x: x[0, 0][:], IndexError, r"slice\(\) cannot be applied to a 0-dim tensor"),
    "float": (lambda x: x[1.0], IndexError, "only integers, slices"),
    "object": (lambda x: x[object()], IndexError, "only integers, slices"),
    "mask": (
        lambda x: x[torch.tensor([True])],
        IndexError,
        r"mask \[1\] at index 0 does not match .* \[2, 3\] at index",
    ),
    "int": (lambda x: int(x), ValueError, "only one element tensors can be converted to Python scalars"),
    "item": (lambda x: x.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    "expanded": (lambda x: x[:1].expand(2, 3).add_(1), RuntimeError, "more than one element of the written-to tensor"),
    "gather": (lambda x: x.gather(0, torch.tensor([0])), RuntimeError, "must have the same number of dimensions"),
    "minus": (lambda x: (x > 0) - (x > 0), NotImplementedError, "with two bool tensors is not supported"),
    "negative": (lambda x: -(x > 0), NotImplementedError, "on a bool tensor is not supported"),
    "and": (lambda x: x & x, NotImplementedError, "bitwise_and"),
    "mean": (lambda x: x.long().mean(), NotImplementedError, "could not infer output dtype"),
    "var": (lambda x: x.long().var(), NotImplementedError, "only support floating point"),
    "gradient": (
        lambda x: setattr(x, "grad", x[0]),
        RuntimeError,
        r"gradient of size '\[3\]' to a tensor of size '\[2, 3\]'",
    ),
    "dtype": (lambda x: setattr(x, "grad", x.double()), RuntimeError, "gradient with dtype 'float64'"),
    "large": (lambda x: torch.tensor([2**63]), ValueError, "64 bits"),
    "Tensor": (lambda x: torch.Tensor(2, 0.5), TypeError, "takes lengths as ints"),
    "negative length": (lambda x: torch.Tensor(2, -1), RuntimeError, "negative dimension"),
    "bias": (
        lambda x: torch.nn.functional.conv2d(x.view(1, 1, 2, 3), x.view(1, 1, 2, 3), torch.zeros(2)),
        RuntimeError,
        "expected bias to be 1-dimensional with 1 elements",
    ),
    "stride": (
        lambda x: torch.nn.functional.conv2d(x.view(1, 1, 2, 3), x.view(1, 1, 2, 3), stride=0),
        RuntimeError,
        "non-positive stride is not supported",
    ),
    "padding": (
        lambda x: torch.nn.functional.conv2d(x.view(1, 1, 2, 3), x.view(1, 1, 2, 3), padding=-1),
        RuntimeError,
        "negative padding is not supported",
    ),
    "pool": (lambda x: torch.nn.functional.max_pool2d(x, 2), RuntimeError, "3D or 4D"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_was_wrong(name):
    action, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        action(torch.arange(6.0).view(2, 3))


def test_the_old_constructor():
    """`Tensor` of a list is of float32; of lengths, a tensor of that shape."""
    made = torch.Tensor([1, 2])
    assert (made.tolist(), made.dtype) == ([1, 2], torch.float32)
    assert tuple(torch.Tensor(2, 3).shape) == (2, 3)
    assert tuple(torch.Tensor().shape) == (0,)
    assert torch.Tensor([1, 2], dtype=torch.int64).dtype == torch.int64
    shared = torch.zeros(2)
    assert torch.Tensor(shared).data_ptr() == shared.data_ptr()


def test_the_derivative_of_clamp_at_its_bounds():
    x = torch.tensor([-1.0, 0.0, 1.0, 2.0, 3.0], requires_grad=True)
    x.clamp(0, 2).sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 0, 0]


def test_narrow_counts_from_the_end():
    assert torch.arange(4).narrow(0, -2, 2).tolist() == [2, 3]


def test_the_logarithm_of_no_sum():
    x = torch.zeros(2, 0, requires_grad=True)
    out = x.logsumexp(1)
    assert out.tolist() == [float("-inf")] * 2
    out.sum().backward()
    assert tuple(x.grad.shape) == (2, 0)


HUGE = 1 << 40


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.repeat_interleave(HUGE),
        lambda x: torch.repeat_interleave(x, torch.tensor([1, HUGE])),
        lambda x: torch.repeat_interleave(x, torch.tensor([1 << 62, 1 << 62])),
        lambda x: x.repeat_interleave((1 << 63) - 1),
        lambda x: torch.multinomial(x + 1, HUGE, replacement=True),
        lambda x: torch.bincount(x.long(), minlength=HUGE),
    ],
)
def test_what_memory_cannot_hold_is_refused(make):
    """Lists that Python would make on the way included: the process would be killed for them."""
    with pytest.raises(MemoryError):
        make(torch.tensor([0.0, 1.0]))


def test_a_diagonal_is_a_view():
    square = torch.zeros(3, 3)
    square.diagonal().add_(1.0)
    assert square.tolist() == torch.eye(3).tolist()
    square.diagonal(1).fill_(5)
    assert square.tolist() == [[1, 5, 0], [0, 1, 5], [0, 0, 1]]
    assert square.diagonal()._base is square
    assert [square.diagonal(offset).tolist() for offset in (-2, 2, 3, -4)] == [[0], [0], [], []]
    # torch.diag is a copy.
    torch.diag(square).zero_()
    assert square.diagonal().tolist() == [1, 1, 1]


@pytest.mark.parametrize(("offset", "dims"), [(0, (0, 1)), (1, (1, 2)), (-1, (2, 0)), (0, (-1, -3)), (9, (0, 1))])
def test_derivatives_of_a_diagonal(offset, dims):
    x = torch.rand(3, 4, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: x.diagonal(offset, *dims).square(), [x])
    assert torch.autograd.gradgradcheck(lambda x: x.diagonal(offset, *dims).square(), [x])

    def write(x):
        y = x * 1
        y.diagonal(offset, *dims).mul_(3)
        return y.square()

    assert torch.autograd.gradcheck(write, [x])


EMPTY = {
    "roll": lambda x: x.roll(0, 1),
    "roll of all": lambda x: x.roll(3),
    "cat": lambda x: torch.cat([x[:, :0], x, x[:, 3:]], 1),
    "cat of one dimension": lambda x: torch.cat([torch.zeros(0), x.view(-1), x.view(-1)[:0]]),
    "split": lambda x: torch.cat(x.split([0, 3, 0], 1), 1),
    "narrow": lambda x: x.sum() + x.narrow(1, 2, 0).sum(),
    "slice": lambda x: x.sum() + x[2:].sum(),
    "index_select": lambda x: x.sum() + x.index_select(1, torch.tensor([], dtype=torch.int64)).sum(),
    "gather": lambda x: x.sum() + x.gather(1, torch.zeros(2, 0, dtype=torch.int64)).sum(),
    "mask": lambda x: x.sum() + x[x > 9].sum(),
    "stack": lambda x: x.sum() + torch.stack([x[:0], x[2:]], 1).sum(),
    "pad": lambda x: torch.nn.functional.pad(x[:0], (1, 1, 1, 1)).sum() + x.sum(),
    "matmul": lambda x: x.sum() + (x[:, :0] @ x[:, :0].t()).sum() + (x[:0] @ x.t()).sum(),
    "diagonal": lambda x: x.sum() + x.diagonal(5).sum(),
    "cumsum": lambda x: x.sum() + x[:0].cumsum(1).sum() + x[:, :0].cumsum(1).sum(),
    "softmax": lambda x: x.sum() + x[:0].softmax(1).sum() + x[:, :0].log_softmax(1).sum(),
    "prod": lambda x: x.sum() + x[:0].prod() + x[:, :0].prod(1).sum(),
    "sum": lambda x: x.sum() + x[:0].sum(0).sum() + x[:, :0].mean(0).sum(),
    "var": lambda x: x.sum() + x[:0].var(1).sum(),
    "amax": lambda x: x.sum() + x[:0].amax(1).sum(),
    "max": lambda x: x.sum() + x[:0].max(1).values.sum(),
    "sort": lambda x: x.sum() + x[:0].sort(1).values.sum() + x[:, :0].sort(1).values.sum(),
    "logsumexp": lambda x: x.sum() + x[:0].logsumexp(1).sum(),
    "flip": lambda x: x.sum() + x[:0].flip(1).sum(),
    "repeat": lambda x: x.sum() + x.repeat(0, 2).sum() + x[:0].repeat(2, 2).sum(),
    "expand": lambda x: x.sum() + x[:0].unsqueeze(0).expand(4, 0, 3).sum() + x.unsqueeze(0).expand(0, 2, 3).sum(),
    "where": lambda x: x.sum() + torch.where(x[:0] > 0, x[:0], x[:0]).sum(),
    "index_add": lambda x: x.index_add(1, torch.tensor([], dtype=torch.int64), x[:, :0]),
    "scatter_add": lambda x: x.scatter_add(1, torch.zeros(2, 0, dtype=torch.int64), x[:, :0]),
    "repeat_interleave": lambda x: x.sum() + x[:0].repeat_interleave(2, 0).sum() + x.repeat_interleave(0, 0).sum(),
    "layer_norm": lambda x: x.sum() + torch.nn.functional.layer_norm(x[:0], (3,)).sum(),
    "linear": lambda x: x.sum() + torch.nn.functional.linear(x[:0], x).sum(),
    "tril": lambda x: x.sum() + x[:0].tril().sum(),
    "norm": lambda x: x.sum() + x[:0].norm(dim=1).sum(),
    "einsum": lambda x: x.sum() + torch.einsum("ij,kj->ik", x[:0], x).sum(),
    "assignment": lambda x: _assigned(x),
}


def _assigned(x):
    y = x * 1
    y[2:] = 5
    y[:, 3:].mul_(2)
    return y


@pytest.mark.parametrize("name", EMPTY)
def test_parts_without_elements_have_gradients_without_elements(name):
    x = torch.rand(2, 3, requires_grad=True)
    EMPTY[name](x).sum().backward()
    assert x.grad.tolist() == ([[1.0] * 3] * 2)
