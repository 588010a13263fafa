"""Sizes that come from Python, under a limit of memory: MemoryError, and no end of the process."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.large

SHARED = Path(__file__).parents[3] / "tests" / "python"
PROLOGUE = f"""
import sys
sys.path.insert(0, {str(SHARED)!r})
import memory_limits
import pairbond_autograd as torch

def works():
    return (torch.ones(3) + 1).tolist() == [2.0] * 3

def fails(act):
    memory_limits.fails(act, more=1 << 28, works=works)

def sweep(act, steps=6, little=False):
    memory_limits.sweep(act, works, steps, little)

listed = memory_limits.listed
"""

SCRIPT = """
ones, tensors = [1] * 10**7, [torch.ones(1)] * 10**7
for act in (
    lambda: torch.cat(tensors), lambda: torch.stack(tensors), lambda: torch.ones(1).view(ones),
    lambda: torch.ones(1).view(*ones), lambda: torch.ones(1).reshape(ones), lambda: torch.ones(1).expand(ones),
    lambda: torch.ones(1).repeat(ones), lambda: torch.ones(1).permute(ones), lambda: torch.zeros(ones),
):
    fails(act)
del ones, tensors

few, many = torch.ones(4, requires_grad=True), 10**11
wide = few.expand(many, 4)
for act in (
    lambda: torch.zeros(many), lambda: torch.ones(10**6, 10**6), lambda: torch.full((many,), 1.0),
    lambda: torch.arange(many),
    lambda: torch.linspace(0, 1, many), lambda: torch.eye(10**6),
    lambda: torch.randperm(many), lambda: torch.rand(many),
    lambda: few.repeat(many), lambda: wide.contiguous(), lambda: wide.clone(), lambda: wide + 1,
    lambda: wide.tolist(),
    lambda: wide.split(1), lambda: wide.chunk(many), lambda: wide.unbind(0), lambda: wide.tril(),
    lambda: wide.triu(),
    lambda: torch.outer(torch.ones(10**6), torch.ones(10**6)), lambda: torch.ones(10**6, 1) @ torch.ones(1, 10**6),
    lambda: torch.nn.functional.pad(few, (many, many)),
    lambda: torch.nn.Linear(10**6, 10**6), lambda: torch.tensor(range(10**9)),
):
    fails(act)
print("to its end")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is Linux's")
def test_memory_is_exhausted():
    run = subprocess.run([sys.executable, "-c", PROLOGUE + SCRIPT], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout == "to its end\n"


SWEPT = {
    "joining": """
tensors = [torch.ones(2, requires_grad=True) for _ in range(20_000)]
for act in (
    lambda: torch.cat(tensors), lambda: torch.stack(tensors), lambda: torch.cat(tensors).sum().backward(),
    lambda: torch.stack(tensors).sum().backward(),
):
    sweep(act)
""",
    "parting": """
wide = torch.ones(6000, requires_grad=True)
for act in (
    lambda: wide.split(1), lambda: wide.unbind(0), lambda: wide.chunk(6000), lambda: list(wide),
    lambda: torch.stack(wide.unbind(0)).sum().backward(), lambda: listed(lambda _: wide.view(1, -1), range(6000)),
    lambda: wide.tolist() and torch.tensor(wide.tolist() * 10),
):
    sweep(act)
""",
    "graphs": """
def chain(count):
    last = torch.ones(1, requires_grad=True)
    for _ in range(count):
        last = last * 2 + 1
    return last

sweep(lambda: chain(10_000))
sweep(lambda: chain(10_000).backward())
long = chain(30_000)
sweep(long.backward, little=True)
many = [torch.ones(3) for _ in range(20_000)]
sweep(lambda: listed(lambda a: a + a, many))
""",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is Linux's")
@pytest.mark.parametrize("name", SWEPT)
def test_limits_one_after_the_other(name):
    """Wherever memory ends, the process does not."""
    run = subprocess.run([sys.executable, "-c", PROLOGUE + SWEPT[name]], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
