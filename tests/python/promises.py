"""What the tests of the promises share: kinds of objects, native holders, what is left."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pairbond
from lockgraph import Package
from pairbond_holders import Leaf, Node, global_function, global_node

# The process keeps them once they are made: before anybody counts.
KEPT = (global_node(), global_function())
LONG = bool(os.environ.get("PAIRBOND_LONG"))
# Garbage that finalizers brought to light, or that native threads held on to for a moment, takes a collection more.
COLLECTIONS = 5


class WithDict(Package):
    """A subclass that says nothing about attributes."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.extra = [name]

    def holds_its_state(self) -> bool:
        return self.extra == [self.name]


class WithSlots(Package):
    """A subclass with slots. (The base has a dict, so that there is one too.)"""

    __slots__ = ("extra", "other")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.extra = (name,)

    def holds_its_state(self) -> bool:
        return self.extra == (self.name,) and not hasattr(self, "other")


class WithDel(Package):
    """A subclass whose instances say when they die."""

    deaths: list[str] = []  # noqa: RUF012

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.extra = {name: name}

    def __del__(self) -> None:
        WithDel.deaths.append(self.name)

    def holds_its_state(self) -> bool:
        return self.extra == {self.name: self.name} and self.name not in WithDel.deaths


class Grandchild(WithSlots, WithDict):
    """Two levels and two bases."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.extra = (name,)


class LeafChild(Leaf):
    """A subclass of a type that reaches no Python object by itself."""


def with_attributes() -> Package:
    package = Package("plain")
    package.extra = {"an": "attribute"}
    return package


@dataclass(frozen=True)
class Kind:
    """A way to make an object, and whether it still has what it was made with."""

    name: str
    make: Callable[[], pairbond.Object]
    intact: Callable[[pairbond.Object], bool] = lambda it: True


def leaf_with_attributes() -> Leaf:
    leaf = Leaf(7)
    leaf.extra = [leaf]
    return leaf


KINDS = [
    Kind("plain", lambda: Package("plain"), lambda it: it.name == "plain" and not vars(it).keys() - {"later"}),
    Kind("born native", lambda: Node.ring(1), lambda it: it.next is it),
    Kind("attributes", with_attributes, lambda it: it.extra == {"an": "attribute"}),
    Kind("subclass", lambda: WithDict("subclass"), WithDict.holds_its_state),
    Kind("slots", lambda: WithSlots("slots"), WithSlots.holds_its_state),
    Kind("del", lambda: WithDel(f"del{next(NUMBERS)}"), WithDel.holds_its_state),
    Kind("grandchild", lambda: Grandchild("grandchild"), WithSlots.holds_its_state),
    Kind("leaf", lambda: Leaf(7), lambda it: it.number == 7),
    Kind("leaf with attributes", leaf_with_attributes, lambda it: it.extra[0] is it),
    Kind("leaf subclass", lambda: LeafChild(8), lambda it: type(it) is LeafChild and it.number == 8),
    Kind("list", lambda: pairbond.List([1, 2]), lambda it: list(it) == [1, 2]),
]


def numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


NUMBERS = numbers()


def left(before: dict[str, int]) -> dict[str, int]:
    """Native objects by type that are more (or fewer) now than before."""
    now = pairbond.live_objects()
    return {key: n for key in before | now if (n := now.get(key, 0) - before.get(key, 0))}


def collect_until(done: Callable[[], object]) -> int:
    """Collects until `done`, a few times at most; how often."""
    for rounds in range(COLLECTIONS):
        if done():
            return rounds
        gc.collect()
    return COLLECTIONS


@contextmanager
def nothing_stays() -> Iterator[None]:
    """Whatever is made inside is gone after a few collections."""
    collect_until(lambda: False)
    before = pairbond.live_objects()
    yield
    collect_until(lambda: not left(before))
    assert left(before) == {}


def at_once(count: int, work: Callable[[int], object]) -> list:
    """Runs `work(i)` on `count` threads that start together; their results, or the first error."""
    barrier = threading.Barrier(count)
    results: list = [None] * count
    errors: list[BaseException] = []

    def run(i: int) -> None:
        try:
            barrier.wait(60)
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Another thread runs `work` again and again: once before the block begins, and until it ends."""
    begun, ended = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not ended.is_set():
                work()
                begun.set()
        except BaseException as error:
            errors.append(error)
            begun.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        begun.wait()
        yield
    finally:
        ended.set()
        thread.join()
    if errors:
        raise errors[0]


def in_a_process(source: str, *arguments: str, timeout: float = 300, **environ: str) -> str:
    """Runs a program that may crash in a process of its own; what it printed. A crash fails with its traceback."""
    prelude = "import gc, sys, weakref\nimport pairbond, pairbond_holders\nfrom promises import *\n"
    program = prelude + textwrap.dedent(source)
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-X", "faulthandler", "-c", program, *arguments]
    env = os.environ | {"PYTHONPATH": path} | environ
    run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env)
    assert run.returncode == 0, f"exit status {run.returncode}\n{run.stdout[-3000:]}\n{run.stderr[-6000:]}"
    return run.stdout
