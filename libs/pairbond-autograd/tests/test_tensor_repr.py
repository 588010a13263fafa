"""`repr`, as PyTorch writes it."""

import random
import re

import pairbond_autograd as torch
import pytest

INF = float("inf")


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (
            lambda: torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True),
            "tensor([[1., 2.],\n        [3., 4.]], requires_grad=True)",
        ),
        (lambda: torch.tensor([1.0, 2.0], requires_grad=True) * 2, "tensor([2., 4.], grad_fn=<MulBackward0>)"),
        (lambda: torch.tensor([0.5, -3]), "tensor([ 0.5000, -3.0000])"),
        (lambda: torch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
        (lambda: torch.tensor([1e9]), "tensor([1.0000e+09])"),
        (lambda: torch.tensor([1.0, INF, -INF, INF - INF]), "tensor([1., inf, -inf, nan])"),
        (lambda: torch.tensor(7), "tensor(7)"),
        (lambda: torch.tensor([True, False]), "tensor([ True, False])"),
        (lambda: torch.tensor([-10, 2]), "tensor([-10,   2])"),
        (lambda: torch.tensor([1.0], dtype=torch.float64), "tensor([1.], dtype=float64)"),
        (lambda: torch.tensor([]), "tensor([])"),
        (lambda: torch.zeros(0, 3), "tensor([], size=(0, 3))"),
        (lambda: torch.zeros(1 << 40, 0), "tensor([], size=(1099511627776, 0))"),
        (lambda: torch.zeros(1 << 40, 1 << 40, 0), "tensor([], size=(1099511627776, 1099511627776, 0))"),
        (lambda: torch.zeros(0, dtype=torch.int64), "tensor([], dtype=int64)"),
        (lambda: torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
        (lambda: torch.tensor([2**62 + 1]), "tensor([4611686018427387905])"),
    ],
)
def test_text(tensor, text):
    assert repr(tensor()) == text


def test_long_lines_are_broken():
    lines = repr(torch.arange(100)).split("\n")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("        ")


def test_against_torch():
    pytorch = pytest.importorskip("torch", reason="compared with PyTorch where it is installed")
    for seed in range(300):
        rng = random.Random(seed)
        shape = [rng.choice([0, 1, 2, 5, 30]) for _ in range(rng.randint(0, 3))]
        scale = rng.choice([1e-6, 1e-3, 1, 1, 1e5, 1e12])
        n = 1
        for length in shape:
            n *= length
        kind = rng.choice(["float32", "float64", "int64", "bool"])
        numbers = [rng.choice([0, rng.randint(-9, 9), rng.gauss(0, 1)]) * scale for _ in range(n)]
        theirs = pytorch.tensor(numbers, dtype=pytorch.float64).to(getattr(pytorch, kind)).reshape(shape)
        ours = torch.from_dlpack(theirs) if kind != "bool" else torch.tensor(theirs.numpy())
        # Its name of a dtype is longer, which may break the line before.
        expected = re.sub(r",\s+dtype=torch\.", ", dtype=", repr(theirs))
        assert re.sub(r",\s+dtype=", ", dtype=", repr(ours)) == expected, f"seed {seed}"
