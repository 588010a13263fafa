"""Threads of C and C++, while threads of Python use the same libraries. The libraries compare every result, and so do
these tests. `make test-long ARGS=tsan-python` has ThreadSanitizer watch the same functions (threads_watched.py)."""

import gc
import weakref

import pairbond
import promises
import pytest
from c_libraries import build

TURNS = 60
SUM = 2 * TURNS * (2 * TURNS - 1) // 2  # of the numbers that two threads count together


@pytest.fixture(scope="module")
def library():
    return pairbond.load(build("threads.cpp", "-pthread"))


@pytest.fixture(autouse=True)
def nothing_is_left(library):
    yield
    gc.collect()
    pairbond.collect()
    assert library.alive() == 0


def doubles(number):
    if number < 0:
        raise ValueError("negative")
    return 2 * number


def at_once(function, *arguments):
    """What a function returns on three threads of Python at once, each with two of C++ below it."""
    return promises.at_once(3, lambda _: function(*arguments, 2, TURNS))


@pytest.mark.slow
def test_references(library):
    assert at_once(library.references) == [0] * 3


def test_weak_references(library):
    for there, gone, left in at_once(library.weak):
        assert there >= TURNS
        assert (gone, left) == (2 * TURNS, 0)


def test_a_function_of_python(library):
    assert at_once(library.functions, doubles) == [2 * SUM] * 3


def test_functions_by_name(library):
    assert library.names(3, TURNS) == 7


def test_errors(library):
    assert at_once(library.errors) == [2 * TURNS] * 3


def test_containers(library):
    # Of the texts, those of even turns were removed.
    odd = sum(number for number in range(2 * TURNS) if number % 2)
    assert [tuple(it) for it in at_once(library.containers)] == [(SUM, odd)] * 3


def test_trees(library):
    for made, moved, erased, left in at_once(library.trees):
        assert min(moved, erased, left) > 0
        assert left <= made - erased


def test_overridable_methods(library):
    class Half(library.Offer):
        def total(self, count):
            return super().total(count) // 2

    numbers = TURNS * (TURNS - 1) // 2
    assert at_once(library.totals, library.Offer(6), 6) == [2 * 6 * numbers] * 3
    assert at_once(library.totals, Half(6), 3) == [2 * 3 * numbers] * 3


def test_a_wrong_result_is_noticed(library):
    with pytest.raises(RuntimeError, match="wrong: the result of an overridable method"):
        library.totals(library.Offer(6), 5, 2, TURNS)
    with pytest.raises(RuntimeError, match="wrong: a function's result"):
        library.functions(lambda number: doubles(number) + (number == TURNS), 2, TURNS)


def test_what_python_has_is_released_later(library):
    """Threads that Python does not know drop what it owns: it is released by one that it knows."""

    class Sub(library.Node):
        pass

    finalized = []

    class Finalized(library.Node):
        def __del__(self):
            finalized.append(self.number)

    objects = [(Sub if number % 2 else Finalized)(number) for number in range(TURNS)]
    for it in objects:
        it.itself = [it]
    references = [weakref.ref(it) for it in objects]
    functions = [lambda: None for _ in range(TURNS)]
    references += [weakref.ref(it) for it in functions]
    shared = pairbond.List([*objects, *functions])
    del objects, functions, it
    assert at_once(lambda threads, turns: library.release(shared, threads)).count(0) <= 2
    assert len(shared) == 0
    gc.collect()
    assert [it for it in references if it() is not None] == []
    assert sorted(finalized) == list(range(0, TURNS, 2))


def test_observers(library):
    assert at_once(library.observers) == [2 * TURNS] * 3


def test_threads_of_c(library):
    pthreads = pairbond.load(build("pthreads.c", "-pthread"))
    assert at_once(lambda _, turns: pthreads.run(doubles, turns)) == [0] * 3
    assert pthreads.run(lambda number: doubles(number) + (number == 1), TURNS) > 0
    assert pthreads.alive() == 0
