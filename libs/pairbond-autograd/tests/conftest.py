"""What all tests of pairbond_autograd share."""

import gc

import pairbond
import pytest


def alive() -> int:
    """How many objects of this library there are, but for enum members."""
    types = pairbond.stats()["types"]
    ours = (name for name in types if name.startswith("pairbond_autograd.") and name != "pairbond_autograd.DType")
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
