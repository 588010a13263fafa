"""Random operations against an oracle that knows what must be alive (promises_world.py), in processes of their own.

PAIRBOND_SEED replays a run; PAIRBOND_LONG=1 does a million steps, or goes on for PAIRBOND_LONG_SECONDS.
"""

import os
import random

import pytest
from promises import LONG, in_a_process

SEED = os.environ.get("PAIRBOND_SEED") or str(random.SystemRandom().randrange(10**9))
STEPS = 1_000_000 if LONG else 20_000
MAIN = "from promises_world import main\nmain()\n"


# --bare: of objects whose wrappers Python's collector does not know.
BARE = pytest.mark.parametrize("options", [[], ["--bare"]], ids=["full", "bare"])


@BARE
def test_one_world(record_property, options):
    record_property("seed", SEED)
    print(in_a_process(MAIN, SEED, str(STEPS), *options, timeout=7200))


@BARE
def test_one_world_while_native_threads_churn(options):
    print(in_a_process(MAIN, SEED, str(STEPS // 2), "1", "--churn", *options, timeout=7200))


@BARE
def test_worlds_on_threads(options):
    print(in_a_process(MAIN, SEED, str(STEPS // 4), "4", "--churn", *options, timeout=7200))


@BARE
@pytest.mark.parametrize("mistake", ["leak", "death", "self", "data", "callback"])
def test_the_oracle_sees(mistake, options):
    """Things done behind the oracle's back are found, or else the runs above prove nothing."""
    program = f"""
    import promises_world
    from promises_world import *

    class Broken(World):
        def do_fetch(self):
            super().do_fetch()
            if self.done["fetch"] != 300:
                return
            it = self.variables[-1]
            if {mistake!r} == "leak":
                self.kept = Node.ring(1, next(NUMBERS))
                self.variables.pop()
            elif {mistake!r} == "death":
                self.known[it.number].edges["next"] = next(NUMBERS)
                self.enter(self.known[it.number].edges["next"], Node).watches.append(weakref.ref(Node(1)))
            elif {mistake!r} == "self":
                self.known[it.number].identity = 1
            elif {mistake!r} == "data":
                it.data = 3
            else:
                self.do_watch()
                next(known for known in self.known.values() if known.watches).callbacks += 1

    promises_world.World = Broken
    try:
        run("5", 5000)
    except promises_world.Wrong as wrong:
        print("found", wrong)
    """
    assert in_a_process(program, *options).startswith("found")
