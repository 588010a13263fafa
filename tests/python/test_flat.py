"""Memory stays flat, and what native threads release is released, whatever Python is doing meanwhile."""

from __future__ import annotations

import os

import pytest
from promises import LONG, in_a_process

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
ROUNDS = 1_000_000 if LONG else 20_000

START = """
import os, threading, time
import pairbond_holders as native

made = 0

def make():
    global made
    made += 1
    return {"some": [made] * 40}

def take(it):
    assert it["some"][0] <= made

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

rounds = int(sys.argv[1])
limit = time.monotonic() + 250

def wait_until(count):
    while made < count:
        assert time.monotonic() < limit, made
        WAIT

def grown():
    wait_until(rounds // 5)
    before = resident()
    wait_until(rounds // 5 + rounds)
    return resident() - before
"""

#: Where the loop is, and what the main thread of Python does meanwhile.
LOOPS = {
    "a native thread": ("time.sleep(0.01)", "native.feed_for_ever(make, take)"),
    "a native thread, Python busy": ("pass", "native.feed_for_ever(make, take)"),
    "a Python thread": (
        "time.sleep(0.01)",
        "threading.Thread(target=native.feed, args=(make, take, 10**12), daemon=True).start()",
    ),
    "the main thread": ("native.feed(make, take, rounds // 5)", ""),
}


@pytest.mark.parametrize("where", LOOPS)
@pytest.mark.slow
def test_a_callback_that_gets_a_fresh_dict_each_time(where: str) -> None:
    """A native loop that never ends calls Python, which makes a dict, and passes it to Python again."""
    wait, start = LOOPS[where]
    grown = int(
        in_a_process(f"{START.replace('WAIT', wait)}\n{start}\nprint(grown(), flush=True)\nos._exit(0)", str(ROUNDS))
    )
    # A dict with its list takes some six hundred bytes.
    assert grown < max(4 << 20, 16 * ROUNDS), f"{grown} bytes in {ROUNDS} rounds"


def test_the_queue_is_emptied_while_python_stays_in_pure_python() -> None:
    """Native threads release for long; the main thread neither calls the library nor collects."""
    in_a_process(
        """
        import time
        import pairbond_holders as native

        class Counted:
            gone = 0
            def __del__(self):
                Counted.gone += 1

        gc.disable()
        count, threads = 4000, 2
        for _ in range(threads):
            native.drop_slowly([Counted() for _ in range(count)], 150)
        limit = time.monotonic() + 100
        steps, last = 0, Counted.gone
        while Counted.gone < threads * count:
            if Counted.gone != last:
                steps, last = steps + 1, Counted.gone
            assert time.monotonic() < limit, Counted.gone
        # Not all at once at the end: while they were dropped. (How often depends on how busy the machine is.)
        assert steps > 3, steps
        """
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_the_queue_is_emptied_in_a_forked_process_too() -> None:
    """Threads of the parent that see to it do not come along."""
    in_a_process(
        """
        import os, time, warnings
        import pairbond_holders as native

        class Counted:
            gone = 0
            def __del__(self):
                Counted.gone += 1

        def emptied():
            count = Counted.gone + 500
            native.drop_slowly([Counted() for _ in range(500)], 100)
            limit = time.monotonic() + 60
            while Counted.gone < count:
                if time.monotonic() > limit:
                    return False
            return True

        gc.disable()
        warnings.simplefilter("ignore", DeprecationWarning)     # the process has threads
        assert emptied()
        child = os.fork()
        if not child:
            os._exit(0 if emptied() else 7)
        assert os.waitpid(child, 0)[1] == 0
        assert emptied()
        """
    )
