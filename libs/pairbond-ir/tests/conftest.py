"""What all tests of pairbond_ir share."""

import gc

import pairbond
import pairbond_ir as ir
import pytest


@pytest.fixture
def context():
    return ir.Context()


def alive() -> int:
    """How many objects of this library there are, contexts apart: pytest keeps what fixtures gave."""
    types = pairbond.stats()["types"]
    ours = (name for name in types if name.startswith("pairbond_ir.") and name != "pairbond_ir.Context")
    return sum(types[name]["objects"] for name in ours)


@pytest.fixture(autouse=True)
def _nothing_stays():
    """Each test gives back what it made."""
    gc.collect()
    before = alive()
    yield
    for _ in range(3):
        gc.collect()
    assert alive() <= before
