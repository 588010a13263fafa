"""Fixtures that all Python tests share."""

import gc

import pytest

pytest.register_assert_rewrite("promises", "interpreters")


@pytest.fixture
def no_leak():
    """The test leaves no native object behind."""
    from promises import nothing_stays

    with nothing_stays():
        yield


def pytest_collection_finish():
    """What pytest and the test modules have made stays: the many collections of tests need not look at it."""
    gc.collect()
    gc.freeze()
