"""The promises, checked on the graph of a real lock file while you watch."""

from __future__ import annotations

import gc
import weakref

import pairbond

from lockgraph import Lock, Package, explore

ROUNDS = 100
# Garbage that several wrappers own together may take a second full collection to be found.
COLLECTIONS = 4


class Checks:
    """Prints what was checked and whether it holds, and counts."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def __call__(self, holds: bool, what: str) -> None:
        self.passed += holds
        self.failed += not holds
        print(f"  {'✓' if holds else '✗'} {what}")


class Pinned(Package):
    """A package with opinions: a Python subclass whose instances are nodes of the native graph."""

    def __init__(self, name: str, version: str, *, reason: str) -> None:
        super().__init__(name, version)
        self.reason = reason


def identity(lock: Lock, check: Checks) -> None:
    """One object is one object, whichever way it is reached and however often it was dropped."""
    print("\nIdentity")
    package, direct, _ = lock.most_depended(1)[0]
    name = explore.label(package)
    user = package.dependents[0] if direct else package
    check(user.dependencies is user.dependencies, "a.dependencies is a.dependencies")
    check(not direct or user.dependencies[0] is user.dependencies[0], "a.dependencies[0] is a.dependencies[0]")
    named = [it for user in package.dependents for it in user.dependencies if it.name == package.name]
    same = {id(it) for it in named if it.version == package.version}
    check(len(same) == min(direct, 1), f"the {direct} packages that depend on {name} refer to one object")
    ways = {
        "by name": next(it for it in lock.by_name(package.name) if it.version == package.version),
        "by iteration": next(it for it in lock if explore.label(it) == name),
        "in a closure": next((it for it in user.closure() if explore.label(it) == name), package),
        "at the end of a path": (user.path_to(package) or [user])[-1],
    }
    check(all(found is package for found in ways.values()), f"{name} found {', '.join(ways)} is one object")
    number, place = id(package), position(lock, package)
    del package, user, ways
    check(all(refetched(lock, place) == number for _ in range(ROUNDS)), f"its id after {ROUNDS} drops, gc between")


def position(lock: Lock, package: Package) -> int:
    return next(i for i, it in enumerate(lock) if it is package)


def refetched(lock: Lock, place: int) -> int:
    """The id of a package after others had every chance to take its place in memory."""
    gc.collect(0)
    others = [object() for _ in range(100)]
    number = id(lock.packages[place])
    del others
    return number


def state(lock: Lock, check: Checks) -> list[weakref.ref[Lock | Package]]:
    """What Python adds to an object stays with it. Returns weak references to everything, and leaves cycles."""
    print("\nState")
    place = position(lock, lock.most_depended(1)[0][0])
    name = explore.label(lock.packages[place])
    lock.packages[place].colour = ["attached", "in", "Python"]  # type: ignore[attr-defined]
    gc.collect()
    again = next(it for it in lock if explore.label(it) == name)
    colour = getattr(again, "colour", None)
    check(colour == ["attached", "in", "Python"], f"an attribute of {name}, dropped and found on another way")
    del again
    watched = weakref.ref(lock.packages[place])
    gc.collect()
    check(watched() is lock.packages[place], f"a weak reference to {name} while only native code refers to it")
    root = (lock.roots() or lock.packages)[0]
    root.depend_on(Pinned("pinned", "1.0.0", reason="shown in a demonstration"))
    gc.collect()
    pinned = root.dependencies[len(root.dependencies) - 1]
    check(type(pinned) is Pinned, "an instance of a Python subclass, linked in and dropped, comes back as one")
    check(getattr(pinned, "reason", None) == "shown in a demonstration", "… with its attributes")
    pinned.depend_on(lock.packages[place])
    check(pinned.path_to(lock.packages[place]) == [pinned, lock.packages[place]], "… and as a node like any other")
    # Cycles through both heaps: a list, a closure and an attribute refer to the graph that holds them.
    pinned.cycle = [pinned, lock, lambda: pinned]  # type: ignore[attr-defined]
    lock.packages[place].owner = lock  # type: ignore[attr-defined]
    return [weakref.ref(it) for it in (lock, pinned, *lock)]


def collection(witnesses: list[weakref.ref[Lock | Package]], before: dict[str, int], check: Checks) -> None:
    """Checks that everything is gone, now that nothing refers to it from outside."""
    print("\nEverything dropped")
    alive = sum(ref() is not None for ref in witnesses)
    rounds = 0
    while rounds < COLLECTIONS and left(before):
        gc.collect()
        rounds += 1
    remains = sum(ref() is not None for ref in witnesses)
    check(
        remains == 0,
        f"{alive} weakly referenced objects, cycles of both heaps; {remains} after {rounds} × gc.collect()",
    )
    check(not left(before), f"native objects that are left, of all types: {left(before) or 'none'}")


def left(before: dict[str, int]) -> dict[str, int]:
    """Native objects that were not there before, by type."""
    now = pairbond.live_objects()
    return {key: count - before.get(key, 0) for key, count in now.items() if count > before.get(key, 0)}
