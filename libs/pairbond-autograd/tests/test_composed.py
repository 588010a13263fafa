"""What is made of other operations: values are those of PyTorch 2.15, and derivatives are checked numerically."""

import math
import sys

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd

INF = math.inf

DIFFERENTIABLE = [
    ("M.norm()", 4.911720676),
    ("M.norm(dim=1)", [2.512468905, 4.220485754]),
    ("M.norm(p=1, dim=0, keepdim=True)", [[5.5, 2.5, 1.5]]),
    ("M.norm(p=3)", 4.262936362),
    ('M.norm(p=float("inf"))', 4.0),
    ("M.norm(keepdim=True)", [[4.911720676]]),
    ("torch.dot(V, W)", -6.5),
    ("torch.outer(V, W)", [[0.5, 2.0, -1.0], [-1.0, -4.0, 2.0], [1.5, 6.0, -3.0]]),
    ("torch.mv(M, V)", [6.25, -0.75]),
    ("torch.addmm(V[:2], S, S, beta=0.5, alpha=2)", [[9.5, 9.0], [5.5, 18.0]]),
    ("torch.addmv(V[:2], S, W[:2])", [4.0, 4.25]),
    ("torch.baddbmm(S, S[None], S[None])", [[[6.5, 6.0], [3.0, 12.5]]]),
    ("torch.addcmul(V, V, W, value=2)", [2.0, -10.0, -3.0]),
    ("torch.addcdiv(V, V, W, value=2)", [5.0, -4.0, -3.0]),
    ("torch.lerp(V, W, 0.25)", [0.875, -1.0, 2.0]),
    ("torch.hypot(V, W)", [1.118033989, 2.828427125, 3.16227766]),
    ("torch.logaddexp(V, W)", [1.474076984, 2.018149928, 3.018149928]),
    ("torch.frac(M)", [[0.5, 0.0, 0.25], [0.0, 0.5, -0.25]]),
    ("torch.fmod(M, 1.5)", [[0.0, -0.5, 0.25], [1.0, 0.5, -1.25]]),
    ("torch.nan_to_num(V / (V - 1))", [sys.float_info.max, 0.6666666667, 1.5]),
    ("torch.clip(M, -1, 1)", [[1.0, -1.0, 0.25], [1.0, 0.5, -1.0]]),
    ("M.clamp_min(0.1)", [[1.5, 0.1, 0.25], [4.0, 0.5, 0.1]]),
    ("M.clamp_max(0.1)", [[0.1, -2.0, 0.1], [0.1, 0.1, -1.25]]),
    ("torch.rsub(V, W, alpha=2)", [-1.5, 6.0, -7.0]),
    ("torch.round(M * 1.234, decimals=1)", [[1.9, -2.5, 0.3], [4.9, 0.6, -1.5]]),
    ("torch.var_mean(M)", [4.525, 0.5]),
    ("torch.std_mean(M, 1, keepdim=True)", [[[1.773649721], [2.673169155]], [[-0.08333333333], [1.083333333]]]),
    ('torch.einsum("ij,j->i", M, V)', [6.25, -0.75]),
    ('torch.einsum("ij,kj", M, M)', [[6.3125, 4.6875], [4.6875, 17.8125]]),
    ('torch.einsum("ij,jk,k->i", S, S, W[:2])', [12.25, 20.25]),
    ('torch.einsum("ii->i", S)', [2.0, 3.0]),
    ('torch.einsum("ii", S)', 5.0),
    ('torch.einsum("i,j->ji", V, W)', [[0.5, -1.0, 1.5], [2.0, -4.0, 6.0], [-1.0, 2.0, -3.0]]),
    ('torch.einsum("...i,i->...", M, V)', [6.25, -0.75]),
    ('torch.einsum("b...,...->b", M, V)', [6.25, -0.75]),
    ('torch.einsum("ij->", M)', 3.0),
    (
        'torch.einsum("bij,bjk->bik", torch.stack([S, S * 2]), torch.stack([S * 3, S]))',
        [[[13.5, 15.0], [7.5, 28.5]], [[9.0, 10.0], [5.0, 19.0]]],
    ),
    ("torch.tensordot(M, M, dims=([1], [1]))", [[6.3125, 4.6875], [4.6875, 17.8125]]),
    ("torch.tensordot(M, M, 2)", 24.125),
    ("torch.diag(V)", [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 3.0]]),
    ("torch.diag(V, 1)", [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -2.0, 0.0], [0.0, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0]]),
    ("torch.diag(S)", [2.0, 3.0]),
    ("torch.diag(M, -1)", [4.0]),
    ("torch.diagonal(M, 1)", [-2.0, -1.25]),
    ("torch.trace(S)", 5.0),
    ("torch.roll(M, 1)", [[-1.25, 1.5, -2.0], [0.25, 4.0, 0.5]]),
    ("torch.roll(M, (1, -1), (0, 1))", [[0.5, -1.25, 4.0], [-2.0, 0.25, 1.5]]),
    ("torch.tile(V, (2,))", [1.0, -2.0, 3.0, 1.0, -2.0, 3.0]),
    ("M.tile(2, 1)", [[1.5, -2.0, 0.25], [4.0, 0.5, -1.25], [1.5, -2.0, 0.25], [4.0, 0.5, -1.25]]),
    ("V.repeat_interleave(2)", [1.0, 1.0, -2.0, -2.0, 3.0, 3.0]),
    ("M.repeat_interleave(torch.tensor([1, 2, 0]), dim=1)", [[1.5, -2.0, -2.0], [4.0, 0.5, 0.5]]),
    ("torch.movedim(M[None], 0, 2)", [[[1.5], [-2.0], [0.25]], [[4.0], [0.5], [-1.25]]]),
    ("M.unflatten(1, (3, 1))", [[[1.5], [-2.0], [0.25]], [[4.0], [0.5], [-1.25]]]),
    ("torch.ravel(M)", [1.5, -2.0, 0.25, 4.0, 0.5, -1.25]),
    ("torch.broadcast_to(V, (2, 3))", [[1.0, -2.0, 3.0], [1.0, -2.0, 3.0]]),
    ("torch.broadcast_tensors(V, M)", [[[1.0, -2.0, 3.0], [1.0, -2.0, 3.0]], [[1.5, -2.0, 0.25], [4.0, 0.5, -1.25]]]),
    ("torch.atleast_2d(V)", [[1.0, -2.0, 3.0]]),
    ("torch.hstack([M, M])", [[1.5, -2.0, 0.25, 1.5, -2.0, 0.25], [4.0, 0.5, -1.25, 4.0, 0.5, -1.25]]),
    ("torch.vstack([V, W])", [[1.0, -2.0, 3.0], [0.5, 2.0, -1.0]]),
    ("torch.column_stack([V, W])", [[1.0, 0.5], [-2.0, 2.0], [3.0, -1.0]]),
    (
        'torch.meshgrid(V, W, indexing="xy")',
        [
            [[1.0, -2.0, 3.0], [1.0, -2.0, 3.0], [1.0, -2.0, 3.0]],
            [[0.5, 0.5, 0.5], [2.0, 2.0, 2.0], [-1.0, -1.0, -1.0]],
        ],
    ),
    (
        'torch.meshgrid(V, W[:2], indexing="ij")',
        [[[1.0, 1.0], [-2.0, -2.0], [3.0, 3.0]], [[0.5, 2.0], [0.5, 2.0], [0.5, 2.0]]],
    ),
    ("torch.cartesian_prod(V[:2], W[:2])", [[1.0, 0.5], [1.0, 2.0], [-2.0, 0.5], [-2.0, 2.0]]),
    ("torch.masked_select(M, M > 0)", [1.5, 0.25, 4.0, 0.5]),
    ("torch.take(M, torch.tensor([0, 5]))", [1.5, -1.25]),
    ("torch.median(V)", 1.0),
    ("torch.median(M, 1)", [[0.25, 0.5], [2, 1]]),
    ("V.new_tensor([1, 2])", [1.0, 2.0]),
]

OTHERS = [
    ("torch.isinf(V / (V - 1))", [True, False, False]),
    ("torch.isfinite(V / (V - 1))", [False, True, True]),
    ("torch.isclose(V, V + 1e-9)", [True, True, True]),
    ("torch.logical_and(N - 1, N)", [True, False, False, True]),
    ("torch.logical_or(N - 1, N - 1)", [True, False, False, True]),
    ("torch.logical_xor(N - 1, N)", [False, True, True, False]),
    ("torch.bitwise_and(N, 2)", [2, 0, 0, 2]),
    ("torch.fmod(-N, 2)", [-1, -1, -1, 0]),
    ('torch.div(-N, 2, rounding_mode="trunc")', [-1, 0, 0, -1]),
    ('torch.div(-N, 2, rounding_mode="floor")', [-2, -1, -1, -1]),
    ("torch.count_nonzero(N - 1)", 2),
    ("torch.count_nonzero(M > 0, dim=0)", [2, 1, 1]),
    ("torch.nonzero(M > 0)", [[0, 0], [0, 2], [1, 0], [1, 1]]),
    ("torch.nonzero(N - 1, as_tuple=True)", [[0, 3]]),
    ("torch.where(N > 1)", [[0, 3]]),
    ("torch.unique(N, return_inverse=True, return_counts=True)", [[1, 2, 3], [2, 0, 0, 1], [2, 1, 1]]),
    ("torch.broadcast_shapes((2, 1), (3,), 1)", [2, 3]),
    ("torch.promote_types(torch.int64, torch.float32) == torch.float32", True),
    ("torch.result_type(N, 1.5) == torch.float32", True),
    ("torch.can_cast(torch.float32, torch.int64)", False),
    ("torch.finfo(torch.float32).eps", 1.192092896e-07),
    ("torch.finfo(torch.float64).max", sys.float_info.max),
    ("torch.iinfo(torch.int64).min", -9223372036854775808),
    ("N.new_zeros(2)", [0, 0]),
    ("V.new_ones(1, 2)", [[1.0, 1.0]]),
    ("N.new_full((2,), 7)", [7, 7]),
    ("list(reversed(N.tolist())) == reversed(N).tolist()", True),
    ('format(V[0], ".2f")', "1.00"),
    ("torch.float64.itemsize", 8),
    ("N.dtype.is_floating_point", False),
    ("V.type()", "torch.DoubleTensor"),
    ("N.type(torch.float64)", [3.0, 1.0, 1.0, 2.0]),
    ('V.to(torch.device("cpu"), torch.float32) .dtype == torch.float32', True),
    ("V.to(N).dtype == torch.int64", True),
    ("V.size()[:1] + (2,)", [3, 2]),
    ("V.shape.numel()", 3),
    ("str(M.shape)", "torch.Size([2, 3])"),
    ('repr(torch.device("cuda", 1))', "device(type='cuda', index=1)"),
    ('str(torch.device("cuda:1"))', "cuda:1"),
    ("torch.zeros(2).uniform_(3, 3)", [3.0, 3.0]),
    ("torch.zeros(2).normal_(2, 0)", [2.0, 2.0]),
    ("torch.zeros(3).bernoulli_(1.0)", [1.0, 1.0, 1.0]),
    ("torch.zeros(2, 2).fill_diagonal_(1)", [[1.0, 0.0], [0.0, 1.0]]),
    ("torch.zeros(3).scatter_(0, torch.tensor([0, 2]), 1.0)", [1.0, 0.0, 1.0]),
    ("torch.zeros(3).scatter_add_(0, torch.tensor([0, 0]), torch.tensor([1.0, 5.0]))", [6.0, 0.0, 0.0]),
    ("torch.zeros(3).index_add_(0, torch.tensor([0, 0]), torch.tensor([1.0, 5.0]))", [6.0, 0.0, 0.0]),
]


def names(requires_grad=False):
    """What expressions speak of: two matrices, two vectors, and whole numbers."""
    made = {
        "M": [[1.5, -2.0, 0.25], [4.0, 0.5, -1.25]],
        "S": [[2.0, 1.0], [0.5, 3.0]],
        "V": [1.0, -2.0, 3.0],
        "W": [0.5, 2.0, -1.0],
    }
    leaves = {
        name: torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad) for name, values in made.items()
    }
    return {"torch": torch, "N": torch.tensor([3, 1, 1, 2]), **leaves}


def plain(value):
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value


def near(one, other):
    if isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            near(a, b)
    elif isinstance(one, (str, bool)):
        assert one == other
    else:
        assert one == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize(("expression", "expected"), [*DIFFERENTIABLE, *OTHERS])
def test_values(expression, expected):
    near(plain(eval(expression, names())), expected)


#: These have steps where the numbers are, or no inputs.
UNEVEN = ("round(", "new_tensor", "nan_to_num", "frac(", "fmod(")


@pytest.mark.parametrize("expression", [it for it, _ in DIFFERENTIABLE if not any(name in it for name in UNEVEN)])
def test_derivatives(expression):
    there = names(requires_grad=True)
    leaves = [name for name in "MSVW" if name in expression]

    def run(*tensors):
        made = eval(expression, {**there, **dict(zip(leaves, tensors, strict=True))})
        return tuple(made) if isinstance(made, tuple) else made

    assert autograd.gradcheck(run, [there[name] for name in leaves])


def test_the_norm_of_nothing_has_the_derivative_zero():
    x = torch.zeros(3, requires_grad=True)
    x.norm().backward()
    assert x.grad.tolist() == [0, 0, 0]


IN_PLACE = {
    "sin_": lambda x: x.sin_(),
    "square_": lambda x: x.square_(),
    "reciprocal_": lambda x: x.reciprocal_(),
    "lerp_": lambda x: x.lerp_(x * 2, 0.25),
    "addcmul_": lambda x: x.addcmul_(x * 1, x * 1, value=3),
    "index_add_": lambda x: x.index_add_(0, torch.tensor([0]), x[1:2] * 3),
    "scatter_": lambda x: x.scatter_(0, torch.tensor([0]), x[1:2] * 3),
    "clip_": lambda x: x.clip_(-1.5, 1.5),
    "tril_": lambda x: x.view(1, 3).tril_(1).view(3),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name):
    """The same tensor, with the derivative of what was computed, also in a view."""
    x = names(requires_grad=True)["V"]
    base = x * 1
    assert IN_PLACE[name](base).data_ptr() == base.data_ptr()

    def run(x):
        base = x * 1
        IN_PLACE[name](base)
        whole = torch.cat([x, x]) * 1
        IN_PLACE[name](whole[:3])
        return base * 2 + whole[3:], whole

    assert autograd.gradcheck(run, [x])


def test_errors_name_what_was_written_in_place():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    out = y.exp() * y
    y.sin_()
    with pytest.raises(RuntimeError, match="sin_"):
        out.sum().backward()


ERRORS = {
    "terms": ('torch.einsum("ij", M, M)', RuntimeError, "the equation has 1 operands, and there are 2"),
    "subscripts": ('torch.einsum("i", M)', RuntimeError, r"number of subscripts in the equation \(1\) does not match"),
    "lengths": ('torch.einsum("ij,jk", M, M)', RuntimeError, "operands do not broadcast: 'j' has lengths 3 and 2"),
    "result": ('torch.einsum("ij->ik", M)', RuntimeError, "output subscript k"),
    "square": ('torch.einsum("ii", M)', RuntimeError, "subscript i is repeated"),
    "contracted": ("torch.tensordot(M, M, 1)", RuntimeError, "contracted dimensions need to match"),
    "dot": ("torch.dot(M, V)", RuntimeError, "1D tensors expected, but got 2D and 1D tensors"),
    "diag": ("torch.diag(M[None])", RuntimeError, "Supports 1D or 2D tensors. Got 3D"),
    "unflatten": ("M.unflatten(1, (2, 2))", RuntimeError, "don't multiply up to the size of dim 1"),
    "repeats": ("V.repeat_interleave(torch.tensor([1, 2]))", RuntimeError, "repeats must have the same size"),
    "rounding": ("torch.div(M, 2, rounding_mode='up')", RuntimeError, "found 'up'"),
    "mask": ("torch.masked_select(M, M)", RuntimeError, "expected BoolTensor"),
    "shapes": ("torch.broadcast_shapes((2,), (3,))", RuntimeError, "cannot be broadcast to a single shape"),
    "finfo": ("torch.finfo(torch.int64)", TypeError, "floating point"),
    "iinfo": ("torch.iinfo(torch.float32)", TypeError, "integer"),
    "device": ("torch.device('moon')", RuntimeError, "Invalid device string: 'moon'"),
    "cuda": ("M.cuda()", RuntimeError, "there is no device 'cuda'"),
    "there": ("torch.zeros(2, device='cuda')", RuntimeError, "there is no device 'cuda'"),
    "to": ("M.to('cuda:1')", RuntimeError, "there is no device 'cuda:1'"),
    "type": ("M.type('torch.HalfTensor')", ValueError, "invalid type"),
    "negative": ("torch.zeros(2, -1)", RuntimeError, r"negative dimension: \[2, -1\]"),
    "steps": ("torch.linspace(0, 1, -1)", RuntimeError, "number of steps must be non-negative"),
    "format": ("format(V, '.2f')", ValueError, "format"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    expression, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        eval(expression, names())


def test_devices_and_sizes_are_values():
    cpu = torch.device("cpu")
    assert torch.zeros(2).device == cpu
    assert torch.zeros(2).cpu().is_cpu
    assert not torch.zeros(2).is_cuda
    assert not torch.cuda.is_available()
    assert torch.cuda.device_count() == 0
    assert not torch.backends.mps.is_available()
    assert {cpu: 1}[torch.device(cpu)] == 1
    assert cpu != torch.device("cuda:0")
    with pytest.raises(AttributeError, match="not writable"):
        cpu.type = "cuda"
    size = torch.zeros(2, 3).shape
    assert isinstance(size, torch.Size)
    assert size == (2, 3)
    assert (torch.Size([1]) + size, size * 2) == (torch.Size([1, 2, 3]), torch.Size([2, 3, 2, 3]))
    assert torch.zeros(size[::-1]).size() == (3, 2)
