"""What a map or set remembers of its keys and values for Python is never told from what it holds."""

import gc
import random
import sys
import weakref

import pairbond
import pytest
from interpreters import KINDS, check
from pairbond import FrozenMap, Map, Set
from pairbond_holders import Node
from pairbond_testext import Shelf
from promises import meanwhile

pytestmark = pytest.mark.usefixtures("no_leak")
KEYS = [0, -1, -2, 256, 257, 2**61 - 1, 2**62, 2**80, 1.5, "text", "grüße", "世界", "", b"bytes", None, (1, 2), print]
VALUES = [0, 256, 257, 2**70, 1.5, "text", b"bytes", None, True, (1, 2), print]


class Text(str):
    """Equal to a `str`, and no exact one."""


class Same:
    """Equal to whatever it was made with."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        return self.value == other


def often(mapping, model):
    """Looks at everything until all that can be is remembered; `model` is a dict."""
    for _ in range(4):
        for key, value in model.items():
            assert mapping[key] == value
            assert type(mapping[key]) is type(value)
            assert key in mapping
            assert mapping.get(key) == value
        for absent in ["absent", 10**6, -3, 0.25, b"absent"]:
            assert absent not in mapping
            assert mapping.get(absent, "default") == "default"
        assert list(mapping) == list(model)
        assert [type(key) for key in mapping] == [type(key) for key in model]
        assert list(mapping.values()) == list(model.values())
        assert list(mapping.items()) == list(model.items())
        assert list(reversed(mapping.items())) == list(reversed(model.items()))
        assert list(reversed(mapping)) == list(reversed(model))


@pytest.mark.parametrize("kind", [Map, FrozenMap])
def test_every_kind_of_key_and_value(kind):
    model = {key: VALUES[at % len(VALUES)] for at, key in enumerate(KEYS)}
    often(kind(model), model)
    texts = {f"key {n}": n * 100 for n in range(300)}
    often(kind(texts), texts)


@pytest.mark.parametrize("kind", [Map, FrozenMap, Set])
def test_equal_keys_are_one(kind):
    made = kind(dict.fromkeys([1, "a", 2.0, 10**12], "value")) if kind is not Set else Set([1, "a", 2.0, 10**12])
    for _ in range(20):
        for key in [1, True, 1.0, Same(1), "a", Text("a"), Same("a"), 2, 2.0, Same(2.0), 10**12, 1e12]:
            assert key in made
            assert kind is Set or made[key] == "value"
        for absent in [0, False, "b", Text("b"), Same("b"), 3, 2.5, 10**12 + 1, "\ud800"]:
            assert absent not in made
        # Keys come out as they were stored, whatever they were looked for by.
        assert [type(key) for key in made] == [int, str, float, int]
        with pytest.raises(TypeError):
            [] in made


def test_a_key_that_is_not_utf8_is_found():
    made = Map({"\ud800": 1, "b": 2})
    for _ in range(20):
        assert made["\ud800"] == 1
        assert "\udfff" not in made
        assert list(made) == ["\ud800", "b"]


CHANGES = [
    lambda it: it.__setitem__("new", 7),
    lambda it: it.__setitem__(17, 2**80),
    lambda it: it.__setitem__(3, "three"),
    lambda it: it.__setitem__("text", None),
    lambda it: it.__delitem__(3),
    lambda it: it.pop("text", None),
    lambda it: it.popitem(),
    lambda it: it.setdefault("other", 1.5),
    lambda it: it.setdefault(5, 1.5),
    lambda it: it.update({n: -n for n in range(3, 9)}),
    lambda it: it.update(a=1, b=2),
    lambda it: it.__ior__({"or": "in place"}) and None,
    lambda it: it.clear(),
]


@pytest.mark.parametrize("seed", range(5))
def test_after_every_change(seed):
    rng = random.Random(seed)
    for _ in range(60):
        model = {rng.choice(KEYS[:-1] + list(range(20))): rng.choice(VALUES[:-1]) for _ in range(rng.randrange(3, 30))}
        made = Map(model)
        for _ in range(6):
            if rng.random() < 0.7:
                often(made, model)
            change = rng.choice(CHANGES)
            outcomes = []
            for it in (made, model):
                try:
                    outcomes.append(change(it))
                except KeyError as error:
                    outcomes.append(type(error))
            assert outcomes[0] == outcomes[1]
            assert list(made.items()) == list(model.items())
        often(made, model)


@pytest.mark.parametrize("seed", range(3))
def test_a_set_after_every_change(seed):
    rng = random.Random(seed)
    changes = [
        lambda it, key: it.add(key),
        lambda it, key: it.discard(key),
        lambda it, key: it.update([key, -7, "more"]),
        lambda it, key: it.__isub__({key}) and None,
    ]
    for _ in range(60):
        model = set(rng.choices(KEYS, k=12))
        made = Set(model)
        for _ in range(8):
            for _ in range(rng.randrange(5)):
                assert all(key in made for key in model)
                assert all((key in made) == (key in model) for key in KEYS)
                assert set(made) == model
                assert len(list(made)) == len(model)
            change, key = rng.choice(changes), rng.choice(KEYS)
            change(made, key)
            change(model, key)
            assert made == model


def test_an_iterator_sees_what_is_changed_under_it():
    for change in [lambda it: it.__setitem__(7, -1), lambda it: it.__setitem__(70, 1), lambda it: it.__delitem__(7)]:
        made, model = Map({n: n for n in range(10)}), {n: n for n in range(10)}
        often(made, model)
        seen = []
        for it in (made, model):
            walk = iter(it.items())
            first = [next(walk) for _ in range(5)]
            change(it)
            try:
                seen.append(first + list(walk))
            except RuntimeError:
                seen.append("changed")
                with pytest.raises(RuntimeError):
                    next(walk)
        assert seen[0] == seen[1]


def test_what_an_iterator_says_is_left():
    made = Map({n: n for n in range(10)})
    for _ in range(20):
        walk = iter(made)
        assert walk.__length_hint__() == 10
        next(walk), next(walk)
        assert walk.__length_hint__() == 8
        assert len(list(walk)) == 8
        assert walk.__length_hint__() == 0
        assert list(walk) == []


def test_keys_and_values_count_as_before():
    nodes = [Node(i) for i in range(20)]
    made = Map({node: node for node in nodes})
    before = [sys.getrefcount(node) for node in nodes]
    for _ in range(20):
        assert [made[node] for node in nodes] == nodes
        assert list(made.items()) == [(node, node) for node in nodes]
    assert [sys.getrefcount(node) for node in nodes] == before
    gone = weakref.ref(nodes[3])
    del made[nodes[3]], nodes
    gc.collect()
    assert gone() is None


def test_a_cycle_through_a_remembered_value_is_collected():
    node = Node(1)
    made = Map(dict.fromkeys(range(10), node))
    node.made = made
    often(made, dict.fromkeys(range(10), node))
    gone = weakref.ref(node)
    del node, made
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", [Map, FrozenMap])
def test_trim_takes_remembered_wrappers(kind):
    made = kind((n, Node(n)) for n in range(50))
    kept = made[7]
    for _ in range(5):
        assert [made[n].number for n in range(50)] == [node.number for node in made.values()] == list(range(50))
    gc.collect()
    assert pairbond.trim() >= 49
    others = [Node(-1) for _ in range(60)]  # in the memory of those that were
    assert [made[n].number for n in range(50)] == [node.number for node in made.values()] == list(range(50))
    assert made[7] is kept
    del others


def test_native_threads_change_what_is_looked_at():
    shelf = Shelf()
    shelf.churn_labels(64)
    looks = [
        shelf.labels.items,
        lambda: ((key, key) for key in shelf.labels),
        lambda: ((it, it) for it in shelf.labels.values()),
    ]
    seen = [0] * len(looks)
    with meanwhile(lambda: shelf.churn_labels(500)):
        for at in range(900):
            try:
                for key, value in looks[at % 3]():
                    assert key.name == value.name == str(value.number)
                    seen[at % 3] += 1
            except RuntimeError:
                pass  # changed meanwhile
    assert all(seen)
    for _ in range(20):
        assert all(key.name == value.name == str(key.number) for key, value in shelf.labels.items())


@pytest.mark.parametrize("kind", KINDS)
def test_another_interpreter_reads_and_changes_a_guest(kind):
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond
        from pairbond_testext import Shelf

        prices = Shelf().prices
        prices.update((str(n), float(n)) for n in range(1000, 1100))
        def often(it, start):
            for _ in range(5):
                assert [it[str(n)] for n in range(1000 + start, 1100)] == [float(n) for n in range(1000 + start, 1100)]
                assert list(it) == [str(n) for n in range(1000 + start, 1100)] and str(999 + start) not in it
        often(prices, 0)
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import pairbond, pairbond_testext
                it = pairbond.receive({pairbond.share(prices)!r})
                for start in range(10):
                    for _ in range(5):
                        assert [it[str(n)] for n in range(1000 + start, 1100)] == list(it.values())
                        assert list(it) == [str(n) for n in range(1000 + start, 1100)]
                    del it[str(1000 + start)]
            ''')
            often(prices, 10)
        often(prices, 10)
        print("fine")
        """,
        kind,
    )
