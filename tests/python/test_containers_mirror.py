"""What a list or tuple remembers of its elements for Python is never told from what it holds."""

import gc
import random
import sys
import threading
import time
import weakref

import pairbond
import pytest
from interpreters import KINDS, check
from pairbond import List, Tuple
from pairbond_holders import Node
from pairbond_testext import Label, Shelf
from promises import meanwhile

pytestmark = pytest.mark.usefixtures("no_leak")
VALUES = [0, -5, 256, -6, 257, 2**70, 1.5, "text", b"bytes", None, True, (1, 2), print]


def often(sequence):
    """Looks at every element until all that can be is remembered."""
    for _ in range(3):
        seen = [sequence[i] for i in range(len(sequence))]
        assert list(sequence) == seen
    return seen


@pytest.mark.parametrize("kind", [List, Tuple])
def test_every_kind_of_value(kind):
    values = VALUES * 5
    sequence = kind(values)
    assert often(sequence) == values
    assert [sequence[i] for i in range(-len(values), 0)] == values
    assert list(reversed(sequence)) == values[::-1]
    for beyond in [len(values), -len(values) - 1, 2**40, -(2**40), 2**70]:
        with pytest.raises(IndexError):
            sequence[beyond]
    assert kind([True])[False] is True


CHANGES = [
    lambda it: it.append(7),
    lambda it: it.__setitem__(3, "new"),
    lambda it: it.__setitem__(-1, 2**80),
    lambda it: it.__setitem__(slice(1, 4), [9, 9]),
    lambda it: it.__delitem__(0),
    lambda it: it.insert(2, "in"),
    lambda it: it.pop(),
    lambda it: it.pop(0),
    lambda it: it.reverse(),
    lambda it: it.sort(key=str),
    lambda it: it.extend("abc"),
    lambda it: it.remove(1.5),
    lambda it: it.clear(),
    lambda it: it.__init__([1]),
]


@pytest.mark.parametrize("seed", range(5))
def test_after_every_change(seed):
    rng = random.Random(seed)
    for _ in range(100):
        model = [rng.choice(VALUES[:-2]) for _ in range(rng.randrange(5, 40))] + [1.5]
        items = List(model)
        for _ in range(5):
            if rng.random() < 0.7:
                assert often(items) == model
            change = rng.choice(CHANGES)
            outcomes = []
            for it in (items, model):
                try:
                    outcomes.append(change(it))
                except (IndexError, ValueError, TypeError) as error:
                    outcomes.append(type(error))
            assert outcomes[0] == outcomes[1]
            assert list(items) == [items[i] for i in range(len(items))] == model


def test_an_iterator_sees_what_is_changed_under_it():
    for change in [lambda it: it.append(-1), lambda it: it.__setitem__(7, -1), lambda it: it.pop()]:
        items, model = List(range(10)), list(range(10))
        often(items)
        seen = []
        for it in (items, model):
            walk = iter(it)
            first = [next(walk) for _ in range(5)]
            change(it)
            seen.append(first + list(walk))
        assert seen[0] == seen[1]


def test_a_step_during_which_the_iterator_comes_to_its_end():
    """Making an element's object can start a collection (before 3.12), and that can run anything."""
    items = List(Node(i) for i in range(1000))
    gc.collect()
    assert pairbond.trim() >= 1000
    walk = iter(items)
    first, rest, places = [None] * 500, [], iter(range(500))

    class Last:
        def __del__(self):
            rest.extend(walk)

    before = gc.get_threshold()
    gc.disable()
    last = Last()
    last.itself = last
    del last
    gc.set_threshold(1, 1, 1)
    gc.enable()
    for i in places:
        first[i] = next(walk, None)
    gc.set_threshold(*before)
    gc.collect()
    assert {node.number for node in first + rest if node} == set(range(1000))
    assert list(walk) == []
    assert next(walk, None) is None


def test_elements_count_as_before():
    nodes = [Node(i) for i in range(20)]
    items = List(nodes)
    before = [sys.getrefcount(node) for node in nodes]
    often(items)
    assert [sys.getrefcount(node) for node in nodes] == before
    gone = weakref.ref(nodes[3])
    items[3] = None
    del nodes
    gc.collect()
    assert gone() is None
    assert items[3] is None


def test_a_cycle_through_a_remembered_element_is_collected():
    node = Node(1)
    items = List([node] * 10 + ["text"] * 10)
    node.items = items
    often(items)
    gone = weakref.ref(node)
    del node, items
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", [List, Tuple])
def test_trim_takes_remembered_wrappers(kind):
    sequence = kind(Node(i) for i in range(50))
    kept = sequence[7]
    often(sequence)
    gc.collect()
    assert pairbond.trim() >= 49
    others = [Node(-1) for _ in range(60)]  # in the memory of those that were
    assert [node.number for node in often(sequence)] == list(range(50))
    assert sequence[7] is kept
    del others


def test_native_threads_change_what_is_looked_at():
    shelf = Shelf()
    items = List(Label(str(i), i) for i in range(64))
    with meanwhile(lambda: shelf.churn(items, 500)):
        for _ in range(300):
            names = {label.name for label in items} | {items[i].name for i in range(-1, 60)}
            assert names == {"churned"}
    assert {label.name for label in often(items)} == {"churned"}


@pytest.mark.parametrize("kind", KINDS)
def test_another_interpreter_reads_and_changes_a_guest(kind):
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond
        from pairbond_testext import Shelf

        numbers = Shelf().numbers
        numbers.extend(range(1000, 1100))
        def often(it, start):
            for _ in range(3):
                seen = [it[i] for i in range(len(it))]
                assert list(it) == seen == list(range(1000 + start, 1100))
        often(numbers, 0)
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import pairbond, pairbond_testext
                it = pairbond.receive({pairbond.share(numbers)!r})
                for start in range(10):
                    for _ in range(3):
                        seen = [it[i] for i in range(len(it))]
                        assert list(it) == seen == list(range(1000 + start, 1100))
                    del it[0]
            ''')
            often(numbers, 10)
        often(numbers, 10)
        print("fine")
        """,
        kind,
    )


@pytest.mark.parametrize("kind", [List, Tuple])
def test_what_was_made_is_the_same_object_at_each_look(kind):
    sequence = kind(f"long enough a text {i}" for i in range(50))
    seen = often(sequence)
    assert all(sequence[i] is seen[i] for i in range(50))
    assert all(a is b for a, b in zip(sequence, seen, strict=True))
    counted = sys.getrefcount(seen[7])
    del sequence
    left = sys.getrefcount(seen[7])  # `assert` would keep the argument
    assert left == counted - 1


def test_what_was_made_for_elements_that_are_gone_is_let_go():
    items = List(f"long enough a text {i}" for i in range(50))
    seen = often(items)
    counted = sys.getrefcount(seen[7])
    items.insert(0, "another text, and long too")
    assert often(items)[8] == seen[7]
    left = sys.getrefcount(seen[7])
    assert left == counted - 1
    assert items[8] is items[8] is not seen[7]


@pytest.mark.parametrize("kind", [List, Tuple])
def test_very_many_texts(kind):
    model = [f"text {i}" for i in range(5000)]
    sequence = kind(model)
    assert often(sequence) == model == often(sequence)


def test_threads_look_at_texts_that_others_change():
    """Each text tells its place and its number: nobody sees one of another place, or an older one after a newer."""
    items = List(f"the text at {i}: 0" for i in range(32))
    ends, same, changed = time.monotonic() + 1, [], []

    def look():
        latest, hits = [0] * 32, 0
        while not hits or time.monotonic() < ends:
            for i in range(32):
                first, second = items[i], items[i]
                hits += first is second
                for text in (first, second):
                    start, number = text.split(": ")
                    assert start == f"the text at {i}"
                    assert int(number) >= latest[i]
                    latest[i] = int(number)
            for i, text in enumerate(items):
                assert text.startswith(f"the text at {i}: ")
        same.append(hits)

    def change():
        number = 0
        while number < 10 or time.monotonic() < ends:
            number += 1
            for i in range(0, 32, 5):
                items[i] = f"the text at {i}: {number}"
            time.sleep(0.002)
        changed.append(number)

    raised = []

    def guarded(act):
        try:
            act()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(act,)) for act in [look] * 7 + [change]]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert not raised, raised[0]
    assert len(same) == 7
    assert len(changed) == 1


def test_threads_look_at_one_tuple_at_once():
    """They race for the first object of each place: all see one from then on."""
    for _ in range(50):
        texts = Tuple(f"long enough a text {i}" for i in range(40))
        start, seen = threading.Barrier(8), []

        def look(texts=texts, start=start, seen=seen):
            start.wait()
            for _ in range(12):
                for i in range(40):
                    assert texts[i] == f"long enough a text {i}"
            seen.append(list(texts))

        threads = [threading.Thread(target=look) for _ in range(8)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
        assert len(seen) == 8
        assert all(a is b for one in seen for a, b in zip(one, texts, strict=True))
