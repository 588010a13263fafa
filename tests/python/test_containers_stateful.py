"""Any sequence of operations on a List, Map or Set against Python's own."""

import os

import pairbond
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

LONG = bool(os.environ.get("PAIRBOND_LONG"))
SETTINGS = settings(
    max_examples=500 if LONG else 40,
    stateful_step_count=100 if LONG else 40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Odd:
    """Equal by value, with few hashes, in Python code."""

    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return self.n % 3

    def __eq__(self, other):
        return isinstance(other, Odd) and self.n == other.n

    def __repr__(self):
        return f"Odd({self.n})"


numbers = st.integers(-5, 5) | st.sampled_from(
    [2**53, 2**53 + 1, 2**70, -(2**63), 0.5, 1.0, -0.0, 2.0**53, 1e300, True, False]
)
keys = (
    numbers
    | st.text(max_size=2)
    | st.binary(max_size=2)
    | st.none()
    | st.builds(Odd, st.integers(0, 9))
    | st.tuples(st.integers(0, 2), st.text(max_size=1))
)
values = keys | st.lists(st.integers(0, 2), max_size=2)
indices = st.integers(-8, 8)
slices = st.builds(slice, *[st.none() | indices] * 2, st.none() | st.integers(-3, 3))


def both(act, ours, model):
    """Do the same to both; results and errors must agree."""
    outcomes = []
    for it in (ours, model):
        try:
            outcomes.append(("gives", act(it)))
        except (TypeError, ValueError, LookupError) as error:
            outcomes.append(("raises", type(error)))
    assert outcomes[0] == outcomes[1]
    return outcomes[0][1]


def setitem(it, key, value):
    it[key] = value


def delitem(it, key):
    del it[key]


class Lists(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.ours, self.model = pairbond.List(), []

    def do(self, act):
        both(act, self.ours, self.model)

    @rule(value=values)
    def append(self, value):
        self.do(lambda it: it.append(value))

    @rule(more=st.lists(values, max_size=5))
    def extend(self, more):
        self.do(lambda it: it.extend(more))

    @rule(more=st.lists(values, max_size=3))
    def add_in_place(self, more):
        self.ours += more
        self.model += more

    @rule(n=st.integers(-1, 3))
    def multiply(self, n):
        self.do(lambda it: list(it * n))
        if len(self.model) < 40:
            self.ours *= n
            self.model *= n

    @rule(at=indices, value=values)
    def insert(self, at, value):
        self.do(lambda it: it.insert(at, value))

    @rule(at=indices)
    def pop(self, at):
        self.do(lambda it: it.pop(at))

    @rule(value=values)
    def remove(self, value):
        self.do(lambda it: it.remove(value))

    @rule(value=values, at=indices, to=indices)
    def search(self, value, at, to):
        self.do(lambda it: (value in it, it.count(value)))
        self.do(lambda it: it.index(value, at, to))

    @rule(at=indices | slices)
    def get(self, at):
        self.do(lambda it: list(it[at]) if isinstance(at, slice) else it[at])

    @rule(at=indices, value=values)
    def put(self, at, value):
        self.do(lambda it: setitem(it, at, value))

    @rule(at=slices, more=st.lists(values, max_size=5))
    def put_slice(self, at, more):
        self.do(lambda it: setitem(it, at, more))

    @rule(at=indices | slices)
    def delete(self, at):
        self.do(lambda it: delitem(it, at))

    @rule(reverse=st.booleans())
    def sort(self, reverse):
        self.do(lambda it: it.sort(key=repr, reverse=reverse))

    @rule()
    def turn(self):
        self.do(lambda it: it.reverse())

    @rule(other=st.lists(numbers, max_size=3))
    def compare(self, other):
        for make in (list, pairbond.List):
            self.do(lambda it, make=make: it == make(other))
            self.do(lambda it, make=make: it < make(other))
            self.do(lambda it, make=make: it >= make(other))

    @invariant()
    def same(self):
        assert list(self.ours) == self.model
        assert len(self.ours) == len(self.model)
        assert [*reversed(self.ours)] == self.model[::-1]
        assert self.ours == self.model == self.ours.copy()
        assert [*map(type, self.ours)] == [*map(type, self.model)]


class Maps(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.ours, self.model = pairbond.Map(), {}

    def do(self, act):
        both(act, self.ours, self.model)

    @rule(key=values, value=values)
    def put(self, key, value):
        self.do(lambda it: setitem(it, key, value))

    @rule(key=values)
    def look(self, key):
        self.do(lambda it: it[key])
        self.do(lambda it: (it.get(key, 7), key in it))

    @rule(key=keys)
    def delete(self, key):
        self.do(lambda it: delitem(it, key))

    @rule(key=keys, default=st.tuples() | st.tuples(values))
    def pop(self, key, default):
        self.do(lambda it: it.pop(key, *default))

    @rule()
    def popitem(self):
        self.do(lambda it: it.popitem())

    @rule(key=keys, value=values)
    def setdefault(self, key, value):
        self.do(lambda it: it.setdefault(key, value))

    @rule(other=st.dictionaries(keys, values, max_size=5))
    def update(self, other):
        self.do(lambda it: it.update(other))

    @rule(other=st.dictionaries(keys, values, max_size=5))
    def union(self, other):
        self.do(lambda it: list((it | other).items()))
        self.do(lambda it: list((other | it).items()))
        frozen = pairbond.FrozenMap(self.ours) | other
        assert list(frozen.items()) == list((self.model | other).items())

    @rule(other=st.sets(keys, max_size=3))
    def views(self, other):
        self.do(lambda it: (it.keys() & other, it.keys() - other, it.keys() ^ other, it.keys() | other))
        self.do(lambda it: (it.keys() <= other, it.keys() > other, it.keys().isdisjoint(other)))

    @rule(chance=st.integers(0, 5))
    def clear(self, chance):
        if not chance:
            self.do(lambda it: it.clear())

    @invariant()
    def same(self):
        assert list(self.ours.items()) == list(self.model.items())
        assert len(self.ours) == len(self.model)
        assert [*map(type, self.ours)] == [*map(type, self.model)]
        assert list(reversed(self.ours)) == list(reversed(self.model))
        assert self.ours == self.model == self.ours.copy()


class Sets(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.ours, self.model = pairbond.Set(), set()

    def do(self, act):
        both(act, self.ours, self.model)

    @rule(value=values)
    def add(self, value):
        self.do(lambda it: it.add(value))

    @rule(value=values)
    def look(self, value):
        self.do(lambda it: value in it)

    @rule(value=keys)
    def discard(self, value):
        self.do(lambda it: it.discard(value))
        self.do(lambda it: it.remove(value))

    @rule()
    def pop(self):
        if self.model:
            self.model.remove(self.ours.pop())

    @rule(other=st.sets(keys, max_size=5), name=st.sampled_from(["or", "and", "sub", "xor"]))
    def operate(self, other, name):
        for make in (set, pairbond.Set):
            self.do(
                lambda it, make=make: (
                    set(getattr(it, f"__{name}__")(make(other)))
                    if it is self.ours
                    else getattr(it, f"__{name}__")(other)
                )
            )
        changed = getattr(self.ours, f"__i{name}__")(pairbond.Set(other))
        assert changed is self.ours
        getattr(self.model, f"__i{name}__")(other)

    @rule(
        others=st.lists(st.lists(keys, max_size=4), max_size=3),
        name=st.sampled_from(
            ["union", "intersection", "difference", "update", "intersection_update", "difference_update"]
        ),
    )
    def named(self, others, name):
        self.do(lambda it: getattr(it, name)(*others))

    @rule(other=st.lists(keys, max_size=4))
    def relations(self, other):
        self.do(lambda it: (it.isdisjoint(other), it.issubset(other), it.issuperset(other)))
        self.do(lambda it: (it <= set(other), it < set(other), it >= set(other), it == set(other)))
        self.do(lambda it: it.symmetric_difference(other))
        self.do(lambda it: it.symmetric_difference_update(other))

    @invariant()
    def same(self):
        assert set(self.ours) == self.model == self.ours
        assert len(self.ours) == len(self.model) == len(list(self.ours))


TestLists = Lists.TestCase
TestMaps = Maps.TestCase
TestSets = Sets.TestCase
for case in (TestLists, TestMaps, TestSets):
    case.settings = SETTINGS
