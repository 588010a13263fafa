"""Every operator with an assignment, here and in torch: in place or a new tensor, dtype, values, history and refusals.
Runs where torch is installed."""

import operator

import pairbond_autograd as ours
import pytest

theirs = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

OPERATORS = [
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "imatmul",
    "iand",
    "ior",
    "ixor",
    "ilshift",
    "irshift",
]
TARGETS = {
    "floats": lambda torch: torch.tensor([1.5, 2.0, -3.0]),
    "ints": lambda torch: torch.tensor([5, 6, -7]),
    "truth": lambda torch: torch.tensor([True, False, True]),
    "matrix": lambda torch: torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "leaf": lambda torch: torch.tensor([1.5, 2.0, 3.0], requires_grad=True),
    "computed": lambda torch: torch.tensor([1.5, 2.0, 3.0], requires_grad=True) * 1,
    "view": lambda torch: (torch.tensor([1.5, 2.0, 3.0, 4.0], requires_grad=True) * 1)[:3],
}
OTHERS = {
    "2": lambda torch: 2,
    "-1": lambda torch: -1,
    "64": lambda torch: 64,
    "2.5": lambda torch: 2.5,
    "True": lambda torch: True,
    "floats": lambda torch: torch.tensor([2.0, 3.0, 4.0]),
    "ints": lambda torch: torch.tensor([1, 2, 3]),
    "truth": lambda torch: torch.tensor([True, True, False]),
    "matrix": lambda torch: torch.tensor([[1.0, 2.0], [3.0, 5.0]]),
    "None": lambda torch: None,
    "text": lambda torch: "a",
    "list": lambda torch: [1, 2, 3],
    "with a gradient": lambda torch: torch.tensor([2.0, 3.0, 4.0], requires_grad=True),
}


def outcome(torch, name, target, other):
    """What can be seen of `x op= other`."""
    x, other = TARGETS[target](torch), OTHERS[other](torch)
    before = x
    try:
        x = getattr(operator, name)(x, other)
    except (RuntimeError, TypeError, ZeroDivisionError, OverflowError, ValueError):
        return "refused"
    values, gradient = x.detach().flatten().tolist(), None
    # That of a quotient rounded down is not implemented.
    if getattr(other, "requires_grad", False) and name != "ifloordiv":
        x.sum().backward()
        gradient = pytest.approx(other.grad.tolist(), nan_ok=True)
    kind = "in place" if x is before else "new"
    return kind, str(x.dtype).rpartition(".")[2], pytest.approx(values, nan_ok=True), x.requires_grad, gradient


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_an_assignment(name):
    for target in TARGETS:
        for other in OTHERS:
            here, there = outcome(ours, name, target, other), outcome(theirs, name, target, other)
            assert len(here) == len(there), (target, other)
            for one, same in zip(here, there, strict=True):
                assert getattr(one, "expected", one) == same, (target, other)


@pytest.mark.parametrize("name", ["lshift", "rshift"])
def test_shifts(name):
    shift = getattr(operator, name)

    def outcome(torch, one, other):
        """Of a shift, and of the reflected one."""
        seen = []
        for both in ((TARGETS[one](torch), OTHERS[other](torch)), (OTHERS[other](torch), TARGETS[one](torch))):
            try:
                out = shift(*both)
                seen.append((out.tolist(), str(out.dtype).rpartition(".")[2]))
            except (RuntimeError, TypeError):
                seen.append("refused")
        return seen

    for one in ("ints", "truth", "floats"):
        for other in ("2", "64", "-1", "True", "ints", "truth", "floats"):
            assert outcome(ours, one, other) == outcome(theirs, one, other), (one, other)
