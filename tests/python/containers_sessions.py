"""Containers used as programs use them, each operation compared with Python's own container.

The random tests beside this one change a container about as often as they look. Programs do not: a table of sessions
is looked at ten times for each change, has keys that come back, and stays about as large as it is. What a container
caches is then current most of the time, and a cache that survives one change too many is seen.

    python containers_sessions.py [--minutes=N] SEED STEPS [KIND...]

With --minutes it ends after that time at the latest, and says how many steps that were. A difference raises `Wrong`,
with the line that replays it.
"""

import argparse
import random
import time

import pairbond
from pairbond_holders import Node

KEYS_AT_MOST = 200
# Around the sizes at which tables and vectors grow, and in between.
SIZES = [3, 4, 5, 7, 8, 9, 13, 14, 15, 16, 17, 28, 29, 32, 33, 56, 57, 64, 65, 100, 112, 113, 128, 200]
EACH = 2_000  # steps with one container
AT_ONCE = 300_000  # steps before it looks at the time


class Wrong(AssertionError):
    """A container differs from Python's own."""


class Equal:
    """A key whose comparison runs Python code."""

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return hash(self.number)

    def __eq__(self, other):
        return isinstance(other, Equal) and self.number == other.number


KEYS = {
    "str": lambda n: f"key {n}",
    "short str": lambda n: str(n),
    "int": lambda n: n - 5,
    "large int": lambda n: 2**40 + 7 * n,
    "mixed": lambda n: (n, f"k{n}", n + 0.5, 2**70 + n, (n, n), b"%d" % n)[n % 6],
    "native": lambda n: NODES[n],
    "compared": lambda n: Equal(n % 150),
}
VALUES = {
    "int": lambda n: n,
    "str": lambda n: f"value {n}",
    "float": lambda n: n / 4,
    "native": lambda n: Node(n),
    "python": lambda n: [n],
    "mixed": lambda n: (None, n, 2**66 + n, f"{n}", True, n / 8)[n % 6],
}
NODES = [Node(n) for n in range(KEYS_AT_MOST)]
NOTHING = object()


def same(ours, theirs):
    """Whether both are one object, or equal and of one type."""
    return ours is theirs or (type(ours) is type(theirs) and ours == theirs)


def compare_all(ours, model):
    for got, wanted in ((list(ours), list(model)), (len(ours), len(model))):
        if got != wanted:
            raise Wrong(f"{got} instead of {wanted}")
    if isinstance(model, dict):
        for (key, value), (other, wanted) in zip(ours.items(), model.items(), strict=True):
            if not same(key, other) or not same(value, wanted):
                raise Wrong(f"{key!r}: {value!r} instead of {other!r}: {wanted!r}")


def pick(rng):
    keys, values, size = rng.choice([*KEYS]), rng.choice([*VALUES]), rng.choice(SIZES)
    return [KEYS[keys](n) for n in range(size)], VALUES[values], f"{size} {keys} keys, {values} values"


def map_session(rng, steps):
    """Four looks in five steps; the rest adds and deletes, so that gaps come and go."""
    keys, value, told = pick(rng)
    ours, model = pairbond.Map(), {}
    lookups = rng.choice([60, 80, 90, 97])
    inserts = (100 + lookups) // 2
    chance, among = rng.randrange, len(keys)
    for step in range(steps):
        key, act = keys[int(rng.random() * among)], rng.random() * 100
        if act < lookups:
            if step & 1:
                got, wanted = ours.get(key, NOTHING), model.get(key, NOTHING)
            elif key in model:
                got, wanted = ours[key], model[key]
            else:
                got, wanted = key in ours, False
            if not same(got, wanted):
                raise Wrong(f"[{key!r}] is {got!r} instead of {wanted!r} after {step} steps: {told}")
        elif act < inserts:
            new = value(chance(1000))
            if step & 15 == 5:
                if not same(ours.setdefault(key, new), model.setdefault(key, new)):
                    raise Wrong(f"setdefault({key!r}) after {step} steps: {told}")
            else:
                ours[key] = model[key] = new
        elif key in model:
            if not same(ours.pop(key), model.pop(key)):
                raise Wrong(f"pop({key!r}) after {step} steps: {told}")
        elif model and step & 15 == 5:
            if [*map(repr, ours.popitem())] != [*map(repr, model.popitem())]:
                raise Wrong(f"popitem() after {step} steps: {told}")
        elif key in ours:
            raise Wrong(f"{key!r} is in it after {step} steps: {told}")
        if step % 97 == 0:
            compare_all(ours, model)
    compare_all(ours, model)
    frozen = pairbond.FrozenMap(ours)
    for key in keys:
        for _ in range(3):
            if not same(frozen.get(key, NOTHING), model.get(key, NOTHING)):
                raise Wrong(f"FrozenMap: [{key!r}]: {told}")
    compare_all(frozen, model)


def set_session(rng, steps):
    keys, _, told = pick(rng)
    ours, model = pairbond.Set(), {}  # a dict has the order that ours keeps
    lookups = rng.choice([60, 80, 90, 97])
    inserts = (100 + lookups) // 2
    among = len(keys)
    for step in range(steps):
        key, act = keys[int(rng.random() * among)], rng.random() * 100
        if act < lookups:
            if (key in ours) is not (key in model):
                raise Wrong(f"{key!r} after {step} steps: {told}")
        elif act < inserts:
            ours.add(key)
            model.setdefault(key)
        else:
            ours.discard(key)
            model.pop(key, None)
        if step % 97 == 0:
            compare_all(ours, dict.fromkeys(model).keys())
    compare_all(ours, model.keys())


def list_session(rng, steps):
    _, value, told = pick(rng)
    size = rng.choice(SIZES)
    model = [value(rng.randrange(1000)) for _ in range(size)]
    ours = pairbond.List(model)
    lookups = rng.choice([60, 80, 90, 97])
    for step in range(steps):
        act, at = rng.random() * 100, int(rng.random() * size * 1.1) - size // 10
        inside = -len(model) <= at < len(model)
        if act < lookups:
            if inside:
                if not same(ours[at], model[at]):
                    raise Wrong(f"[{at}] is {ours[at]!r} instead of {model[at]!r} after {step} steps: {told}")
            elif len(ours) != len(model):
                raise Wrong(f"{len(ours)} elements instead of {len(model)} after {step} steps: {told}")
        else:
            kind = rng.randrange(6)
            new = value(rng.randrange(1000))
            if kind == 0 and inside:
                ours[at] = model[at] = new
            elif kind == 1 and len(model) < size + 2:
                ours.append(new)
                model.append(new)
            elif kind == 2 and inside:
                if not same(ours.pop(at), model.pop(at)):
                    raise Wrong(f"pop({at}) after {step} steps: {told}")
            elif kind == 3 and len(model) < size + 2:
                ours.insert(at, new)
                model.insert(at, new)
            elif kind == 4 and inside:
                del ours[at], model[at]
            elif kind == 5 and step & 7 == 0:
                ours[at:] = model[at:] = [value(n) for n in range(size - len(model[:at]))]
        if step % 97 == 0:
            compare_all(ours, model)
    compare_all(ours, model)
    fixed, model = pairbond.Tuple(ours), tuple(model)
    for at in [*range(-len(model), len(model))] * 4:
        if not same(fixed[at], model[at]):
            raise Wrong(f"Tuple: [{at}] is {fixed[at]!r} instead of {model[at]!r}: {told}")
    compare_all(fixed, model)


SESSIONS = {"map": map_session, "set": set_session, "list": list_session}


def run(seed, steps, kinds=tuple(SESSIONS)):
    """Sessions of each kind in turn until so many steps are done; the number of those done."""
    done = number = 0
    while done < steps:
        for kind in kinds:
            number += 1
            each = min(EACH, steps)
            try:
                SESSIONS[kind](random.Random(f"{seed} {number}"), each)
            except Wrong as wrong:
                replay = f"seed {seed}, session {number} ({kind}), {each} steps"
                raise Wrong(f"{wrong}; {replay}") from None
            done += each
    return done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("seed")
    parser.add_argument("steps", type=int)
    parser.add_argument("kinds", nargs="*", choices=[*SESSIONS, []])
    options = parser.parse_args()
    end, done, part = time.monotonic() + options.minutes * 60, 0, 0
    while done < options.steps and time.monotonic() < end:
        # Of the seed itself first, as a difference says that it is replayed.
        seed = f"{options.seed}-{part}" if part else options.seed
        done += run(seed, min(AT_ONCE, options.steps - done), tuple(options.kinds) or tuple(SESSIONS))
        part += 1
    print(f"{done} operations: as Python's own containers")


if __name__ == "__main__":
    main()
