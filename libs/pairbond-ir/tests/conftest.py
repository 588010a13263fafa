"""What all tests of pairbond_ir share."""

import gc
import sys
from pathlib import Path

import pairbond
import pairbond_ir as ir
import pytest
from frozen_heap import pytest_collection_finish, pytest_runtest_protocol  # noqa: F401

sys.path.insert(0, str(Path(__file__).parent))  # what several tests share


@pytest.fixture
def context():
    return ir.Context()


def alive() -> int:
    """How many objects of this library there are."""
    types = pairbond.stats()["types"]
    ours = (name for name in types if name.startswith("pairbond_ir."))
    return sum(types[name]["objects"] for name in ours)


@pytest.fixture(autouse=True)
def _nothing_stays(request):
    """Each test gives back what it made."""
    before = alive()
    yield
    request.node.funcargs.clear()  # pytest's own references to what fixtures gave
    for _ in range(3):
        if alive() > before:
            gc.collect()
    assert alive() <= before
