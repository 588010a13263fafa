"""Processes that end while eight threads have moved, or move, nodes between two trees, and another collects.

They run trees_at_the_end.py, PAIRBOND_END_RUNS times each: twice unless told, a hundred times in `make test-long`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = int(os.environ.get("PAIRBOND_END_RUNS") or "2")
PROGRAM = Path(__file__).with_name("trees_at_the_end.py")
STATUS = {"joined": 0, "daemon": 0, "exit": 7}


@pytest.mark.parametrize("how", STATUS)
def test_the_end_after_eight_threads_moved_nodes(how):
    for run in range(RUNS):
        command = [sys.executable, "-X", "faulthandler", str(PROGRAM), how, "0.2"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        said = done.stdout + done.stderr
        assert (done.returncode, said) == (STATUS[how], ""), f"run {run}: status {done.returncode}\n{said[-3000:]}"
