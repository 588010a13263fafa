"""One native object, one Python self, whichever way and from whichever thread it is reached."""

import itertools

import pairbond
import pairbond_holders as native
import pytest
from lockgraph import Package, parse
from pairbond_holders import Holder, Node
from promises import KINDS, at_once

pytestmark = pytest.mark.usefixtures("no_leak")
THREADS = 8

TEXT = "version = 4\n" + "".join(f'[[package]]\nname = "p{i}"\nversion = "1.0.0"\n' for i in range(50))


def kinds():
    return pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def test_fields():
    a, b = Node(1), Node(2)
    a.next = b
    a.value = b
    a.parent = b
    a.children.append(b)
    assert a.next is a.next is a.value is a.parent is b
    assert a.children is a.children
    assert a.children[0] is a.children[-1] is next(iter(a.children)) is b
    assert b in a.children
    assert a.children.index(b) == 0
    assert a.children.pop() is b


@kinds()
def test_functions(kind):
    it = kind.make()
    assert native.echo(it) is it
    holder = Holder(it)
    assert holder.get() is holder.get() is it
    assert holder.take() is it
    assert holder.get() is None
    holder.put(it)
    holder.watch(it)
    assert holder.upgrade() is it


def test_methods_return_self():
    node = Node(1)
    assert node.same() is node.owned() is node


@kinds()
@pytest.mark.parametrize("call", [native.call, native.call_on_thread], ids=["here", "on a native thread"])
def test_callbacks(kind, call):
    it = kind.make()
    seen = []
    assert call(lambda *values: (seen.extend(values), it)[1], it, it) is it
    assert len(seen) == 2
    assert seen[0] is seen[1] is it


def test_python_objects_come_back():
    holder = Holder()
    for it in (object(), [], {}, type, lambda: 0, Ellipsis, holder.put):
        assert native.echo(it) is it
        holder.put(it)
        assert holder.get() is holder.take() is it


def test_functions_come_back():
    def python():
        return 0

    assert native.echo(python) is python
    assert native.global_function() is native.global_function()
    assert native.echo(native.global_function()) is native.global_function()


def test_two_ways_to_one_object():
    lock = parse(TEXT)
    for i, package in enumerate(lock):
        assert package is lock[f"p{i}"] is lock[f"p{i} 1.0.0"] is lock.packages[i] is lock.by_name(f"p{i}")[0]
        assert package is lock.roots()[i]
    ring = Node.ring(5)
    assert ring.next.next.next.next.next is ring


def test_different_objects_differ():
    lock, other = parse(TEXT), parse(TEXT)
    assert not {id(package) for package in [*lock]} & {id(package) for package in [*other]}
    packages = [*lock]
    assert len({*packages}) == len(packages) == 50
    assert Package("a") != Package("a")


def test_first_fetch_from_many_threads():
    """Nobody has seen the packages before, and all threads ask for them in the same order."""
    for _ in range(40):
        lock = parse(TEXT)
        selves = at_once(THREADS, lambda i, lock=lock: [lock.packages[k] for k in range(50)])
        for same in zip(*selves, strict=True):
            assert all(it is same[0] for it in same)


def test_the_same_from_many_threads():
    """All threads take, drop and take again, in orders of their own."""
    lock = parse(TEXT)

    def walk(i):
        found = {}
        for step in range(400):
            k = (step * (2 * i + 1) + i) % 50
            package = lock.packages[k]
            known = found.setdefault(k, id(package))
            assert known == id(package)
            assert lock[f"p{k}"] is package
            if step % 3 == i % 3:
                package.note = str(i)
        return found

    results = at_once(THREADS, walk)
    for k in range(50):
        assert len({found[k] for found in results if k in found}) == 1


def test_last_references_from_many_threads():
    """Each round every thread drops the native and the Python reference and makes the other the last one."""
    holders = [Holder() for _ in range(THREADS)]
    node = Node(5)
    node.mark = mark = object()
    for holder in holders:
        holder.put(node)
    number = id(node)
    del node

    def work(i):
        for _ in range(300):
            mine = holders[i].take()
            assert id(mine) == number
            assert mine.mark is mark
            holders[i].put(mine)
            del mine
            holders[i].put(holders[(i + 1) % THREADS].get() or holders[i].get())

    at_once(THREADS, work)
    found = {id(it) for holder in holders if (it := holder.get()) is not None}
    assert found == {number}


@pytest.mark.parametrize("make", [lambda: Node.ring(1), lambda: Node.chain(2)], ids=["ring", "chain"])
def test_a_fetch_during_churn(make):
    node = make()
    holder = Holder(node)
    holder.watch(node)
    number = id(node)
    del node
    holder.juggle(2)
    try:
        while holder.rounds < 1000:
            assert id(holder.get()) == number
            assert id(holder.upgrade()) == number
    finally:
        holder.stop()


def test_pairs_of_all_types_are_told_apart():
    objects = [kind.make() for kind in KINDS for _ in range(20)]
    holders = [Holder(it) for it in objects]
    ids = [id(it) for it in objects]
    natives = [pairbond.native_id(it) for it in objects]
    assert len(set(ids)) == len(set(natives)) == len(objects)
    del objects
    assert [id(holder.get()) for holder in holders] == ids
    assert [pairbond.native_id(holder.get()) for holder in holders] == natives
    for a, b in itertools.pairwise(holders):
        assert a.get() is not b.get()
