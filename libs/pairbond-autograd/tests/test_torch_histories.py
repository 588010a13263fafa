"""Random programs of views, writes in place and custom functions, here and in torch, with derivatives of first and
second order: values and gradients are equal, and both refuse the same steps. Runs where torch is installed."""

import contextlib
import os
import random
import time

import pairbond_autograd as ours
import pytest

theirs = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

SHAPES = [(3,), (2, 3), (3, 3), (1, 3), (2, 1, 3), (), (4,), (0, 3)]


def functions(torch):
    """Custom functions of a library."""
    Function = torch.autograd.Function

    class View(Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return View.apply(grad) * 2

    class Itself(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    class Exponential(Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, grad):
            (out,) = ctx.saved_tensors
            return grad * out

    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    class Two(Function):
        @staticmethod
        def forward(x, y=None, factor=2.0):
            return x * factor, x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.y, ctx.factor = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, one, other):
            (x,) = ctx.saved_tensors
            return one * ctx.factor + other * x.cos(), None, None

    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            out = x * 2
            return out, out

        @staticmethod
        def backward(ctx, one, other):
            return one * 2 + other * 5

    return {
        "View": View.apply,
        "Itself": Itself.apply,
        "Cube": lambda x: Cube.apply(x.tanh()),
        "Exponential": lambda x: Exponential.apply(x.tanh()),
        "Doubled": Doubled.apply,
        "Two": lambda x: sum(Two.apply(x)),
        "Twice": lambda x: Twice.apply(x)[0] + Twice.apply(x)[1],
    }


def view(x, dice):
    """A view, if the shape allows the one that was drawn."""
    rank, kind, number = len(x.shape), dice.randrange(14), dice.random()
    axis = int(number * rank)
    match kind:
        case 0:
            return x.view(-1)
        case 1:
            return x.view(x.shape)
        case 2:
            return x.unsqueeze(axis)
        case 3:
            return x.transpose(axis, -1) if rank else x[...]
        case 4 | 5:
            return x.narrow(axis, 0, max(x.shape[axis] - 1, 0)) if rank else x[None]
        case 6:
            return x[1:] if rank else x.expand(2)
        case 7:
            return x.select(axis, 0)
        case 8:
            return x[..., ::2] if rank else x.squeeze()
        case 9:
            return x.diagonal(dice.choice([0, 1, -1]))
        case 10:
            return x.squeeze()
        case 11:
            return x.unsqueeze(axis).expand(*x.shape[:axis], 2, *x.shape[axis:])
        case 12:
            return x.permute(*reversed(range(rank))) if rank else x[None]
        case _:
            return x[:]


IN_PLACE = {
    "mul": lambda x, y, n: x.mul_(n),
    "mul tensor": lambda x, y, n: x.mul_(y),
    "add": lambda x, y, n: x.add_(y),
    "sub": lambda x, y, n: x.sub_(n),
    "div": lambda x, y, n: x.div_(n + 3),
    "exp": lambda x, y, n: x.tanh_() if n > 0 else x.sigmoid_(),
    "tanh": lambda x, y, n: x.tanh_(),
    "relu": lambda x, y, n: x.relu_(),
    "sin": lambda x, y, n: x.sin_(),
    "neg": lambda x, y, n: x.neg_(),
    "zero": lambda x, y, n: x.zero_(),
    "fill": lambda x, y, n: x.fill_(n),
    "copy": lambda x, y, n: x.copy_(y),
    "clamp": lambda x, y, n: x.clamp_(-0.7, 0.9),
    "masked_fill": lambda x, y, n: x.masked_fill_(x > 0.3, n),
    "square": lambda x, y, n: x.pow_(2),
    "iadd": lambda x, y, n: x.__iadd__(n),
    "gt": lambda x, y, n: x.gt_(n),
    "ne": lambda x, y, n: x.ne_(n),
    "remainder": lambda x, y, n: x.remainder_(abs(n) + 0.1),
    "addcmul": lambda x, y, n: x.addcmul_(y, y),
}


def assigned(x, y, dice):
    rank = len(x.shape)
    if not rank:
        x[...] = dice.uniform(-1, 1)
    elif dice.random() < 0.5:
        x[:1] = dice.uniform(-1, 1)
    else:
        x[..., :1] = y
    return x


def computed(torch, x, y, dice):
    rank, kind, number, draw = len(x.shape), dice.randrange(26), dice.uniform(-2, 2), dice.random()
    axis = int(draw * rank)
    match kind:
        case 0:
            return x * y
        case 1:
            return x + y
        case 2:
            return x - y * number
        case 3:
            return x / (y * y + 1)
        case 4:
            return x.tanh().exp()
        case 5:
            return x.sin() * number
        case 6:
            return x.sigmoid()
        case 7:
            return x.relu()
        case 8:
            return x.sum(axis) if rank else x * 1
        case 9:
            return x.mean() if x.numel() else x * number
        case 10:
            return torch.cat([x, x.narrow(axis, 0, 0), x], axis) if rank else x.abs()
        case 11:
            return torch.stack([x, x * number], axis)
        case 12:
            return torch.where(x > number / 4, x, x * number)
        case 13:
            return x.tanh().cumsum(axis) if rank else x.cos()
        case 14:
            return x.softmax(axis) if rank else x.cosh().log()
        case 15:
            return x.roll(dice.randrange(3), axis) if rank else x.atan()
        case 16:
            return x @ x.transpose(-1, -2) if rank == 2 else x.square()
        case 17:
            return x.clone()
        case 18:
            return x.contiguous() * 1
        case 19:
            return (x.tanh() + 2) ** (y.tanh() if draw < 0.5 else number)
        case 20:
            return x.index_select(axis, torch.tensor([0, 0])) if rank and x.shape[axis] else x.neg()
        case 21:
            return x.masked_fill(x < 0, number)
        case 22:
            return x.flip(axis) * number if rank else x.expm1().tanh()
        case 23:
            return torch.hypot(x, y * 0 + 1)
        case 24:
            return x.detach() * y
        case _:
            return x.reshape(-1) * number


def given(x, y, dice, values):
    """`x.data = other`. Not where there are views: PyTorch goes on counting writes to them and to `x` together."""
    if x._base is not None or any(it._base is x for it in values):
        return
    kind, number = dice.randrange(5), dice.uniform(-2, 2)
    pairs = list(zip(reversed(x.shape), reversed(y.shape), strict=False))
    is_apart = any(one != other and 1 not in (one, other) for one, other in pairs)
    if kind == 0 and (x.shape == y.shape or (x.is_leaf and is_apart)):
        # Perhaps of another shape, that gradients of the former one cannot be stretched to.
        x.data = y.detach()
    elif kind == 1:
        x.data = x.detach() * number
    elif kind == 2:
        x.data = (x.detach() * number).flatten().repeat(2)[: x.numel()].reshape(x.shape)
    elif kind == 3 and len(x.shape) == 2:
        x.data = (x.detach().t() * number).t()
    elif kind == 4:
        x.data = y.detach().sum().expand(x.shape).clone()


class Program:
    """Steps that are drawn once and run in both libraries."""

    def __init__(self, seed):
        self.seed = seed

    def run(self, torch):
        """All that can be seen: which steps were refused, and values and derivatives of what is left."""
        dice, seen, refused = random.Random(self.seed), [], []
        custom = functions(torch)

        def numbers(shape):
            if not shape:
                return round(dice.uniform(-1.5, 1.5), 3)
            return [numbers(shape[1:]) for _ in range(shape[0])]

        def made(shape):
            if 0 in shape:
                return torch.zeros(shape, dtype=torch.float64)
            return torch.tensor(numbers(shape), dtype=torch.float64)

        leaves = [made(dice.choice(SHAPES)).requires_grad_(dice.random() < 0.8) for _ in range(dice.randint(1, 3))]
        # Results may be written to, unlike leaves.
        values = [leaf * 1 for leaf in leaves]
        values += leaves if dice.random() < 0.3 else []
        for place in range(dice.randint(2, 9)):
            # Drawn anew, so that a step that is refused in one library does not change the next.
            attempt(refused, f"step {place}", self.step, torch, random.Random(f"{self.seed} {place}"), custom, values)
        dice, used, parts = random.Random(f"{self.seed} end"), [], []
        for place, value in enumerate(values):
            # What was refused may have a history that cannot be used.
            attempt(refused, f"value {place}", lambda value=value: parts.append((value * dice.uniform(0.5, 1.5)).sum()))
            used += [value][: len(parts) - len(used)]
        attempt(refused, "the end", self.differentiate, torch, leaves, used, sum(parts), seen)
        return refused, seen

    @staticmethod
    def step(torch, dice, custom, values):
        kind = dice.random()
        x, y = dice.choice(values), dice.choice(values)
        # PyTorch takes a view of what was written to for a leaf until Python looks at its history.
        with contextlib.suppress(RuntimeError):
            assert x.is_leaf is (x.grad_fn is None)
        if kind < 0.3:
            values.append(view(x, dice))
        elif kind < 0.52:
            name, number, recorded = dice.choice([*IN_PLACE]), dice.uniform(-2, 2), dice.random() < 0.95
            if x.shape != y.shape and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr():
                # PyTorch may write what it reads later.
                return
            with torch.set_grad_enabled(recorded):
                IN_PLACE[name](x, y, number)
        elif kind < 0.58:
            assigned(x, y, dice)
        elif kind < 0.72:
            name = dice.choice([*custom])
            values.append(custom[name](x))
        elif kind < 0.76:
            hook_factor = dice.uniform(0, 2)
            if x.requires_grad:
                x.register_hook(lambda grad, factor=hook_factor: grad * factor)
        elif kind < 0.8:
            if x.requires_grad:
                x.retain_grad()
        elif kind < 0.84:
            given(x, y, dice, values)
        else:
            values.append(computed(torch, x, y, dice))

    @staticmethod
    def differentiate(torch, leaves, values, loss, seen):
        """Notes values and derivatives of first and second order."""
        seen += [value.detach().tolist() for value in values]
        seen += [[value.requires_grad, value.is_leaf] for value in values]
        # Of what was written to PyTorch calls hooks if it is the only one.
        wanted = [leaf for leaf in leaves if leaf.requires_grad and leaf.is_leaf]
        first = torch.autograd.grad(loss, wanted, create_graph=True, allow_unused=True)
        seen += [None if grad is None else (grad.detach() + 0).tolist() for grad in first]
        # Of gradients without elements torch may forget the history.
        used = [grad for grad in first if grad is not None and grad.numel() and grad.requires_grad]
        if any(value.numel() == 0 for value in values):
            # PyTorch forgets some histories that lead through tensors without elements.
            used = []
        seen.append(len(used))
        if used:
            sum((grad * grad).sum() for grad in used).backward()
            seen += [None if leaf.grad is None else (leaf.grad + 0).tolist() for leaf in leaves]
            seen += [
                (value.grad + 0).tolist()
                for value in values
                if not value.is_leaf and value.retains_grad and value.grad is not None
            ]


def attempt(refused, what, function, *arguments):
    """Calls a function, and notes the error if it is refused."""
    try:
        function(*arguments)
    except (RuntimeError, IndexError, ValueError) as error:
        refused.append((what, str(error)))


def near(one, other):
    if isinstance(one, (list, tuple)):
        return isinstance(other, (list, tuple)) and len(one) == len(other) and all(map(near, one, other))
    if isinstance(other, (list, tuple)):
        return False
    if one is None or other is None or isinstance(one, bool):
        return one is other
    return one == pytest.approx(other, rel=1e-6, abs=1e-7, nan_ok=True)


# PyTorch's refusals that are not needed here: results that a step in place saved are copies, as
# operands are.
UNNEEDED = (
    "modified by an inplace operation",
    "some elements of the input tensor and the written-to tensor refer to a single memory location",
)
# Results lie in order here for all strides of operands, so that other views of them are possible.
STRIDES = "view size is not compatible with input tensor's size and stride"
# Writes to stretched tensors are refused here already; some of them in PyTorch by their
# derivatives.
STRETCHED = "more than one element of the written-to tensor refers to a single memory location"
# A view that a function made of a constant, whose base was written to with a history: here it
# stays a constant.
OF_FUNCTION = "A view was created in no_grad mode and its base or another view of its base has been modified inplace"


def tolerated(here, there):
    """Why the one library may refuse a step that the other does not; None if it may not."""
    if any(it in there for it in UNNEEDED):
        return "refused there only"
    if STRIDES in here or STRIDES in there:
        return "other strides"
    if STRETCHED in here or STRETCHED in there:
        return "stretched"
    if OF_FUNCTION in there:
        return "a constant view of a function"
    return None


def difference(seed):
    """What differs, or None; and how far both libraries agreed."""
    (refused_here, here), (refused_there, there) = (Program(seed).run(library) for library in (ours, theirs))
    refusals_here, refusals_there = dict(refused_here), dict(refused_there)
    for step in sorted({*refusals_here, *refusals_there}, key=lambda step: ("svt".index(step[0]), step)):
        one, other = refusals_here.get(step), refusals_there.get(step)
        if (one is None) != (other is None):
            reason = tolerated(one or "", other or "")
            return None if reason else f"program {seed}, {step}: here {one}, there {other}", reason
    if not near(here, there):
        places = [place for place, both in enumerate(zip(here, there, strict=False)) if not near(*both)]
        one = places[0] if places else -1
        return f"program {seed}: {len(here)} {len(there)} at {places}: {here[one]} and {there[one]}", ""
    end = "the end" in refusals_here
    return None, "raised in both at the end" if end else "equal after refusals" if refusals_here else "equal"


@pytest.mark.filterwarnings("ignore")
def test_random_histories():
    for seed in range(300):
        found, _ = difference(seed)
        assert found is None, found
    if os.environ.get("PAIRBOND_LONG"):
        first, end = random.randrange(1 << 40), time.monotonic() + float(os.environ.get("PAIRBOND_LONG_SECONDS", 60))
        seed = first
        while seed < first + 10_000 or time.monotonic() < end:
            found, _ = difference(seed)
            assert found is None, found
            seed += 1
