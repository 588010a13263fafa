"""Every operation in place, here and in torch: values, gradients of first and second order, which hooks of the old and
the new values are called with what, and which calls are refused. Runs where torch is installed."""

import pairbond_autograd as ours
import pytest

theirs = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
from test_torch_histories import near  # noqa: E402


def plain(names):
    return {name: lambda torch, x, o, c, name=name: getattr(x, name)() for name in names.split()}


def with_other(names):
    return {f"{name} tensor": lambda torch, x, o, c, name=name: getattr(x, name)(o) for name in names.split()}


def with_constant(names):
    return {f"{name} constant": lambda torch, x, o, c, name=name: getattr(x, name)(c) for name in names.split()}


def with_number(names):
    return {f"{name} number": lambda torch, x, o, c, name=name: getattr(x, name)(0.3) for name in names.split()}


def column(torch, x):
    return torch.zeros(x.shape, dtype=torch.int64)


# `x` is written to; `o` has a history and `c` has none, both of its shape.
CALLS = {
    **plain(
        "abs_ acos_ asin_ atan_ ceil_ cos_ cosh_ erf_ exp_ expm1_ floor_ frac_ log10_ log1p_ log2_ log_ logical_not_ "
        "nan_to_num_ neg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sign_ sin_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ "
        "zero_ tril_ detach_ requires_grad_"
    ),
    **with_other(
        "add_ sub_ mul_ div_ pow_ fmod_ remainder_ hypot_ copy_ eq_ ge_ gt_ le_ lt_ ne_ logical_and_ logical_or_ "
        "logical_xor_ floor_divide_ clamp_min_ clamp_max_ __iadd__ __isub__ __imul__ __itruediv__ __imod__"
    ),
    **with_constant("add_ sub_ mul_ div_ pow_ fmod_ remainder_ hypot_ copy_ eq_ clamp_min_ clamp_max_"),
    **with_number(
        "add_ sub_ mul_ div_ pow_ fmod_ remainder_ floor_divide_ fill_ eq_ ge_ gt_ le_ lt_ ne_ clamp_min_ clamp_max_ "
        "__iadd__ __ifloordiv__ __imod__ fill_diagonal_"
    ),
    "add_ alpha": lambda torch, x, o, c: x.add_(o, alpha=2),
    "sub_ alpha": lambda torch, x, o, c: x.sub_(o, alpha=2),
    "add_ itself": lambda torch, x, o, c: x.add_(x),
    "copy_ itself": lambda torch, x, o, c: x.copy_(x),
    "sub_ of a part": lambda torch, x, o, c: x.sub_(x[:1] * 1),
    "addcmul_": lambda torch, x, o, c: x.addcmul_(o, c),
    "addcmul_ value": lambda torch, x, o, c: x.addcmul_(o, o, value=2),
    "addcdiv_": lambda torch, x, o, c: x.addcdiv_(c, o),
    "clamp_": lambda torch, x, o, c: x.clamp_(0.3, 0.6),
    "clamp_ min": lambda torch, x, o, c: x.clamp_(min=0.3),
    "clamp_ tensors": lambda torch, x, o, c: x.clamp_(o * 0.5, o + 0.2),
    "clip_": lambda torch, x, o, c: x.clip_(0.3, 0.6),
    "clip_ tensors": lambda torch, x, o, c: x.clip_(o * 0.5, o + 0.2),
    "clip_ max": lambda torch, x, o, c: x.clip_(max=o + 0.2),
    "cumsum_": lambda torch, x, o, c: x.cumsum_(-1),
    "fill_ tensor": lambda torch, x, o, c: x.fill_(o.sum()),
    "index_add_": lambda torch, x, o, c: x.index_add_(0, torch.arange(x.shape[0]), o),
    "index_add_ alpha": lambda torch, x, o, c: x.index_add_(0, torch.arange(x.shape[0]) * 0, o, alpha=2),
    "lerp_ number": lambda torch, x, o, c: x.lerp_(o, 0.3),
    "lerp_ weights": lambda torch, x, o, c: x.lerp_(c, o),
    "lerp_ tensor": lambda torch, x, o, c: x.lerp_(o, c),
    "masked_fill_": lambda torch, x, o, c: x.masked_fill_(x.detach() > 0.5, 2.0),
    "masked_fill_ tensor": lambda torch, x, o, c: x.masked_fill_(x.detach() > 0.5, o.sum()),
    "nan_to_num_ numbers": lambda torch, x, o, c: x.nan_to_num_(1.0, 2.0, -2.0),
    "round_ decimals": lambda torch, x, o, c: x.round_(decimals=1),
    "scatter_": lambda torch, x, o, c: x.scatter_(0, column(torch, x), o),
    "scatter_ number": lambda torch, x, o, c: x.scatter_(0, column(torch, x), 0.7),
    "scatter_add_": lambda torch, x, o, c: x.scatter_add_(0, column(torch, x), o),
    "triu_": lambda torch, x, o, c: x.triu_(1),
    "x[1:] = 5": lambda torch, x, o, c: x.__setitem__(slice(1, None), 5.0),
    "x[1:] = o[1:]": lambda torch, x, o, c: x.__setitem__(slice(1, None), o[1:]),
    "x[0] = o[0]": lambda torch, x, o, c: x.__setitem__(0, o[0]),
    "x[:] = o": lambda torch, x, o, c: x.__setitem__(slice(None), o),
    "x[...] = o": lambda torch, x, o, c: x.__setitem__(Ellipsis, o),
    "x[[0, 1]] = o[:2]": lambda torch, x, o, c: x.__setitem__([0, 1], o[:2]),
    "x[mask] = 3": lambda torch, x, o, c: x.__setitem__(x.detach() > 0.5, 3.0),
    "x[mask] = o.sum()": lambda torch, x, o, c: x.__setitem__(x.detach() > 0.5, o.sum()),
    "relu": lambda torch, x, o, c: torch.nn.functional.relu(x, inplace=True),
    "ReLU": lambda torch, x, o, c: torch.nn.ReLU(inplace=True)(x),
    "dropout of nothing": lambda torch, x, o, c: torch.nn.functional.dropout(x, 0.0, inplace=True),
    "dropout of all": lambda torch, x, o, c: torch.nn.functional.dropout(x, 1.0, inplace=True),
    "normal_": lambda torch, x, o, c: x.normal_(0, 0),
    "uniform_": lambda torch, x, o, c: x.uniform_(1, 1),
    "bernoulli_": lambda torch, x, o, c: x.bernoulli_(1.0),
}
TARGETS = {
    "itself": lambda base: base,
    "view": lambda base: base[:],
    "alias": lambda base: base.view_as(base),
    "part": lambda base: base[1:],
    "row": lambda base: base[1],
    "transposed": lambda base: base.t(),
    "part of a part": lambda base: base[1:][:, :2],
    "flat": lambda base: base.view(-1),
    "detached": lambda base: base.detach(),
}
# What PyTorch does not know the derivative of, it leaves to the old history. Here the values are constants.
CONSTANT_HERE = {"logical_not_", "logical_and_ tensor", "logical_or_ tensor", "logical_xor_ tensor"}


def test_all_of_them_are_there():
    methods = {name for name in dir(ours.Tensor) if name.endswith("_") and not name.endswith("__")}
    methods |= {f"__i{name}__" for name in ["add", "sub", "mul", "truediv", "floordiv", "mod"]}
    # Not in PyTorch, or for integers, or in test_other_data.py.
    bits = ["and", "left_shift", "or", "right_shift", "xor"]
    methods -= {"maximum_", "minimum_", "set_", *(f"bitwise_{it}_" for it in bits)}
    assert methods <= {call.split()[0] for call in CALLS}


def grid(torch, shift=0.0):
    return torch.tensor(
        [[0.15 + 0.07 * (3 * row + place) + shift for place in range(3)] for row in range(3)], dtype=torch.float64
    )


def numbers(grads):
    return [None if grad is None else (grad.detach() + 0).tolist() for grad in grads]


def run(torch, call, target, kind):
    """All that can be seen of a call on a part of `x` (kind "leaf"), of `x * 1`, or of a constant."""
    seen, called = {}, []

    def hook(name, tensor):
        if tensor.requires_grad:
            tensor.register_hook(lambda grad: called.append((name, *numbers([grad]))))

    x = grid(torch).requires_grad_(kind != "constant")
    base = x if kind in ("leaf", "constant") else x * 1
    view = TARGETS[target](base)
    other = base[0:2]
    if base is not x:
        hook("old base", base)
    if view is not base:
        hook("old view", view)
    hook("other view", other)
    if kind == "retaining" and view.requires_grad:
        view.retain_grad()
        base.retain_grad()
    y = grid(torch).requires_grad_()

    def fitting(tensor):
        if view.ndim == 1:
            return tensor.reshape(-1)[: view.shape[0]]
        return tensor[: view.shape[0], : view.shape[1]]

    operand, constant = fitting(y * 1.5), fitting(grid(torch, 0.11))
    hook("operand", operand)
    try:
        call(torch, view, operand, constant)
    except (RuntimeError, TypeError, IndexError) as error:
        return {"refused": str(error).partition(". If you are using DistributedDataParallel")[0].rstrip(".")}
    hook("new view", view)
    hook("new base", base)
    seen["flags"] = [(it.requires_grad, it.is_leaf, it.grad_fn is None) for it in (view, base, other)]
    seen["values"] = base.tolist()
    weights = grid(torch, 0.3)
    loss = (base * base * weights).sum() + (view * fitting(weights)).sum() + (other * weights[:2] * 3).sum()
    if loss.requires_grad:
        leaves = [leaf for leaf in (x, y) if leaf.requires_grad]
        try:
            found = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
            seen["first"] = numbers(found)
            seen["retained"] = numbers(it.grad for it in (view, base) if not it.is_leaf)
            second = [(grad * grad).sum() for grad in found if grad is not None and grad.requires_grad]
            if second:
                sum(second).backward()
                seen["second"] = numbers([x.grad, y.grad])
        except RuntimeError as error:
            # Of an operation without a derivative, PyTorch says whether it was in place, and the rest of the run may
            # come before or after it.
            return {**seen, "error": str(error).replace("floor_divide_ ", "floor_divide "), "first": [], "retained": []}
    # Hooks of different tensors need not be called in the same order.
    seen["called"] = sorted(called, key=lambda call: call[0])
    return seen


def differences(name):
    for target in TARGETS:
        for kind in ("computed", "leaf", "constant", "retaining"):
            here, there = (run(torch, CALLS[name], target, kind) for torch in (ours, theirs))
            if set(here) != set(there):
                yield target, kind, here, there
            for what in set(here) & set(there):
                if not alike(here[what], there[what]):
                    yield target, kind, what, here[what], there[what]


def alike(one, other):
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other if isinstance(one, str) else near(one, other)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_seen_is_equal(name):
    found = [*differences(name)]
    if name in CONSTANT_HERE:
        assert found
        found = [it for it in found if it[1] == "constant"]
    assert not found, found[0]
