"""Very many concurrent readers and writers on one container: a thousand in long tests."""

import os
import random
import threading
import time

import pytest
from pairbond import List, Map, Set
from pairbond_holders import Node

THREADS = 1000 if "PAIRBOND_LONG" in os.environ else 64


class Key:
    """Its `__eq__` is Python code, so that lookups are interrupted."""

    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return self.n % 997

    def __eq__(self, other):
        return isinstance(other, Key) and self.n == other.n


def run(act):
    """Run `act(number, random)` on all threads at once; return what was raised."""
    go, raised = [], []

    def work(number):
        rng = random.Random(number)
        while not go:  # a barrier hands its one lock round a thousand times, which takes minutes
            time.sleep(0.2)
        try:
            act(number, rng)
        except BaseException as error:
            raised.append(error)

    before = threading.stack_size(512 * 1024)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
        for it in threads:
            it.start()
    finally:
        go.append(True)
        threading.stack_size(before)
    for it in threads:
        it.join()
    return raised


def test_a_list():
    items = List()

    def act(number, rng):
        for step in range(20):
            if number % 2:
                items.append((number, step))
            elif rng.random() < 0.5:
                assert all(len(it) == 2 for it in items[-10:])
            else:
                sum(1 for _ in items[:50])

    assert run(act) == []
    assert len(items) == THREADS // 2 * 20 == len(set(items))
    for number in range(1, THREADS, 2):  # each thread's own are in order
        mine = [step for who, step in items if who == number]
        assert mine == sorted(mine)
        break


@pytest.mark.parametrize("key", [int, str, Key])
def test_a_map(key):
    some = Map()

    def act(number, rng):
        for step in range(10):
            at = key(number % 50)
            if number % 2:
                some[at] = number
                some.setdefault(key(50 + number % 10), step)
            elif rng.random() < 0.8:
                value = some.get(at)
                assert value is None or isinstance(value, int)
            else:
                try:
                    for _ in some.items():
                        pass
                except RuntimeError as error:
                    if "during iteration" not in str(error):
                        raise

    assert run(act) == []
    # Odd threads wrote the odd numbers below 50, and 50 to 59 but for the even ones.
    assert sorted(int(k.n if key is Key else k) for k in some) == [*range(1, 50, 2), *range(51, 60, 2)]


@pytest.mark.parametrize("key", [int, Key])
def test_a_set(key):
    group, added, removed = Set(), [], []

    def act(number, rng):
        for n in range(10):
            if number % 2:
                group.add(key(number * 10 + n))
                added.append(number * 10 + n)
            elif number % 4 == 0:
                key(number * 10 + n) in group
            else:
                try:
                    it = group.pop()
                    removed.append(it.n if key is Key else it)
                except KeyError:
                    pass

    assert run(act) == []
    left = [it.n if key is Key else it for it in group]
    # Everything that was added was removed once, or is there once.
    assert sorted(left + removed) == sorted(added)
    assert len(added) == THREADS // 2 * 10


def test_what_is_in_a_list_is_found_and_nothing_else_removed():
    """What stays is found while others before it come and go, and each thread removes what it means."""
    items = List()

    class Asked(Node):
        def __eq__(self, other):
            return self is other

        __hash__ = Node.__hash__

    def act(number, rng):
        make = Asked if number % 8 == 0 else Node
        for _ in range(30 if THREADS < 100 else 3):  # each search goes through all that the others have put there
            mine = [make() for _ in range(3)]
            items.extend(mine)
            rng.shuffle(mine)
            for it in mine:
                assert it in items
                items.remove(it)

    raised = run(act)
    assert not raised, raised[:3]
    assert len(items) == 0
