"""Every kind of handle and what may happen to what it denotes: the result is right, or the documented exception."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parent / "lifetimes.py"
LONG = bool(os.environ.get("PAIRBOND_LONG"))


def load():
    spec = importlib.util.spec_from_file_location("lifetimes", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = load()


def outcome(*arguments):
    command = [sys.executable, "-X", "faulthandler", str(FILE), *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=600, text=True)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def outcomes():
    return outcome()


@pytest.mark.parametrize("event", CASES.EVENTS)
@pytest.mark.parametrize("handle", CASES.HANDLES)
def test_case(outcomes, handle, event):
    found = outcomes[f"{handle}; {event}"]
    if handle in CASES.EVENTS[event][1]:
        assert found.startswith("InvalidatedError: "), found
        assert "was erased" in found
    else:
        assert found == f"right: {CASES.HANDLES[handle][2]}"


@pytest.mark.slow
def test_readers_race_with_an_eraser():
    assert outcome("200" if LONG else "20") == []


def test_there_are_enough(outcomes):
    assert len(outcomes) >= 120
