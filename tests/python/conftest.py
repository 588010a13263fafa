"""Fixtures that all Python tests share."""

import os

import c_libraries
import pairbond
import pytest
from frozen_heap import pytest_collection_finish, pytest_runtest_protocol  # noqa: F401

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
