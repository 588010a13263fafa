"""What `benches/autograd.py` measures: the same program with pairbond_autograd and with torch, in one process.

autograd_cases.py time CONTENDERS --rounds N --cases PATTERN --threads N    nanoseconds per operation, as JSON
autograd_cases.py weigh CONTENDER                               bytes per node of a graph
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness.memory import resident

CHAIN = 1_000
GRAPH = 1_000_000
MILLION = 1_000_000
MODULES = {"pairbond_autograd": "pairbond_autograd", "torch": "torch"}
# How a row is called in the table; each name is a method of `Cases`.
TITLES = {
    "create": "create a tensor of one element",
    "forward": f"`x * 2`, one element, in a chain of {CHAIN:,}",
    "both": "the same, forward and backward",
    "custom": "custom function, `apply`, in such a chain",
    "custom_both": "the same, forward and backward",
    "grad": "`t.grad`, ten in a row",
    "grad_fn": "`y.grad_fn`, ten in a row",
    "destroy": f"the end of a graph of {GRAPH:,} nodes, per node",
    "million": f"`(x * w).tanh()`, squared and summed, {MILLION:,} elements, forward and backward",
    "million_kernels": "the same kernels without a graph",
    "matmul": "product of two 512 × 512 matrices, float32",
    "step": "training step of a small convolutional network",
    "large_step": "training step of a larger one: 64 images of 3 × 32 × 32",
}


@dataclass
class Case:
    """What is made anew for each round, without being timed; what is timed with it; of how many operations that is."""

    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    operations: int


class Cases:
    """The rows, for a module with PyTorch's names."""

    def __init__(self, module: ModuleType) -> None:
        self.m = module

        class Twice(module.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return grad * 2

        self.twice = Twice.apply

    def leaf(self) -> Any:
        return self.m.tensor([1.0], requires_grad=True)

    def chain(self, x: Any, n: int, function: Callable[[Any], Any]) -> Any:
        for _ in range(n):
            x = function(x)
        return x

    def create(self) -> Case:
        values, tensor = [1.0], self.m.tensor
        return Case(lambda: None, lambda _: [tensor(values) for _ in range(CHAIN)], CHAIN)

    def forward(self) -> Case:
        def run(x: Any) -> Any:
            for _ in range(CHAIN):
                x = x * 2
            return x

        return Case(self.leaf, run, CHAIN)

    def both(self) -> Case:
        def run(x: Any) -> None:
            for _ in range(CHAIN):
                x = x * 2
            x.backward()

        # A small number that stays finite.
        return Case(lambda: self.m.tensor([1e-38], requires_grad=True), run, CHAIN)

    def custom(self) -> Case:
        return Case(self.leaf, lambda x: self.chain(x, CHAIN, self.twice), CHAIN)

    def custom_both(self) -> Case:
        return Case(self.leaf, lambda x: self.chain(x, CHAIN, self.twice).backward(), CHAIN)

    def grad(self) -> Case:
        def prepare() -> Any:
            x = self.leaf()
            (x * 2).backward()
            return x

        def run(x: Any) -> None:
            for _ in range(CHAIN):
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018
                x.grad  # noqa: B018

        return Case(prepare, run, 10 * CHAIN)

    def grad_fn(self) -> Case:
        def run(y: Any) -> None:
            for _ in range(CHAIN):
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018
                y.grad_fn  # noqa: B018

        return Case(lambda: self.leaf() * 2, run, 10 * CHAIN)

    def destroy(self) -> Case:
        return Case(lambda: [self.chain(self.leaf(), GRAPH, lambda x: x * 2)], list.clear, GRAPH)

    def million(self) -> Case:
        def prepare() -> Any:
            return [it.requires_grad_() for it in self.two()]

        def run(both: Any) -> None:
            x, w = both
            h = (x * w).tanh()
            (h * h).sum().backward()

        return Case(prepare, run, 1)

    def million_kernels(self) -> Case:
        """What the run above computes, by hand."""
        one = self.m.ones(1).expand(MILLION)

        def run(both: Any) -> Any:
            x, w = both
            h = (x * w).tanh()
            loss = (h * h).sum()
            grad = one * h + one * h
            grad = grad * (1 - h * h)
            return loss, grad * w, grad * x

        return Case(self.two, run, 1)

    def two(self) -> list[Any]:
        self.m.manual_seed(0)
        return [self.m.randn(MILLION), self.m.randn(MILLION)]

    def matmul(self) -> Case:
        self.m.manual_seed(0)
        a, b = self.m.randn(512, 512), self.m.randn(512, 512)
        return Case(lambda: None, lambda _: a @ b, 1)

    def step(self) -> Case:
        return self.training(1, 8)

    def large_step(self) -> Case:
        return self.training(3, 32)

    def training(self, channels: int, size: int) -> Case:
        m = self.m
        nn = m.nn
        m.manual_seed(0)
        model = nn.Sequential(
            nn.Conv2d(channels, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(2 * size * size, 10),
        )  # fmt: skip
        optimizer = m.optim.Adam(model.parameters(), lr=1e-3)
        images, labels = m.randn(64, channels, size, size), m.randint(0, 10, (64,))

        def run(_: object) -> None:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()

        return Case(lambda: None, run, 1)


def load(name: str, threads: int) -> Cases:
    module = importlib.import_module(MODULES[name])
    module.set_num_threads(threads)
    return Cases(module)


def once(case: Case, clock: Callable[[], int]) -> float:
    """Nanoseconds per operation."""
    argument = case.prepare()
    gc.collect()
    begin = clock()
    result = case.run(argument)
    spent = clock() - begin
    del result, argument
    return spent / case.operations


def measure(names: list[str], rounds: int, pattern: str, threads: int) -> dict[str, Any]:
    contenders = {name: load(name, threads) for name in names}
    # Processor time, because what else the machine does counts for less so; that of several threads says nothing.
    clock = time.process_time_ns if threads == 1 else time.perf_counter_ns
    times: dict[str, dict[str, list[float]]] = {}
    gc.disable()
    for key in TITLES:
        if pattern not in key:
            continue
        cases = {name: getattr(it, key)() for name, it in contenders.items()}
        for number in range(rounds + 1):
            for name in names if number % 2 else reversed(names):
                spent = once(cases[name], clock)
                if number:  # the first is there to warm up
                    times.setdefault(key, {}).setdefault(name, []).append(spent)
    versions = {name: getattr(it.m, "__version__", "") for name, it in contenders.items()}
    return {"times": times, "versions": versions}


def weigh(name: str, threads: int) -> float:
    """Bytes that a node costs with what it keeps, of a graph that only its end refers to."""
    cases = load(name, threads)
    leaf = cases.leaf()
    cases.chain(leaf, 1_000, lambda x: x * 2)
    gc.collect()
    before = resident()
    end = cases.chain(leaf, GRAPH // 2, lambda x: x * 2)
    spent = resident() - before
    del end
    return spent / (GRAPH // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "weigh"])
    parser.add_argument("contenders")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cases", default="")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    names = args.contenders.split(",")
    if args.what == "weigh":
        found: Any = weigh(names[0], args.threads)
    else:
        found = measure(names, args.rounds, args.cases, args.threads)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
