"""Mutants of texts (fuzz_texts.py): read and written as the same, or refused."""

import os
import random
import time

import fuzz_texts

LONG = os.environ.get("PAIRBOND_LONG") == "1"
SECONDS = float(os.environ.get("PAIRBOND_LONG_SECONDS", "0")) if LONG else 0.0


def seeds():
    """One that can be given, or new ones until the time is over."""
    given = os.environ.get("PAIRBOND_SEED")
    yield int(given) if given else random.randrange(1 << 32)
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends and not given:
        yield random.randrange(1 << 32)


def test_mutants_are_read_as_they_are_written_or_refused():
    read = refused = 0
    for seed in seeds():
        print(f"PAIRBOND_SEED={seed}")
        found = fuzz_texts.run(20_000 if LONG else 4_000, seed)
        read, refused = read + found[0], refused + found[1]
    # Both happen.
    assert read > 100
    assert refused > 100
    print(read, refused)
