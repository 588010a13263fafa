"""Calls whatever a package has with whatever there is: nothing that Python code can do ends the process, or is a panic.

    monkey.py PACKAGE SEED STEPS LOG

Writes what it is about to do to LOG, and prints panics and internal errors, a line each.
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import random
import sys
import warnings
from pathlib import Path

# Numbers that fit nowhere, are too many of anything, or none at all; and small ones, which fit.
NUMBERS = [0, 1, -1, 2, 3, 7, -(1 << 63), 1 << 40, (1 << 63) - 1, 1 << 64, 0.5, -0.0, float("nan"), float("inf"), 1j]
TEXTS = ["", "a", "i32", "f32", "@", "\0", "\ud800", "builtin.module", "arith.addi", b"", b"abc", bytearray(8)]
GROUPS = [[], [1], [1, 2, 3], [[1.0, 2.0], [3.0, 4.0]], (), (1, 2), {}, {"a": 1}, {1}, range(3), slice(0, 2)]
OTHERS = [None, True, False, ..., object(), int, str, len, Exception(), memoryview(b"abcdefgh"), lambda *a, **k: None]
# What would write files, end the process or wait.
LEFT_OUT = {
    "write",
    "print",
    "dump",
    "save",
    "load",
    "parse_file",
    "parseFile",
    "save_file",
    "load_file",
    "exit",
    "breakpoint",
}
MODULE = """
"func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
^bb0(%x: i32):
  %0 = "arith.addi"(%x, %x) : (i32, i32) -> i32
  "func.return"(%0) : (i32) -> ()
}) : () -> ()
"""


def of_pairbond(package) -> list:
    return [package.List([1, 2]), package.Map({1: 2}), package.Set([1]), package.Tuple((1, 2)), package.List]


def of_pairbond_ir(package) -> list:
    module = package.Module.parse(MODULE, package.Context())
    function = module.body.operations[0]
    block = function.regions[0].blocks[0]
    add = block.operations[0]
    parts = [module, function, block, block.operations, add, add.result, add.operands, block.arguments, add.attributes]
    more = [function.regions, package.InsertionPoint(block), module.location, add.result.type, module.context]
    manager = package.PassManager.parse("builtin.module(cse)", module.context)
    return [*parts, *more, package.SymbolTable(module), manager]


def of_pairbond_autograd(package) -> list:
    a = package.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    total = (a * 2).sum()
    kinds = [package.Tensor, package.nn.Linear(2, 2)]
    return [a, total, total.grad_fn, a.detach(), package.tensor([1, 2]), a.view(4), *kinds]


START = {"pairbond": of_pairbond, "pairbond_ir": of_pairbond_ir, "pairbond_autograd": of_pairbond_autograd}


class Monkey:
    def __init__(self, name: str, seed: int, log: Path):
        self.package = importlib.import_module(name)
        self.random = random.Random(seed)
        self.log = log.open("w", buffering=1)
        self.fixed = [*NUMBERS, *TEXTS, *GROUPS, *OTHERS]
        self.start = START[name]
        self.found = self.start(self.package)
        self.wrong: set[str] = set()

    def any(self):
        return self.random.choice(self.found if self.random.random() < 0.5 else self.fixed)

    def target(self):
        return self.package if self.random.random() < 0.1 else self.random.choice(self.found)

    def is_ours(self, value) -> bool:
        kind = value if isinstance(value, type) else type(value)
        return kind.__module__.lstrip("_").startswith("pairbond")

    def keep(self, value) -> None:
        """What can be asked in turn, and does not take all day."""
        if self.is_ours(value) and (not hasattr(value, "numel") or isinstance(value, type) or value.numel() < 1000):
            self.found.append(value)

    def step(self) -> None:
        target = self.target()
        name = self.random.choice(dir(target))
        if name in LEFT_OUT or inspect.ismodule(getattr(target, name, None)):
            return
        arguments = [self.any() for _ in range(self.random.choice([0, 0, 1, 1, 1, 2, 2, 3]))]
        said = [it if type(it) in (int, float, str, bool) else type(it).__name__ for it in arguments]
        self.log.write(f"{type(target).__name__}.{name} {said!a}\n")
        if self.random.random() < 0.05 and target is not self.package and not isinstance(target, type):
            setattr(target, name, self.any())
            return
        value = getattr(target, name)
        if callable(value) and self.random.random() < 0.9:
            value = value(*arguments)
        self.keep(value)
        if self.random.random() < 0.1:
            repr(value)

    def run(self, steps: int) -> None:
        for number in range(steps):
            if number % 200 == 0:
                self.found = self.start(self.package) + self.found[-50:]
            try:
                self.step()
            except Exception as error:
                if type(error).__name__ in ("PanicError", "SystemError"):
                    self.wrong.add(f"{type(error).__name__}: {error}".replace("\n", " "))


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None
    sys.setrecursionlimit(300)
    monkey = Monkey(sys.argv[1], int(sys.argv[2]), Path(sys.argv[4]))
    monkey.run(int(sys.argv[3]))
    for line in sorted(monkey.wrong):
        print(line)
