"""What all tests of pairbond_autograd share."""

import gc
import sys
from pathlib import Path

import pytest
from frozen_heap import pytest_collection_finish, pytest_runtest_protocol  # noqa: F401

sys.path.insert(0, str(Path(__file__).parent))

from autograd_sentinels import alive


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
