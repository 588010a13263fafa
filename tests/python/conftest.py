"""Fixtures that all Python tests share."""

import gc
import os

import c_libraries
import pairbond
import pytest

pytest.register_assert_rewrite("promises", "interpreters")

# The tests of the extension are run with it built as a library, too (test_load.py).
if library := os.environ.get("PAIRBOND_LOAD"):
    pairbond.load(library)


@pytest.fixture
def no_leak():
    """The test leaves no native object behind."""
    from promises import nothing_stays

    with nothing_stays():
        yield


@pytest.fixture(scope="session")
def shapes():
    """The library of C of tests/c."""
    return pairbond.load(c_libraries.build("shapes.c"))


@pytest.fixture(scope="session")
def graphs():
    """The library of C++ of tests/c."""
    return pairbond.load(c_libraries.build("graphs.cpp"))


def pytest_collection_finish():
    """What pytest and the test modules have made stays: the many collections of tests need not look at it."""
    start_hypothesis()
    gc.collect()
    gc.freeze()


def start_hypothesis():
    """Hypothesis registers a generator of random numbers when it first runs, and warns unless `gc.get_referrers` finds
    what holds it. That does not look at frozen objects: it has to happen before."""
    try:
        from hypothesis import given, settings, strategies
    except ImportError:
        return

    @settings(max_examples=1, database=None, derandomize=True)
    @given(strategies.none())
    def first(_):
        pass

    first()
