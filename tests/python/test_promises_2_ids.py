"""id(a.x) stays the same while the native object lives."""

import gc

import pairbond
import pytest
from lockgraph import Package, parse
from pairbond_holders import Holder, Leaf, Node
from promises import KINDS

pytestmark = pytest.mark.usefixtures("no_leak")
ROUNDS = 100


@pytest.mark.parametrize("collects", [False, True], ids=["by count alone", "with collections"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_through_a_hundred_drops(kind, collects):
    it = kind.make()
    holder = Holder(it)
    number, address, cls = id(it), pairbond.native_id(it), type(it)
    del it
    for i in range(ROUNDS):
        # Whatever the wrapper's memory could be taken for, is asked for.
        crowd = [(Package("crowd"), Node(i), Leaf(i), [i], object()) for _ in range(20)]
        if collects:
            gc.collect(i % 3)
        it = holder.get()
        assert (id(it), pairbond.native_id(it), type(it)) == (number, address, cls)
        assert kind.intact(it)
        assert all(id(other) != number for row in crowd for other in row)
        del it, crowd


def test_of_everything_in_a_graph():
    chain = "".join(
        f'[[package]]\nname = "p{i}"\nversion = "1.0.0"\ndependencies = ["p{(i + 1) % 30}"]\n' for i in range(30)
    )
    lock = parse("version = 4\n" + chain)
    ids = {package.name: id(package) for package in lock}
    for _ in range(ROUNDS):
        gc.collect()
        assert {package.name: id(package) for package in lock["p7"].closure()} | {"p7": id(lock["p7"])} == ids


def test_of_two_objects_never_both_alive():
    """An address may be used again, but only by an object that comes after the first one's death."""
    before = pairbond.live_objects().get("pairbond_holders.Leaf", 0)
    for _ in range(ROUNDS):
        holder = Holder(Leaf(1))
        number = id(holder.get())
        others = [Leaf(2) for _ in range(50)]
        assert number not in map(id, others)
        holder.clear()
        assert pairbond.live_objects()["pairbond_holders.Leaf"] == before + 50
