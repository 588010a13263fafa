"""Runs the programs of named_dialects.py, each in a process of its own: what they declare is the process's."""

import subprocess
import sys
from pathlib import Path

import named_dialects
import pytest


@pytest.mark.parametrize("name", named_dialects.PROGRAMS)
def test_program(name, tmp_path):
    command = [sys.executable, str(Path(named_dialects.__file__)), name, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
