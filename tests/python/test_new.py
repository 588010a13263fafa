"""Objects that Rust makes for who asks, and what goes through elements that were collected for it."""

import copy
import gc
import operator
import pickle
import weakref

import pairbond
import pytest
from pairbond_testext import Bag, Countdown, Package


class Item:
    pass


@pytest.mark.parametrize("count", range(9))
def test_iterating_over_few_and_many(count):
    items = [Item() for _ in range(count)]
    bag = Bag(*items)
    iterator = iter(bag)
    bag.add("later")  # what is iterated over was collected
    assert iter(iterator) is iterator
    for number, item in enumerate(items):
        assert operator.length_hint(iterator) == count - number
        assert next(iterator) is item
    for _ in range(3):
        assert operator.length_hint(iterator) == 0
        assert next(iterator, None) is None
    assert list(bag) == [*items, "later"]


@pytest.mark.parametrize("count", [0, 1, 4, 5])
def test_iterators_are_copied_and_pickled_with_what_is_left(count):
    iterator = iter(Bag(*range(count)))
    next(iterator, None)
    left = list(range(1, count))
    assert list(copy.copy(iterator)) == left
    assert list(pickle.loads(pickle.dumps(iterator))) == left
    assert list(iterator) == left


def test_iterators_keep_their_elements_and_let_go_of_them():
    item = Item()
    seen = weakref.ref(item)
    iterator = iter(Bag(item))
    del item
    gc.collect()
    assert seen() is not None
    assert gc.get_referents(iterator).count(seen()) == 1
    del iterator
    gc.collect()
    assert seen() is None


def test_a_cycle_through_an_iterator_is_collected():
    item = Item()
    item.iterator = iter(Bag(1, item, 2))
    assert next(item.iterator) == 1
    seen = weakref.ref(item)
    del item
    gc.collect()
    assert seen() is None


def test_iterators_whose_memory_is_used_again():
    class Dying:
        def __del__(self):
            made.append(list(Bag(*range(3))))

    made = []
    for number in range(200):
        kept = [iter(Bag(Dying(), number)) for _ in range(3)]
        assert [list(it)[1] for it in kept] == [number] * 3
    del kept
    gc.collect()
    assert made == [[0, 1, 2]] * 600


def countdowns():
    return pairbond.stats()["types"].get("pairbond_testext.Countdown", {"objects": 0})["objects"]


def test_an_object_that_is_made_for_who_asks():
    before = countdowns()
    bag = Bag("a", "b", "c")
    countdown = bag.countdown()
    assert type(countdown) is Countdown
    assert list(countdown) == [3, 2, 1]
    assert bag.countdown() is not countdown
    countdown.attribute = countdown
    seen = weakref.ref(countdown)
    assert countdowns() == before + 1
    # Native code takes it, and gives it back.
    bag.add(countdown)
    del countdown
    gc.collect()
    assert list(bag)[3] is seen() is seen().attribute
    assert [list(it) for it in bag.countdowns()] == [[4, 3, 2, 1]] * 2
    del bag
    gc.collect()
    assert seen() is None
    assert countdowns() == before


def test_strings_that_are_given_again_and_again():
    around = [*range(1, 9), 38, 39, 40, 41]
    texts = ["a" * length for length in around] + ["é" * length for length in around] + ["ab\0c", "ab\0d", "\0" * 5]
    # So many that they take each other's places; some differ in the middle only.
    texts += [f"name{number:03}name" for number in range(500)]
    packages = [Package(text) for text in texts]
    for _ in range(3):
        for package, text in zip(packages, texts, strict=True):
            assert package.name == package.name == text
            assert type(package.name) is str
