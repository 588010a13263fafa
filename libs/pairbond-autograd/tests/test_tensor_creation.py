"""Functions that make tensors."""

import pairbond_autograd as torch
import pytest

numpy = pytest.importorskip("numpy", reason="the oracle is numpy")


def test_constants():
    assert torch.zeros(2, 3).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert torch.zeros((2,)).dtype is torch.float32
    assert torch.ones([2], dtype=torch.int64).tolist() == [1, 1]
    assert torch.zeros().shape == ()
    assert torch.full((2,), 7).dtype is torch.int64
    assert torch.full((), 1.5, dtype=torch.float64).item() == 1.5
    assert torch.empty(2, 0, 3).numel() == 0
    like = torch.zeros_like(torch.ones(2, dtype=torch.float64))
    assert (like.dtype, like.tolist()) == (torch.float64, [0, 0])
    assert torch.full_like(like, 3, dtype=torch.int64).tolist() == [3, 3]
    assert torch.ones(1, requires_grad=True).requires_grad
    assert torch.eye(2, 3).tolist() == numpy.eye(2, 3).tolist()
    with pytest.raises(RuntimeError, match="larger than memory"):
        torch.zeros(1 << 40, 1 << 40)
    with pytest.raises(RuntimeError, match="only 'cpu'"):
        torch.zeros(1, device="cuda")
    with pytest.raises(RuntimeError, match="there is no device 'cuda', only 'cpu'"):
        torch.tensor([1.0], device="cuda")
    assert torch.tensor([1.0], device="cpu").tolist() == [1]
    with pytest.raises(RuntimeError, match="floating point"):
        torch.zeros(1, dtype=torch.int64, requires_grad=True)


FAR = 1 << 45
LARGE = {
    "zeros": lambda: torch.zeros(FAR),
    "full": lambda: torch.full((FAR,), 1.5),
    "zeros_like": lambda: torch.zeros_like(torch.ones(1).expand(FAR)),
    "arange": lambda: torch.arange(FAR),
    "linspace": lambda: torch.linspace(0, 1, FAR),
    "eye": lambda: torch.eye(1 << 23),
    "rand": lambda: torch.rand(FAR),
    "randn": lambda: torch.randn(FAR),
    "randint": lambda: torch.randint(3, (FAR,)),
    "randperm": lambda: torch.randperm(FAR),
    "add": lambda: torch.ones(1).expand(FAR) + 1,
    "outer": lambda: torch.ones(1 << 23, 1) * torch.ones(1, 1 << 23),
    "exp": lambda: torch.ones(1).expand(FAR).exp(),
    "where": lambda: torch.where(torch.tensor(True), torch.ones(1).expand(FAR), torch.ones(1)),
    "clone": lambda: torch.ones(1).expand(FAR).clone(),
    "double": lambda: torch.ones(1).expand(FAR).double(),
    "contiguous": lambda: torch.ones(1).expand(FAR).contiguous(),
    "reshape": lambda: torch.ones(2, 1).expand(2, FAR).reshape(FAR, 2),
    "repeat": lambda: torch.ones(1).repeat(FAR),
    "cat": lambda: torch.cat([torch.ones(1).expand(FAR), torch.ones(1)]),
    "stack": lambda: torch.stack([torch.ones(1).expand(FAR)] * 2),
    "pad": lambda: torch.nn.functional.pad(torch.ones(1), (0, FAR)),
    "matmul": lambda: torch.ones(1 << 23, 1) @ torch.ones(1, 1 << 23),
    "softmax": lambda: torch.softmax(torch.ones(1).expand(FAR), 0),
    "cumsum": lambda: torch.ones(1).expand(FAR).cumsum(0),
    "sum": lambda: torch.ones(1).expand(FAR, 1).sum(1),
    "index": lambda: torch.ones(2)[torch.zeros(1, dtype=torch.int64).expand(FAR)],
    "index by two": lambda: torch.ones(2, 2)[
        torch.zeros(1, 1).long().expand(1 << 23, 1), torch.zeros(1).long().expand(1 << 23)
    ],
    "gather": lambda: torch.gather(torch.ones(1), 0, torch.zeros(1, dtype=torch.int64).expand(FAR)),
    "expand": lambda: torch.ones(1).expand(1 << 33, 1 << 33),
    "backward": lambda: torch.ones(1, requires_grad=True).expand(FAR)[0].backward(),
    "tolist": lambda: torch.ones(1).expand(FAR).tolist(),
    "dot": lambda: torch.ones(1).expand(FAR) @ torch.ones(1).expand(FAR).clone(),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_memory_cannot_hold_raises(name):
    with pytest.raises((MemoryError, RuntimeError), match="memory"):
        LARGE[name]()


@pytest.mark.parametrize("bounds", [(5,), (2, 7), (2, 7, 2), (7, 2, -2), (0.0, 1.0, 0.25), (3, 3), (1, 2.5)])
def test_arange(bounds):
    expected = numpy.arange(*bounds)
    got = torch.arange(*bounds)
    assert got.tolist() == expected.tolist()
    assert got.dtype is (torch.int64 if expected.dtype.kind == "i" else torch.float32)


def test_linspace():
    assert torch.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert torch.linspace(3, 4, 1).tolist() == [3]
    assert torch.linspace(3, 4, 0).tolist() == []
    got = torch.linspace(-3, 7, 11, dtype=torch.float64)
    assert numpy.allclose(got.numpy(), numpy.linspace(-3, 7, 11), rtol=1e-15)


def test_bad_ranges():
    with pytest.raises(RuntimeError, match="nonzero"):
        torch.arange(0, 1, 0)
    with pytest.raises(RuntimeError, match="inconsistent"):
        torch.arange(0, 1, -1)


def test_random_numbers_are_those_of_their_seed():
    torch.manual_seed(3)
    first = [torch.rand(5).tolist(), torch.randn(2, 3).tolist(), torch.randint(10, (4,)).tolist()]
    torch.manual_seed(3)
    assert [torch.rand(5).tolist(), torch.randn(2, 3).tolist(), torch.randint(10, (4,)).tolist()] == first
    assert torch.rand(5).tolist() != first[0]


def test_random_numbers_are_distributed_as_they_should_be():
    torch.manual_seed(1)
    n = 100_000
    flat = torch.rand(n).numpy()
    assert flat.min() >= 0
    assert flat.max() < 1
    # Six standard deviations of the mean and of the variance.
    assert abs(flat.mean() - 1 / 2) < 6 * (1 / 12 / n) ** 0.5
    assert abs(flat.var() - 1 / 12) < 6 * (1 / 180 / n) ** 0.5
    normal = torch.randn(n, dtype=torch.float64).numpy()
    assert abs(normal.mean()) < 6 / n**0.5
    assert abs(normal.var() - 1) < 6 * (2 / n) ** 0.5
    assert abs((normal**4).mean() - 3) < 6 * (96 / n) ** 0.5
    counts = numpy.bincount(torch.randint(-3, 4, (n,)).numpy() + 3, minlength=7)
    assert (abs(counts - n / 7) < 6 * (n / 7) ** 0.5).all()
    assert sorted(torch.randperm(100).tolist()) == list(range(100))
    with pytest.raises(RuntimeError, match="less than"):
        torch.randint(3, 3, (1,))


def test_tensor_copies_and_as_tensor_shares():
    x = torch.tensor([1.0, 2.0])
    assert torch.as_tensor(x) is x
    copied = torch.tensor(x)
    copied[0] = 5
    assert x.tolist() == [1, 2]
    array = numpy.array([1.0, 2.0])
    shared, copied = torch.as_tensor(array), torch.tensor(array)
    array[0] = 7
    assert (shared.tolist(), copied.tolist()) == ([7, 2], [1, 2])
    assert torch.as_tensor([1, 2]).tolist() == [1, 2]
    assert torch.as_tensor(array, dtype=torch.float32).dtype is torch.float32
    assert torch.tensor(numpy.array([1, 2], dtype="uint8")).dtype is torch.int64
    assert torch.tensor([torch.tensor(1.0), torch.tensor(2.0)]).tolist() == [1, 2]
    with pytest.raises(TypeError, match="complex"):
        torch.tensor(numpy.array([1j]))
