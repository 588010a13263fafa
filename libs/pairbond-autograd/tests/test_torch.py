"""The same programs here and in torch: values and gradients are equal. Runs where torch is installed."""

import math
import os
import random
import time

import pairbond_autograd as ours
import pytest

theirs = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

SHAPES = [(), (3,), (2, 3), (3, 1), (1, 3), (2, 3, 4), (3, 4)]

UNARY = [
    "exp",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "neg",
    "square",
    "sinh",
    "cosh",
    "erf",
    "expm1",
    "atan",
    "floor",
    "sign",
]
BINARY = ["add", "sub", "mul", "maximum", "minimum"]


def numbers(shape, dice):
    if not shape:
        return dice.uniform(-1.5, 1.5)
    return [numbers(shape[1:], dice) for _ in range(shape[0])]


class Program:
    """Steps that are drawn once and run in both libraries."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.leaves = [numbers(self.dice.choice(SHAPES), self.dice) for _ in range(self.dice.randint(1, 4))]
        self.double = self.dice.random() < 0.7
        self.seed = seed

    def run(self, torch):
        dice = random.Random(self.seed + 1)
        F = torch.nn.functional
        dtype = torch.float64 if self.double else torch.float32
        leaves = [torch.tensor(values, dtype=dtype, requires_grad=True) for values in self.leaves]
        values = list(leaves)
        for _ in range(dice.randint(3, 12)):
            values.append(self.step(torch, F, dice, values))
        loss = sum(value.sum() for value in values[len(leaves) :])
        loss.backward()
        return [value.tolist() for value in values], [None if x.grad is None else x.grad.tolist() for x in leaves]

    def step(self, torch, F, dice, values):
        x = dice.choice(values)
        y = dice.choice(values)
        kind, number, flag, i, j = (
            dice.randrange(34),
            dice.uniform(-2, 2),
            dice.random() < 0.5,
            dice.random(),
            dice.random(),
        )
        rank = len(x.shape)
        axis = int(i * rank) if rank else 0
        other = int(j * rank) if rank else 0
        safe = x.tanh()  # what stays small, so that programs do not overflow
        if kind < 8:
            return getattr(safe, UNARY[int(i * len(UNARY))])()
        if kind < 12:
            try:
                return getattr(torch, BINARY[int(i * len(BINARY))])(safe, y.tanh())
            except RuntimeError:  # they cannot be stretched
                return safe * number + 1
        match kind:
            case 12:
                return (safe * safe + 1).log().sqrt() if flag else (safe + 2) ** number
            case 13:
                return 2 / (safe + 3) - number / (2 + safe * safe)
            case 14:
                return safe.sum(axis, flag) if rank else safe.sum()
            case 15:
                return safe.mean(axis, flag) if rank else safe.mean()
            case 16:
                return safe.amax(axis, flag) if rank else safe.max()
            case 17:
                return safe.softmax(axis) * safe if rank else safe.exp()
            case 18:
                return safe.log_softmax(axis) if rank else safe
            case 19:
                return safe.logsumexp(axis, flag) if rank else safe
            case 20:
                return safe.transpose(axis, other).exp() if rank else safe
            case 21:
                return safe.reshape(-1).flip(0)
            case 22:
                return torch.cat([safe, safe * 2], axis) if rank else torch.stack([safe, safe])
            case 23:
                return torch.stack([safe, x.sigmoid()], axis)
            case 24:
                return safe.unsqueeze(axis).expand(*x.shape[:axis], 2, *x.shape[axis:]) * number
            case 25:
                return torch.where(safe > number / 4, safe, safe * number)
            case 26:
                return safe.clamp(-0.5, max(number, -0.5))
            case 27:
                return F.gelu(safe)
            case 28:
                return safe.cumsum(axis) if rank else safe
            case 29:
                return safe.narrow(axis, 0, x.shape[axis]) * safe.select(axis, -1).unsqueeze(axis) if rank else safe
            case 30:
                if rank < 2:
                    return safe.prod()
                return safe @ safe.transpose(-1, -2)
            case 31:
                index = torch.tensor([int(j * x.shape[axis]), 0]) if rank else None
                return safe.index_select(axis, index) if rank else safe
            case 32:
                return safe.max(axis, flag)[0] + safe.min(axis, flag)[0] if rank else safe
            case _:
                return (
                    F.layer_norm(safe + x.sin(), tuple(x.shape[-1:]))
                    if rank and x.shape[-1] > 2
                    else safe.var(unbiased=False)
                )


def near(one, other, tolerance, where):
    if isinstance(one, list):
        assert len(one) == len(other), where
        for a, b in zip(one, other, strict=True):
            near(a, b, tolerance, where)
    elif one is None or other is None:
        assert one is other, where
    else:
        assert one == pytest.approx(other, rel=tolerance, abs=tolerance, nan_ok=True), where


def flat(values):
    if isinstance(values, list):
        return [number for value in values for number in flat(value)]
    return [] if values is None else [values]


def rounding(program, results):
    """How far torch is from the same program with doubles: what single precision can tell at all."""
    program.double = True
    pairs = zip(flat(list(results)), flat(list(program.run(theirs))), strict=True)
    program.double = False
    return max((abs(a - b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)), default=0.0)


def compare(seed, any_program=False):
    program = Program(seed)
    tolerance = 1e-9 if program.double else 2e-4
    here, there = program.run(ours), program.run(theirs)
    if any_program and not program.double:
        # Some are ill-conditioned: both are wrong then, each in its own way.
        tolerance = max(tolerance, 4 * rounding(program, there))
    near(here[0], there[0], tolerance, f"values of program {seed}")
    near(here[1], there[1], tolerance, f"gradients of program {seed}")


def test_random_programs():
    for seed in range(200):
        compare(seed)
    # Single precision cannot tell the gradients of this one better than to five ten-thousandths.
    compare(1041679775353, any_program=True)
    if os.environ.get("PAIRBOND_LONG"):
        seed, end = random.randrange(1 << 40), time.monotonic() + float(os.environ.get("PAIRBOND_LONG_SECONDS", 60))
        while time.monotonic() < end:
            compare(seed, any_program=True)
            seed += 1


def both(program):
    """The results of the same in both libraries."""
    near(program(ours), program(theirs), 1e-5, "")


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(reduction):
    def program(torch):
        F = torch.nn.functional
        x = torch.tensor([[0.2, -0.4, 1.5], [2.0, 0.1, -1.0]], requires_grad=True)
        y = torch.tensor([[0.1, 0.5, 0.5], [1.0, 0.2, 0.0]])
        labels, weight = torch.tensor([2, 0]), torch.tensor([0.5, 1.0, 2.0])
        p = x.sigmoid()
        losses = [
            F.mse_loss(x, y, reduction=reduction),
            F.l1_loss(x, y, reduction=reduction),
            F.binary_cross_entropy(p, y, reduction=reduction),
            F.binary_cross_entropy_with_logits(x, y, reduction=reduction),
            F.cross_entropy(x, labels, weight, reduction=reduction),
            F.cross_entropy(x, y.softmax(1), label_smoothing=0.1, reduction=reduction),
            F.cross_entropy(x, torch.tensor([1, -100]), label_smoothing=0.2, reduction=reduction),
            F.nll_loss(x.log_softmax(1), labels, reduction=reduction),
        ]
        sum(loss.sum() for loss in losses).backward()
        return [*(loss.tolist() for loss in losses), x.grad.tolist()]

    both(program)


def test_images():
    dice = random.Random(3)
    image, kernel = numbers((2, 4, 6, 5), dice), numbers((6, 2, 3, 2), dice)

    def program(torch):
        F = torch.nn.functional
        x, w = torch.tensor(image, requires_grad=True), torch.tensor(kernel, requires_grad=True)
        y = F.conv2d(x, w, None, (2, 1), (2, 1), (1, 2), 2)
        pooled, places = F.max_pool2d(x, (3, 2), (2, 1), (1, 1), return_indices=True)
        mean = F.avg_pool2d(x, 2, 1, 1)
        ((y * y).sum() + (pooled * pooled).sum() + (mean * mean).sum()).backward()
        return [y.tolist(), pooled.tolist(), places.tolist(), mean.tolist(), x.grad.tolist(), w.grad.tolist()]

    both(program)


OPTIMIZERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1, "maximize": True}),
    ("AdamW", {"lr": 0.05, "eps": 1e-3}),
    ("Adam", {"lr": 0.05, "betas": (0.5, 0.6), "amsgrad": True}),
    ("AdamW", {"lr": 0.05, "betas": (0.5, 0.6), "amsgrad": True, "maximize": True}),
]


@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS)
def test_optimizers(name, settings):
    def program(torch):
        x = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
        optimizer = getattr(torch.optim, name)([x], **settings)
        for _ in range(5):
            optimizer.zero_grad()
            (x.sin() * x).sum().backward()
            optimizer.step()
        return x.tolist()

    both(program)
