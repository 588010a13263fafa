"""Containers under the mix of operations of real programs, against Python's own (containers_sessions.py).

PAIRBOND_SEED replays a run; PAIRBOND_LONG=1 goes on for PAIRBOND_LONG_SECONDS.
"""

import os
import random
import time

import containers_sessions as sessions
import pytest
from pairbond import Map
from pairbond_holders import Node
from promises import LONG

pytestmark = pytest.mark.usefixtures("no_leak")
SEED = os.environ.get("PAIRBOND_SEED") or str(random.SystemRandom().randrange(10**9))
SECONDS = float(os.environ.get("PAIRBOND_LONG_SECONDS") or "60")


@pytest.mark.parametrize("make", [int, str, float, Node])
def test_a_key_added_while_gaps_close_is_at_its_place(make):
    made = Map()
    values = {n: make(n) for n in range(1, 7)}
    made["c"], made["a"] = values[1], values[2]
    del made["c"]
    made["c"] = values[3]
    del made["a"]
    made["b"] = values[4]
    for _ in range(2):
        assert (made["b"], made["c"]) == (values[4], values[3])
    made["a"] = values[5]
    made["c"] = values[6]
    assert made["c"] == values[6]
    assert list(made.items()) == [("c", values[6]), ("b", values[4]), ("a", values[5])]


@pytest.mark.parametrize("kind", sessions.SESSIONS)
def test_sessions(kind, record_property):
    record_property("seed", SEED)
    if not LONG:
        sessions.run(SEED, 60_000, (kind,))
        return
    end, part = time.monotonic() + SECONDS / len(sessions.SESSIONS), 0
    while time.monotonic() < end:
        sessions.run(f"{SEED}-{part}", 300_000, (kind,))
        part += 1
