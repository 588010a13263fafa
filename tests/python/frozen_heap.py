"""Hooks that the conftest.py of each folder of tests imports: what pytest and the test modules have made stays, and
the many collections of tests need not look at it. Each test that ran leaves some fifteen objects: after five thousand
of them a `gc.collect()` would take forty times as long."""

import gc

import pytest


def pytest_collection_finish():
    start_hypothesis()
    freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    result = yield
    # Between files, when what the fixtures of a module gave is gone.
    if nextitem is None or nextitem.path != item.path:
        freeze()
    return result


def freeze():
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
