"""A random world of native objects, and an oracle that knows which of them must be alive.

The oracle is a graph of numbers: every operation is done to the objects and to the graph. What the graph reaches from
the roots (variables, native holders, a shared native list) must be alive and its old self at any time; the rest must
be gone after a full collection, with its callbacks called and its finalizers run once.

    python promises_world.py SEED STEPS [WORLDS] [--churn] [--bare]     replays a run

With --bare the objects own no Python object by themselves, so that most wrappers are unknown to Python's collector.
"""

from __future__ import annotations

import gc
import itertools
import os
import random
import sys
import threading
import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pairbond
from pairbond_holders import Bare, Holder
from pairbond_holders import Node as Full

Node = Bare if "--bare" in sys.argv or os.environ.get("PAIRBOND_BARE") else Full
NUMBERS = itertools.count(1)
DEATHS: Counter[int] = Counter()
CALLS: Counter[int] = Counter()
VARIABLES = 24
COLLECTIONS = 6


class Sub(Node):
    pass


class Slots(Node):
    __slots__ = ("slot",)


class Del(Node):
    def __del__(self):
        DEATHS[self.number] += 1


class SubDel(Slots, Del):
    pass


CLASSES = [Node, Sub, Slots, Del, SubDel]


class Wrong(AssertionError):
    """The world is not as the oracle says."""


@dataclass
class Known:
    """What the oracle knows of an object."""

    number: int
    cls: type
    identity: int | None = None
    edges: dict[str, int] = field(default_factory=dict)
    children: list[int] = field(default_factory=list)
    data: object = None
    watches: list[weakref.ref] = field(default_factory=list)
    callbacks: int = 0
    #: Whether a weak reference brought it back while other threads may have been finalizing it, as
    #: test_a_weak_reference_brings_back_what_is_being_finalized shows.
    revived: bool = False

    def targets(self):
        return itertools.chain(self.edges.values(), self.children)


class World:
    """Objects, the graph of what they should be, and the operations on both."""

    def __init__(self, seed: str, shared: pairbond.List) -> None:
        self.random = random.Random(seed)
        self.known: dict[int, Known] = {}
        self.variables: list[Node] = []
        self.holders: list[tuple[Holder, int]] = []
        self.shared = shared
        self.in_shared: list[int] = []
        self.helper = ThreadPoolExecutor(1)
        self.done: Counter[str] = Counter()
        # Whether another world may hold, drop or collect at the same time.
        self.alone = True

    # What the world looks like.

    def expect(self, holds: object, *what: object) -> None:
        if not holds:
            raise Wrong(*what)

    def meet(self, it: Node, number: int) -> Known:
        """An object that came from somewhere is the one that it should be."""
        known = self.known[number]
        self.expect(it.number == number, "number", it.number, number)
        if known.identity is None:
            known.identity = id(it)
        self.expect(known.identity == id(it), "another self", number)
        self.expect(type(it) is known.cls, "another class", number, type(it), known.cls)
        self.expect(getattr(it, "data", None) is known.data, "lost data", number)
        return known

    def roots(self) -> set[int]:
        return {it.number for it in self.variables} | {number for _, number in self.holders} | set(self.in_shared)

    def reachable(self) -> set[int]:
        found = self.roots()
        work = [*found]
        while work:
            fresh = set(self.known[work.pop()].targets()) - found
            found |= fresh
            work += fresh
        return found

    def check_alive(self) -> set[int]:
        alive = self.reachable()
        for number in alive:
            known = self.known[number]
            for watch in known.watches:
                it = watch()
                self.expect(it is not None, "a weak reference to a live object is empty", number)
                self.meet(it, number)
            ended = DEATHS[number], CALLS[number]
            self.expect(ended[0] <= known.revived and not ended[1], "finalized while alive", number, *ended, known.cls)
        return alive

    def look(self, it: Node) -> None:
        """One object in full."""
        known = self.meet(it, it.number)
        for name, target in known.edges.items():
            self.meet(self.follow(it, name), target)
        for name in {"next", "value"} - known.edges.keys():
            self.expect(getattr(it, name, None) is None, "an edge that was cut", it.number, name)
        self.expect([child.number for child in it.children] == known.children, "children", it.number)

    def follow(self, it: Node, name: str) -> Node:
        found = getattr(it, name)
        return found[0] if isinstance(found, list) else found

    # Operations. Each is chosen with its weight; one that is not possible does nothing.

    def variable(self) -> Node | None:
        return self.random.choice(self.variables) if self.variables else None

    def keep(self, it: Node) -> None:
        self.variables.append(it)
        while len(self.variables) > VARIABLES:
            self.do_drop()

    def enter(self, number: int, cls: type) -> Known:
        self.known[number] = Known(number, cls)
        return self.known[number]

    def do_make(self) -> None:
        number = next(NUMBERS)
        cls = self.random.choice(CLASSES)
        self.enter(number, cls)
        it = cls(number)
        self.meet(it, number)
        self.keep(it)

    def do_ring(self) -> None:
        size = self.random.randrange(1, 6)
        numbers = [next(NUMBERS) for _ in range(size)]
        first = numbers[0]
        if numbers != [*range(first, first + size)]:  # another world took one in between
            return
        for i, number in enumerate(numbers):
            self.enter(number, Node).edges["next"] = numbers[(i + 1) % size]
        it = Node.ring(size, first)
        self.meet(it, first)
        self.keep(it)

    def do_link(self) -> None:
        a, b = self.variable(), self.variable()
        if a is None:
            return
        known = self.known[a.number]
        way = self.random.randrange(7)
        if way == 0:
            a.next = b
            known.edges["next"] = b.number
        elif way == 1:
            a.value = b
            known.edges["value"] = b.number
        elif way == 2:
            a.value = [b]
            known.edges["value"] = b.number
        elif way in (3, 4):
            a.children.append(b)
            known.children.append(b.number)
        elif way == 5:
            a.parent = b  # weak: no edge
        else:
            name = "slot" if isinstance(a, Slots) and self.random.random() < 0.5 else self.random.choice("xyz")
            setattr(a, name, b)
            known.edges[name] = b.number

    def do_unlink(self) -> None:
        a = self.variable()
        if a is None:
            return
        known = self.known[a.number]
        if known.children and self.random.random() < 0.5:
            i = self.random.randrange(len(known.children))
            if self.random.random() < 0.5:
                self.meet(a.children.pop(i), known.children.pop(i))
            else:
                del a.children[i], known.children[i]
        elif known.edges:
            name = self.random.choice([*known.edges])
            if name == "next" or (name == "value" and Node is Full):
                setattr(a, name, None)
            else:
                delattr(a, name)
            del known.edges[name]

    def do_swap(self) -> None:
        """Moves a reference from one object to another."""
        a, b = self.variable(), self.variable()
        if a is None or not self.known[a.number].children:
            return
        moved = a.children.pop()
        number = self.known[a.number].children.pop()
        b.next = moved
        self.known[b.number].edges["next"] = number

    def do_fetch(self) -> None:
        a = self.variable()
        if a is None:
            return
        for _ in range(self.random.randrange(1, 5)):
            known = self.meet(a, a.number)
            steps: list = [*known.edges, *range(len(known.children))]
            if not steps:
                break
            step = self.random.choice(steps)
            if isinstance(step, int):
                a, number = a.children[step], known.children[step]
            else:
                a, number = self.follow(a, step), known.edges[step]
            self.meet(a, number)
        self.keep(a)

    def do_look(self) -> None:
        if (a := self.variable()) is not None:
            self.look(a)

    def do_parent(self) -> None:
        a = self.variable()
        # Also while another thread is in the middle of a collection: test_an_upgrade_between_the_passes.
        if a is None or (parent := a.parent) is None:
            return
        known = self.meet(parent, parent.number)
        if not self.alone and known.number not in self.reachable():
            known.revived = issubclass(known.cls, Del)
        self.keep(parent)

    def do_drop(self) -> None:
        if self.variables:
            self.variables.pop(self.random.randrange(len(self.variables)))

    def do_drop_most(self) -> None:
        for _ in range(len(self.variables) * 3 // 4):
            self.do_drop()
        for _ in range(len(self.holders) // 2):
            self.do_release()

    def do_hold(self) -> None:
        if (a := self.variable()) is not None and len(self.holders) < 12:
            self.holders.append((Holder(a), a.number))

    def do_release(self) -> None:
        if not self.holders:
            return
        holder, number = self.holders.pop(self.random.randrange(len(self.holders)))
        way = self.random.randrange(4)
        if way == 0:
            holder.clear()
        elif way == 1:
            holder.drop_on_thread()
        elif way == 2:
            it = holder.take()
            self.meet(it, number)
            self.keep(it)

    def do_share(self) -> None:
        if (a := self.variable()) is not None and a.number not in self.in_shared:
            self.shared.append(a)
            self.in_shared.append(a.number)

    def do_unshare(self) -> None:
        if not self.in_shared:
            return
        number = self.in_shared[self.random.randrange(len(self.in_shared))]
        it = None
        while it is None:  # what other worlds remove meanwhile makes an iteration skip
            it = next((it for it in self.shared if it.number == number), None)
        self.meet(it, number)
        self.shared.remove(it)
        self.in_shared.remove(number)
        if self.random.random() < 0.5:
            self.keep(it)

    def do_data(self) -> None:
        if (a := self.variable()) is not None:
            self.known[a.number].data = a.data = object()

    def do_watch(self) -> None:
        a = self.variable()
        if a is None:
            return
        known = self.known[a.number]
        if self.random.random() < 0.5:
            known.watches.append(weakref.ref(a))
        else:
            number = a.number

            def called(_, number=number):
                CALLS[number] += 1

            known.watches.append(weakref.ref(a, called))
            known.callbacks += 1

    def do_elsewhere(self) -> None:
        """The next operation happens on another thread."""
        self.helper.submit(self.step, elsewhere=True).result()

    def do_collect(self) -> None:
        gc.collect(self.random.randrange(3))
        self.check_alive()

    def do_sweep(self) -> None:
        """Somewhere in what comes next pairbond looks for garbage."""
        pairbond._pairbond._sweep_after(self.random.randrange(8))

    def do_check(self) -> None:
        if self.alone:
            settle([self])
        else:
            self.check_alive()

    WEIGHTS = {  # noqa: RUF012
        "make": 12,
        "ring": 4,
        "link": 30,
        "unlink": 8,
        "swap": 4,
        "fetch": 20,
        "look": 4,
        "parent": 3,
        "drop": 16,
        "drop_most": 0.5,
        "hold": 6,
        "release": 6,
        "share": 2,
        "unshare": 2,
        "data": 4,
        "watch": 5,
        "elsewhere": 3,
        "collect": 0.5,
        "sweep": 2,
        "check": 0.4,
    }

    def step(self, elsewhere: bool = False) -> None:
        names, weights = [*self.WEIGHTS], [*self.WEIGHTS.values()]
        name = self.random.choices(names, weights)[0]
        if elsewhere and name == "elsewhere":
            return
        self.done[name] += 1
        getattr(self, "do_" + name)()

    def close(self) -> None:
        self.variables.clear()
        for holder, _ in self.holders:
            holder.clear()
        self.holders.clear()
        while self.in_shared:
            self.do_unshare()
            self.variables.clear()
        self.helper.shutdown()


BASE = 0


def nodes() -> int:
    return pairbond.live_objects().get(f"pairbond_holders.{Node.__name__}", 0) - BASE


def settle(worlds: list[World]) -> None:
    """Collects, and demands that everything is gone that no world reaches. No world may be working."""
    alive = [world.check_alive() for world in worlds]
    count = sum(map(len, alive))
    for _ in range(COLLECTIONS):
        gc.collect()
        if nodes() == count:
            break
    for world, reached in zip(worlds, alive, strict=True):
        world.expect(world.check_alive() == reached, "the roots changed")
        for number in world.known.keys() - reached:
            known = world.known.pop(number)
            world.expect(all(watch() is None for watch in known.watches), "garbage with a weak reference", number)
            calls = CALLS.pop(number, 0)
            world.expect(calls == known.callbacks, "callbacks", number, calls, known.callbacks)
            world.expect(DEATHS.pop(number, 0) == issubclass(known.cls, Del), "finalizers", number, known.cls)
    worlds[0].expect(nodes() == count, "live nodes", nodes(), "reachable", count)


def run(seed: str, steps: int, count: int = 1, churn: bool = False, seconds: float = 0) -> Counter[str]:
    """Runs worlds at the same time, each on a thread of its own; how often each operation was done."""
    global BASE
    gc.collect()
    BASE = pairbond.live_objects().get(f"pairbond_holders.{Node.__name__}", 0)
    end = time.monotonic() + seconds if seconds else None
    shared = pairbond.List()
    worlds = [World(f"{seed}/{i}", shared) for i in range(count)]
    hot, loose = Holder(), Holder()
    if churn:
        # Native threads hold, move and relink these. What they hold keeps its wrapper and its attributes.
        for holder in (hot, loose):
            ring = Node.ring(3, 0)
            ring.mark, ring.next.mark = [ring], [ring.next]
            BASE += 3
            holder.put(ring)
            holder.watch(ring)
            del ring
        hot.juggle(2)
        if Node is Full:
            loose.relink(1)
    errors: list[BaseException] = []

    def work(world: World) -> None:
        step = -1
        try:
            for step in range(steps) if end is None else itertools.count():  # noqa: B007
                if errors or (end is not None and time.monotonic() > end):
                    break
                world.step()
        except BaseException as error:
            error.add_note(f"step {step} of world {worlds.index(world)}, seed {seed}")
            errors.append(error)

    try:
        if count == 1:
            work(worlds[0])
        else:
            for world in worlds:
                world.alone = False
            threads = [threading.Thread(target=work, args=(world,)) for world in worlds]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]
        settle(worlds)
        for world in worlds:
            world.close()
        settle(worlds)
        worlds[0].expect(nodes() == 0, "nodes are left at the end", nodes())
        if churn:
            loose.stop()
            for holder in (hot, loose) if Node is Full else (hot,):
                ring = holder.get()
                worlds[0].expect(ring.next.next.next is ring is holder.upgrade(), "the hot ring")
                worlds[0].expect(ring.mark[0] is ring and ring.next.mark[0] is ring.next, "its attributes")
                worlds[0].expect(holder.rounds > 0, "no churn")
    finally:
        hot.stop()
        loose.stop()
        for world in worlds:
            world.helper.shutdown()
    return sum((world.done for world in worlds), Counter())


def main() -> None:
    arguments = [it for it in sys.argv[1:] if not it.startswith("--")]
    seed, steps, count = arguments[0], int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 1
    print(f"replay: python promises_world.py {' '.join(sys.argv[1:])}", flush=True)
    seconds = float(os.environ.get("PAIRBOND_LONG_SECONDS") or 0) if os.environ.get("PAIRBOND_LONG") else 0
    done = run(seed, steps, count, churn="--churn" in sys.argv, seconds=seconds)
    print(f"{sum(done.values())} operations: {dict(done)}")
    missing = World.WEIGHTS.keys() - done.keys()
    if steps >= 5000 and missing:
        sys.exit(f"never done: {missing}")


if __name__ == "__main__":
    main()
