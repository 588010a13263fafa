"""Picklers in turn, in each other and in threads, and what they reduce in ways of their own, as with Python objects."""

import collections
import copy
import copyreg
import gc
import io
import pickle
import random
import threading
import types
import weakref

import pairbond
import pairbond_holders as holders
import pytest

Node = holders.Node


class Plain:
    """The same in Python."""

    def __init__(self, number=0):
        self.number = number
        self.next = self.value = None


class Own(Node):
    pass


class Reducing(Node):
    """Calls what it overrides."""

    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(protocol)


class Snapshot(Node):
    """Pickles another object while it is pickled itself."""

    def __getstate__(self):
        return {"data": pickle.dumps(self.other)}


kinds = pytest.mark.parametrize("kind", [Node, Plain])
PICKLERS = [pickle.Pickler, pickle._Pickler]
picklers = pytest.mark.parametrize("pickler", PICKLERS)


class Stream:
    """A pickler, and what it has written so far."""

    def __init__(self, pickler=pickle.Pickler, protocol=5):
        self.file = io.BytesIO()
        self.pickler = pickler(self.file, protocol)

    def dump(self, value):
        self.pickler.dump(value)

    def load(self):
        end = len(self.file.getvalue())
        values, source = [], io.BytesIO(self.file.getvalue())
        unpickler = pickle.Unpickler(source)
        while source.tell() < end:
            values.append(unpickler.load())
        return values


def pair(kind):
    a, b = kind(1), kind(2)
    a.next, b.next = b, a
    return a


@kinds
@picklers
def test_in_turn(kind, pickler):
    a = pair(kind)
    one, two = Stream(pickler), Stream(pickler)
    one.dump(a)
    two.dump(a)
    one.dump(a.next)
    two.dump([a.next, a])
    one.dump([a])
    first, second, third = one.load()
    assert first.next is second
    assert third[0] is first
    first, (second, again) = two.load()
    assert first is again
    assert first.next is second


def shape(values):
    """The numbers of loaded objects, in the order in which they are met: what is one object has one place."""
    places, out = {}, []

    def meet(value):
        if value is None or isinstance(value, (int, str)):
            return value
        if isinstance(value, list):
            return [meet(item) for item in value]
        known = id(value) in places
        place = places.setdefault(id(value), len(places))
        if not known:
            order.append(value)
        return ("place", place)

    order = []
    out.append([meet(value) for value in values])
    for value in order:
        out.append((value.number, meet(value.next), meet(value.value)))
    return out


@pytest.mark.parametrize("seed", range(30))
def test_many_in_turn_as_with_python_objects(seed):
    """Any number of picklers in any order write what they write of the same graph of Python objects."""
    results = []
    for kind in (Node, Plain):
        rng = random.Random(seed)
        nodes = [kind(i) for i in range(12)]
        for node in nodes:
            node.next = rng.choice([None, *nodes])
            node.value = rng.choice([None, "text", [rng.choice(nodes)], rng.choice(nodes)])
        streams = [Stream(rng.choice(PICKLERS), rng.randint(2, 5)) for _ in range(5)]
        for _ in range(60):
            what = rng.random()
            at = rng.randrange(len(streams))
            if what < 0.05:
                streams[at] = Stream(rng.choice(PICKLERS), rng.randint(2, 5))
            elif what < 0.1:
                pickle.dumps(rng.choice(nodes))
            elif what < 0.15:
                with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
                    pickle.dumps([rng.choice(nodes), lambda: None])
            elif what < 0.2:
                node = nodes[rng.randrange(len(nodes))]
                node.next = rng.choice([None, *nodes])
                # What was written is not written again; a new one of each.
                streams = [Stream(rng.choice(PICKLERS)) for _ in streams]
            else:
                streams[at].dump(rng.choice([rng.choice(nodes), rng.sample(nodes, 3)]))
        results.append([shape(stream.load()) for stream in streams])
    assert results[0] == results[1]


@kinds
def test_one_pickler_in_several_threads(kind):
    nodes = [pair(kind) for _ in range(4)]
    streams = [Stream() for _ in range(3)]
    for number in range(6):

        def work(number=number):
            for stream in streams:
                stream.dump([nodes[number % 4], nodes[(number + 1) % 4].next])

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    for stream in streams:
        values = stream.load()
        for number in range(4):
            assert values[number][0].next is values[number - 1][1] or number == 0
        assert values[4][0] is values[0][0]


def test_threads_at_the_same_time():
    shared = [pair(Node) for _ in range(5)]
    failures, done = [], []

    def work(seed):
        try:
            rng = random.Random(seed)
            for _ in range(30):
                stream = Stream(rng.choice(PICKLERS))
                order = [rng.randrange(5) for _ in range(8)]
                for number in order:
                    stream.dump(rng.choice([shared[number], [shared[number].next.next]]))
                found = {}
                for number, value in zip(order, stream.load(), strict=True):
                    value = value[0] if isinstance(value, list) else value
                    assert value.number == 1
                    assert found.setdefault(number, value) is value
                assert len(set(map(id, found.values()))) == len(set(order))
            done.append(seed)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(done) == 6


@kinds
def test_generators_that_write(kind):
    a = pair(kind)

    def writing(stream):
        for value in (a, a.next, [a, a.next]):
            stream.dump(value)
            yield stream

    writers = [writing(Stream()) for _ in range(3)]
    for _ in range(3):
        streams = [next(writer) for writer in writers]
    for stream in streams:
        first, second, both = stream.load()
        assert first.next is second is both[1]
        assert first is both[0]


def test_pickling_within_getstate():
    other = pair(Node)
    a = Snapshot(1)
    a.other, a.next, a.value = other, other, [other]
    # What the inner pickler writes is its own, also when the outer one writes the same object.
    for carry in (lambda it: pickle.loads(pickle.dumps(it)), lambda it: pickle.loads(pickle._dumps(it))):
        b, c = carry([a, other])
        assert b.next is b.value[0] is c
        inner = pickle.loads(b.data)
        assert (inner.number, inner.next.number) == (1, 2)
    a.other = a
    with pytest.raises(RecursionError):
        pickle.dumps(a)


def test_an_object_that_leads_back_to_itself_is_named():
    class Before:
        def __reduce__(self):
            return Plain, (a,)

    a = Node(1)
    a.value = pairbond.FrozenMap({Before(): 1})
    with pytest.raises(pickle.PicklingError, match="leads back to itself"):
        pickle.dumps(a)


# What picklers reduce themselves


def with_hook(base, **hooks):
    return type("Hooked", (base,), hooks)


def graph(kind):
    """A graph whose second object native code holds, and Python too or not."""
    a = kind(1)
    a.next, a.value = kind(2), kind(3)
    a.next.next, a.next.value = a, kind(4)
    return a


@kinds
@picklers
def test_persistent_id(kind, pickler):
    asked = []

    def persistent_id(self, value):
        if isinstance(value, (Node, Plain)):
            asked.append(value.number)
            return "two" if value.number == 2 else None
        return None

    a = graph(kind)
    stream = Stream(with_hook(pickler, persistent_id=persistent_id))
    stream.dump(a)
    stream.dump(a.value)
    assert {1, 2, 3} <= set(asked)
    assert 4 not in asked

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid):
            return standing_for.setdefault(pid, kind(22))

    standing_for = {}
    unpickler = Unpickler(io.BytesIO(stream.file.getvalue()))
    b, c = unpickler.load(), unpickler.load()
    assert b.next is standing_for["two"]
    assert b.value is c
    assert c.number == 3


@kinds
@picklers
def test_reducer_override(kind, pickler):
    asked = []

    def reducer_override(self, value):
        if isinstance(value, (Node, Plain)):
            asked.append(value.number)
            if value.number == 2:
                return kind, (222,)
        return NotImplemented

    a = graph(kind)
    stream = Stream(with_hook(pickler, reducer_override=reducer_override))
    stream.dump([a, a.next, a.value])
    [(b, second, third)] = stream.load()
    assert b.next is second
    assert second.number == 222
    assert second.next is None
    assert b.value is third
    assert {1, 2, 3} <= set(asked)
    assert 4 not in asked
    # It is asked for by this pickler only.
    assert pickle.loads(pickle.dumps(a)).next.number == 2


def tables():
    yield "copy", lambda more: copyreg.dispatch_table.copy() | more
    yield "chained", lambda more: collections.ChainMap(more, copyreg.dispatch_table)
    yield "alone", lambda more: more


@pytest.mark.parametrize("table", [pytest.param(make, id=name) for name, make in tables()])
@kinds
@picklers
@pytest.mark.parametrize("place", ["instance", "class"])
def test_a_dispatch_table_of_its_own(kind, pickler, table, place):
    def reduce(value):
        return kind, (value.number + 100,)

    class Sub(kind):
        pass

    a = graph(kind)
    holder = Own(0) if kind is Node else types.SimpleNamespace()
    holder.next, holder.value = a, pairbond.List([a])
    own = table({kind: reduce})
    stream = Stream(with_hook(pickler, dispatch_table=own) if place == "class" else pickler)
    if place == "instance":
        stream.pickler.dispatch_table = own
    stream.dump(holder)
    [got] = stream.load()
    assert got.next is got.value[0]
    assert got.next.number == 101
    assert got.next.next is None
    assert pickle.loads(pickle.dumps(holder)).next.number == 1


def test_a_dispatch_table_for_some_objects_of_a_class():
    def reduce(value):
        return (Node, (value.number + 100,)) if value.number > 1 else value.__reduce_ex__(4)

    a = graph(Node)
    stream = Stream()
    stream.pickler.dispatch_table = {Node: reduce}
    stream.dump(a)
    [b] = stream.load()
    assert (b.number, b.next.number, b.value.number) == (1, 102, 103)


def test_what_only_the_pickler_can_reduce():
    """Objects that cannot be taken apart are no matter when a hook or a table takes them."""
    a = Node(1)
    a.value = pairbond.List([holders.Holder(), 7])
    with pytest.raises(TypeError, match="Holder"):
        pickle.dumps(a)
    stream = Stream()
    stream.pickler.dispatch_table = {holders.Holder: lambda value: (holders.Holder, ())}
    stream.dump(a)
    assert type(stream.load()[0].value[0]) is holders.Holder

    def reducer_override(self, value):
        return (str, ("holder",)) if isinstance(value, holders.Holder) else NotImplemented

    stream = Stream(with_hook(pickle.Pickler, reducer_override=reducer_override))
    stream.dump(a)
    assert stream.load()[0].value[0] == "holder"


@pytest.mark.parametrize("cls", [Node, Own])
def test_copyreg(cls):
    """Also of objects that no wrapper stands for."""
    chain = cls(0)
    chain.next = cls(1)
    outer = Reducing(5)
    outer.next = chain
    copyreg.pickle(cls, lambda value: (cls, (value.number + 100,)))
    try:
        assert copy.copy(chain).number == 100
        assert copy.deepcopy(chain).number == 100
        assert copy.copy(outer).next is chain
        assert copy.deepcopy(outer).next.number == 100
        assert pickle.loads(pickle.dumps(outer)).next.number == 100
        ring = Node.ring(3)
        if cls is Node:
            holder = Own(9)
            holder.next = ring.next
            del ring
            assert pickle.loads(pickle.dumps(holder)).next.number == 101
    finally:
        del copyreg.dispatch_table[cls]


def test_a_reduction_that_calls_what_it_overrides():
    a = Reducing(1)
    a.next, a.value, a.note = Node(2), [a], "note"
    for _ in range(2):
        b = copy.copy(a)
        assert type(b) is Reducing
        assert (b.next, b.number, b.note) == (a.next, 1, "note")
        c = copy.deepcopy(a)
        assert type(c) is Reducing
        assert c.value[0] is c
        assert (c.next.number, c.note) == (2, "note")
        assert c.next is not a.next
        d = pickle.loads(pickle.dumps(a))
        assert d.value[0] is d
        # While a pickler lives that has met it.
        stays = Stream()
        stays.dump(a)


# What picklers keep


def test_a_living_pickler_keeps_its_own_objects_only():
    stays = Stream()
    first = Node(0)
    stays.dump(first)
    kept, gone = weakref.ref(first), []
    del first
    for number in range(100):
        node = Own(number)
        pickle.dumps(node)
        pickle.dumps([node, Own(-1)])
        gone.append(weakref.ref(node))
        del node
    gc.collect()
    assert kept() is not None
    assert all(it() is None for it in gone)
    del stays
    gc.collect()
    assert kept() is None
    assert pairbond._picklers.recent() is None


def test_a_failed_pickler_keeps_its_own_objects_only():
    bad = Own(1)
    bad.value = lambda: None
    errors = []
    for attempt in (pickle.dumps, pickle._dumps):
        with pytest.raises((pickle.PicklingError, AttributeError)) as error:
            attempt([Node(3), bad])
        errors.append(error)
    gone = []
    for number in range(100):
        node = Own(number)
        pickle.dumps([node, bad.next])
        gone.append(weakref.ref(node))
        del node
    gc.collect()
    assert all(it() is None for it in gone)
    errors.clear()
    del error
    gc.collect()
    assert pairbond._picklers.recent() is None


@picklers
def test_a_pickler_that_has_failed_goes_on(pickler):
    class Sometimes:
        def __reduce__(self):
            if failing:
                raise ValueError("not now")
            return str, ("key",)

    a = pair(Node)
    a.value = pairbond.FrozenMap({Sometimes(): a.next})
    one, two = Stream(pickler), Stream(pickler)
    c = pair(Node)
    two.dump(c)
    failing, errors = True, []
    for _ in range(3):
        with pytest.raises(ValueError, match="not now") as error:
            one.dump(a)
        errors.append(error)
        with pytest.raises(TypeError, match="Holder"):
            one.dump([pairbond.List([holders.Holder()])])
        # Neither takes what the failed one has asked for, nor does the failed one.
        two.dump(c.next)
    failing = False
    # What the failed dumps have memoized is not in what follows, as with Python objects; of the graph that is nothing.
    one.dump(a)
    two.dump(a)
    one.dump(c)
    first, *later, last = two.load()
    assert all(it is first.next for it in later)
    assert len(later) == 3
    assert last.value["key"] is last.next
    assert last.next is not first.next


@picklers
def test_memos_that_are_cleared_copied_or_not_used(pickler):
    a, b = pair(Node), pair(Node)
    one = Stream(pickler)
    one.dump(a)
    one.pickler.clear_memo()
    one.dump(a)
    first, second = one.load()
    assert first.next.next is first
    assert second.next.next is second
    assert second is not first
    two, three = Stream(pickler), Stream(pickler)
    two.dump(a)
    three.file.write(two.file.getvalue())
    memo = two.pickler.memo
    three.pickler.memo = dict(memo) if isinstance(memo, dict) else memo
    for stream in (two, three):
        stream.dump([b, a.next])
        first, (x, y) = stream.load()
        assert x.next.next is x
        assert y.next.next is y
        # Which objects another memo had is not found out when it is copied.
        assert stream is three or first.next is y
    fast = Stream(pickler)
    fast.pickler.fast = True
    a.value = 5
    fast.dump([a, a.next])
    [(x, y)] = fast.load()
    assert (x.number, y.number) == (1, 2)


def test_equal_graphs_give_equal_pickles():
    assert pickle.dumps([pair(Node), Own(3)]) == pickle.dumps([pair(Node), Own(3)])
