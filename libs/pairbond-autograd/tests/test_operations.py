"""Each operation: its first and second derivatives against differences."""

import math

import pairbond_autograd as torch
import pytest
from pairbond_autograd.nn import functional as F

F64 = torch.float64


def rand(*shape, low=-2.0, high=2.0, grad=True):
    from pairbond_autograd._pairbond_autograd import _uniform

    return torch.Tensor(_uniform(list(shape), low, high, F64), requires_grad=grad)


def ints(*values):
    return torch.tensor(list(values), dtype=torch.int64)


def case(name, function, *inputs):
    return pytest.param(function, inputs, id=name)


# Inputs are made when the test runs: (shape, low, high), or a value that is handed on.
A, B, POSITIVE, UNIT = ((2, 3), -2.0, 2.0), ((2, 3), -2.0, 2.0), ((2, 3), 0.3, 2.0), ((2, 3), -0.8, 0.8)
ROW, COLUMN, VECTOR, CUBE = ((1, 3), -2.0, 2.0), ((2, 1), -2.0, 2.0), ((3,), -2.0, 2.0), ((2, 3, 4), -2.0, 2.0)
IMAGE, KERNEL = ((2, 2, 5, 4), -2.0, 2.0), ((3, 2, 2, 3), -1.0, 1.0)

FUNCTIONS = [
    "exp",
    "expm1",
    "sin",
    "cos",
    "tanh",
    "sinh",
    "cosh",
    "sigmoid",
    "erf",
    "abs",
    "relu",
    "square",
    "neg",
    "atan",
    "sign",
    "floor",
]

CASES = [
    *(case(name, lambda x, name=name: getattr(x, name)(), A) for name in FUNCTIONS),
    *(
        case(name, lambda x, name=name: getattr(x, name)(), POSITIVE)
        for name in ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]
    ),
    *(case(name, lambda x, name=name: getattr(x, name)(), UNIT) for name in ["tan", "asin", "acos"]),
    *(case(name, getattr(F, name), A) for name in ["gelu"]),
    case("gelu-tanh", lambda x: F.gelu(x, approximate="tanh"), A),
    case("add", lambda x, y: x + y, A, ROW),
    case("add-alpha", lambda x, y: x.add(y, alpha=3), A, COLUMN),
    case("sub", lambda x, y: x - y, COLUMN, ROW),
    case("mul", lambda x, y: x * y, A, COLUMN),
    case("mul-same", lambda x: x * x, A),
    case("div", lambda x, y: x / y, A, ((3,), 0.5, 2.0)),
    case("numbers", lambda x: (2 - (3 * x + 1) / 2) * 0.5 - 1, A),
    case("reversed", lambda x: 2 / x, POSITIVE),
    case("pow-number", lambda x: x**3, A),
    case("pow-fraction", lambda x: x**1.5, POSITIVE),
    case("pow", lambda x, y: x**y, POSITIVE, ROW),
    case("rpow", lambda x: 2**x, A),
    case("remainder", lambda x: x % 0.7, A),
    case("maximum", lambda x, y: x.maximum(y), A, ROW),
    case("minimum", lambda x, y: x.minimum(y), A, B),
    case("clamp", lambda x: x.clamp(-1, 1), A),
    case("where", lambda x, y: torch.where(x > 0, x * x, y), A, ROW),
    case("masked_fill", lambda x: x.masked_fill(x > 0, 3.0), A),
    case("matmul", lambda x, y: x @ y, A, ((3, 2), -2, 2)),
    case("matmul-vectors", lambda x, y: x @ y, VECTOR, VECTOR),
    case("matmul-left", lambda x, y: x @ y, VECTOR, ((3, 2), -2, 2)),
    case("matmul-right", lambda x, y: x @ y, CUBE, ((4,), -2, 2)),
    case("matmul-batch", lambda x, y: x @ y, CUBE, ((2, 4, 2), -2, 2)),
    case("matmul-stretched", lambda x, y: x @ y, ((2, 1, 2, 3), -2, 2), ((3, 3, 2), -2, 2)),
    case("matmul-rows", lambda x, y: x @ y, CUBE, ((4, 2), -2, 2)),
    case("matmul-turned", lambda x, y: x.transpose(1, 2) @ y.t(), CUBE, ((2, 3), -2, 2)),
    case("linear", F.linear, CUBE, ((5, 4), -1, 1), ((5,), -1, 1)),
    case("sum", lambda x: x.sum(), A),
    case("sum-dim", lambda x: x.sum((0, 2)), CUBE),
    case("sum-keep", lambda x: x.sum(1, keepdim=True), CUBE),
    case("mean", lambda x: x.mean(-1), CUBE),
    case("var", lambda x: x.var(1), CUBE),
    case("var-all", lambda x: x.var(unbiased=False), A),
    case("std", lambda x: x.std((0, 1)), CUBE),
    case("prod", lambda x: x.prod(), A),
    case("prod-dim", lambda x: x.prod(1), CUBE),
    case("amax", lambda x: x.amax(1), CUBE),
    case("amin", lambda x: x.amin((0, 2), True), CUBE),
    case("max-dim", lambda x: x.max(1)[0], CUBE),
    case("min-dim", lambda x: x.min(-1, True)[0], CUBE),
    case("max", lambda x: x.max(), A),
    case("logsumexp", lambda x: x.logsumexp(1), CUBE),
    case("softmax", lambda x: x.softmax(1), CUBE),
    case("log_softmax", lambda x: x.log_softmax(-1), CUBE),
    case("cumsum", lambda x: x.cumsum(1), CUBE),
    case("sort", lambda x: x.sort(-1, True)[0], A),
    case("reshape", lambda x: x.reshape(3, -1) * x.view(-1, 2), A),
    case("transpose", lambda x: x.transpose(0, 2) * x.permute(2, 1, 0), CUBE),
    case("T", lambda x: x.T @ x, A),
    case("expand", lambda x: x.expand(2, 4, 3) ** 2, ROW),
    case("repeat", lambda x: x.repeat(2, 2) ** 2, A),
    case("squeeze", lambda x: x.unsqueeze(0).squeeze() ** 2, A),
    case("flatten", lambda x: x.flatten(1) ** 2, CUBE),
    case("narrow", lambda x: x.narrow(1, 1, 2) ** 2, CUBE),
    case("select", lambda x: x.select(-1, -2) ** 2, CUBE),
    case("split", lambda x: torch.cat([part**2 for part in x.split(2, 1)], 1), CUBE),
    case("chunk", lambda x: torch.stack([part.sum() for part in x.chunk(3, 2)]), CUBE),
    case("cat", lambda x, y: torch.cat([x, y, x], 1) ** 2, A, COLUMN),
    case("stack", lambda x, y: torch.stack([x, y], -1) ** 2, A, B),
    case("pad", lambda x: F.pad(x, (1, 0, -1, 2), value=1.5) ** 2, A),
    case("flip", lambda x: x.flip(0, 2) ** 2, CUBE),
    case("tril", lambda x: x.tril(1) ** 2 + x.triu(-1) ** 3, A),
    case("index_select", lambda x: x.index_select(1, ints(2, 0, 2)) ** 2, CUBE),
    case("gather", lambda x: x.gather(1, torch.tensor([[0, 0], [2, 1]])) ** 2, A),
    case("scatter", lambda x, y: x.scatter(1, torch.tensor([[2], [0]]), y) ** 2, A, COLUMN),
    case("scatter_add", lambda x, y: x.scatter_add(1, torch.tensor([[0, 0], [2, 1]]), y) ** 2, A, B),
    case("index_add", lambda x, y: x.index_add(0, ints(1, 1, 0), y) ** 2, A, ((3, 3), -2, 2)),
    case("conv2d", torch.conv2d, IMAGE, KERNEL, ((3,), -1, 1)),
    case("conv2d-more", lambda x, w: torch.conv2d(x, w, None, (2, 1), (1, 2), (1, 2)), IMAGE, ((2, 2, 3, 2), -1, 1)),
    case("conv2d-groups", lambda x, w: torch.conv2d(x, w, stride=2, padding=1, groups=2), IMAGE, ((4, 1, 3, 3), -1, 1)),
    case("conv2d-one", lambda x, w: torch.conv2d(x, w), ((2, 4, 3), -2, 2), ((1, 2, 2, 2), -1, 1)),
    case("max_pool2d", lambda x: F.max_pool2d(x, 2), IMAGE),
    case("max_pool2d-more", lambda x: F.max_pool2d(x, (3, 2), (1, 2), (1, 0)) ** 2, IMAGE),
    case("avg_pool2d", lambda x: F.avg_pool2d(x, 2, 1, 1), IMAGE),
    case("layer_norm", lambda x, w, b: F.layer_norm(x, (3, 4), w, b), CUBE, ((3, 4), -1, 1), ((3, 4), -1, 1)),
    case("mse", F.mse_loss, A, B),
    case("l1", F.l1_loss, A, B),
    case("bce", F.binary_cross_entropy, ((4,), 0.2, 0.8), ((4,), 0.2, 0.8)),
    case("bce-logits", F.binary_cross_entropy_with_logits, A, B),
    case("cross_entropy", lambda x: F.cross_entropy(x, ints(2, 0)), A),
    case("cross_entropy-ignored", lambda x: F.cross_entropy(x, ints(2, -100), label_smoothing=0.1), A),
    case("cross_entropy-weights", lambda x, w: F.cross_entropy(x, ints(2, 0), w), A, ((3,), 0.5, 2)),
    case(
        "cross_entropy-probabilities", lambda x: F.cross_entropy(x, torch.tensor([[0.1, 0.2, 0.7]] * 2, dtype=F64)), A
    ),
    case("clone-to-itself", lambda x: torch.cat([x]) * x, A),
]


@pytest.mark.parametrize(("function", "shapes"), CASES)
def test_derivatives(function, shapes):
    torch.manual_seed(1)
    inputs = [rand(*shape, low=low, high=high) for shape, low, high in shapes]
    assert torch.gradcheck(function, inputs)
    assert torch.gradgradcheck(function, inputs, atol=1e-4)


def test_gradcheck_finds_what_is_wrong():
    x = rand(2, 3)
    hidden = lambda x: x * torch.Tensor(x)  # half of the derivative is missing  # noqa: E731
    with pytest.raises(torch.GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        torch.gradcheck(hidden, x)
    assert not torch.gradcheck(hidden, x, raise_exception=False)
    with pytest.raises(ValueError, match="require gradient"):
        torch.gradcheck(hidden, torch.tensor([1.0]))
    assert torch.gradcheck(lambda x: x * x, x)
    assert x.grad is None


def test_values():
    x = torch.tensor([[1.0, 4.0], [9.0, 16.0]])
    assert x.sqrt().tolist() == [[1, 2], [3, 4]]
    assert (x // 5).tolist() == [[0, 0], [1, 3]]
    assert (torch.tensor([-7, 7]) // 2).tolist() == [-4, 3]
    assert (torch.tensor([-7, 7]) % 3).tolist() == [2, 1]
    assert (torch.tensor([2, 3]) ** 2).tolist() == [4, 9]
    least = -(1 << 63)
    assert (torch.tensor([least, 1]) - least).tolist() == [0, least + 1]
    assert (torch.tensor([1, 2]) / 2).tolist() == [0.5, 1]
    assert (x > 4).tolist() == [[False, False], [True, True]]
    assert ((x > 2) & (x < 10)).tolist() == [[False, True], [True, False]]
    assert (~(x > 4)).all(1).tolist() == [True, False]
    assert x.argmax().item() == 3
    assert x.argmin(0).tolist() == [0, 0]
    assert x.max(0)[1].tolist() == [1, 1]
    assert [part.tolist() for part in x.sort(1, descending=True)] == [[[4, 1], [16, 9]], [[1, 0], [1, 0]]]
    assert math.isnan(torch.tensor([1.0, math.nan, 2.0]).max().item())
    assert torch.tensor([1.0, math.nan, 2.0]).argmax().item() == 1
    assert torch.tensor([0.0, -math.inf]).logsumexp(0).item() == 0
    assert hash(x) == hash(x)


def test_dtypes():
    long, single, double = torch.tensor([1, 2]), torch.tensor([0.5, 1.5]), torch.tensor([1.0, 2.0], dtype=F64)
    assert (long + single).dtype is torch.float32
    assert (single + double).dtype is F64
    assert (single * torch.tensor(2.0, dtype=F64)).dtype is torch.float32
    assert (long * 2.5).dtype is torch.float32
    assert (long * 2).dtype is torch.int64
    assert (long > 1).sum().dtype is torch.int64
    assert long.exp().dtype is torch.float32
    with pytest.raises(RuntimeError, match="Input dtype must be either a floating point"):
        long.mean()
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * double).sum().backward()
    assert x.grad.dtype is torch.float32


def test_errors():
    x = torch.tensor([[1.0, 2.0, 3.0]])
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        x @ x
    with pytest.raises(RuntimeError, match="invalid for input of size 3"):
        x.reshape(2, -1)
    with pytest.raises(RuntimeError, match="at least one dimension spans"):
        torch.stack([x, x]).transpose(0, 2).view(-1)
    with pytest.raises(IndexError, match="out of range in self"):
        x.index_select(1, ints(3))
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.sum(2)
    with pytest.raises(RuntimeError, match="multiple times"):
        x.sum((0, -2))
    with pytest.raises(ValueError, match="expected a non-empty list"):
        torch.cat([])
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        torch.cat([x, torch.tensor([[1.0]])])
    with pytest.raises(RuntimeError, match="Kernel size can't be greater"):
        torch.conv2d(torch.tensor([[[1.0]]]), torch.tensor([[[[1.0, 1.0]]]]))
    with pytest.raises(ZeroDivisionError):
        torch.tensor([1]) // 0
    with pytest.raises(RuntimeError, match="boolean tensor"):
        torch.where(x, x, x)


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: x.relu(),
        lambda x: x.clamp(min=0),
        lambda x: torch.maximum(x, torch.tensor(0.0)),
        lambda x: torch.where(x > 0, x, torch.tensor(0.0)),
        lambda x: torch.where(x > 0, x, x.ceil() + 1),
        lambda x: torch.where(x > 0, x, x.sign() + 1),
    ],
)
def test_what_is_cut_off_gets_no_gradient_however_steep_it_is_there(cut):
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    cut(x).sqrt().sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]


def test_numbers_of_elements_count_from_the_beginning():
    x = torch.arange(3.0, requires_grad=True)
    bad = torch.tensor([-1])
    for action in (lambda: x.gather(0, bad), lambda: x.scatter_add(0, bad, torch.ones(1))):
        with pytest.raises(RuntimeError, match="index -1 is out of bounds for dimension 0 with size 3"):
            action()
    for action in (
        lambda: x.index_select(0, bad),
        lambda: x.index_add(0, bad, torch.ones(1)),
    ):
        with pytest.raises(IndexError, match="index out of range in self: -1, where there are 3"):
            action()


def test_what_does_not_vary_has_no_derivative_of_its_deviation():
    x = torch.tensor([[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]], requires_grad=True)
    deviation = x.std(1)
    deviation.sum().backward()
    assert deviation[0].item() == 0
    assert x.grad[0].tolist() == [0, 0, 0]
    assert x.grad[1].tolist() == pytest.approx([-0.436436, -0.109109, 0.545545], rel=1e-4)


def test_bounds_and_fillings_may_be_tensors():
    x, v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor(2.5, requires_grad=True)
    x.masked_fill(torch.tensor([True, False, True]), v).sum().backward()
    assert (x.grad.tolist(), v.grad.item()) == ([0, 1, 0], 2)
    x.grad = v.grad = None
    x.clamp(min=v).sum().backward()
    assert (x.grad.tolist(), v.grad.item()) == ([0, 0, 1], 2)
    assert x.clamp(torch.tensor([0.0, 2.5, 9.0]), torch.tensor(4.0)).tolist() == [1, 2.5, 4]
    with pytest.raises(RuntimeError, match="0-dimensional value tensor"):
        x.masked_fill(torch.tensor([True, False, True]), torch.ones(3))


def test_the_mean_of_what_does_not_vary_is_what_is_there():
    """In single precision, too: what is left besides would be made three hundred times as large by `layer_norm`."""
    is_rounded = False
    for size in (3, 5, 7, 11, 13):
        x = torch.full((size,), 0.1)
        is_rounded |= bool((x - x.sum() / size).abs().max() > 0)
        assert (x - x.mean()).abs().max().item() == 0
        assert torch.nn.functional.layer_norm(x, (size,)).abs().max().item() == 0
    assert is_rounded


def test_powers_of_zero():
    power = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    (torch.zeros(1) ** power).sum().backward()
    assert power.grad.tolist() == [-math.inf, 0, 0]
    power.grad = None
    (0**power).sum().backward()
    assert power.grad.tolist() == [-math.inf, 0, 0]


def test_the_hypotenuse():
    """Its derivative at zero is no number, as in PyTorch."""
    a, b = (torch.tensor([0.0, 3.0, 3e38], requires_grad=True) for _ in range(2))
    with torch.no_grad():
        b[1] = 4
    found = torch.hypot(a, b)
    assert found.tolist()[:2] == [0, 5]
    assert found[:2].tolist() == a.detach().hypot(b.detach()).tolist()[:2]
    found.sum().backward()
    assert math.isnan(a.grad[0].item())
    assert math.isnan(b.grad[0].item())
    assert [a.grad[1].item(), b.grad[1].item()] == pytest.approx([0.6, 0.8])
    x, y = (torch.rand(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(torch.hypot, [x, y[:1]])
    assert torch.autograd.gradgradcheck(torch.hypot, [x, y])


ONE_NEEDED = {
    "mul": lambda x, c: x * c,
    "div": lambda x, c: x / c,
    "remainder": lambda x, c: x % c,
    "matmul": lambda x, c: x @ c,
    "bmm": lambda x, c: x.unsqueeze(0) @ c.unsqueeze(0),
    "conv2d": lambda x, c: torch.conv2d(x.view(1, 1, 2, 2), c.view(1, 1, 2, 2)),
    "where": lambda x, c: torch.where(c > 0, x, c),
    "masked_fill": lambda x, c: x.masked_fill(c > 2, 0),
    "add": lambda x, c: x + c,
    "lerp": lambda x, c: torch.lerp(c, x, 0.5),
    "scatter_add": lambda x, c: x.scatter_add(0, c.long() % 2, c),
    "index_add": lambda x, c: x.index_add(0, torch.tensor([0, 1]), c),
    "linear": lambda x, c: F.linear(x, c, c[0]),
}


@pytest.mark.parametrize("name", ONE_NEEDED)
def test_only_what_a_gradient_needs_is_saved(name):
    """Not what only the gradient of an input needs that wants none: it may be written to, or go."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    c = torch.tensor([[2.0, 3.0], [4.0, 5.0]])
    expected = torch.autograd.grad(ONE_NEEDED[name](x * 1, c).sum(), x)[0].tolist()
    middle = x * 1
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda it: packed.append(it) or it, lambda it: it):
        out = ONE_NEEDED[name](middle, c).sum()
    assert not any(it.untyped_storage() is middle.untyped_storage() for it in packed)
    out = ONE_NEEDED[name](middle, c).sum()
    with torch.no_grad():
        middle.add_(1)
    out.backward()
    assert x.grad.tolist() == expected


@pytest.mark.parametrize("name", ["mul", "div", "matmul", "bmm", "conv2d"])
def test_what_the_gradient_of_the_other_operand_needs_is_saved(name):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    c = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)
    out = ONE_NEEDED[name](x, c).sum()
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


@pytest.mark.parametrize("compute", [torch.hypot, lambda a, b: torch.hypot(b, a)])
def test_one_side_of_a_triangle_is_saved(compute):
    x, c = torch.tensor([3.0], requires_grad=True), torch.tensor([4.0])
    out = compute(x, c)
    c.add_(1)
    out.backward()
    assert x.grad.item() == pytest.approx(0.6)
