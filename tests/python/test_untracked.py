"""Wrappers that Python's collector does not know: untracked_cases.py, in a process that has one interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("untracked_cases.py")


@pytest.mark.parametrize("which", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
def test_in_a_process_of_their_own(which):
    command = [sys.executable, "-X", "faulthandler", "-m", "pytest", "--quiet", "-p", "no:cacheprovider", str(CASES)]
    command += ["-m", which]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:]
    assert " passed" in run.stdout
