#!/usr/bin/env python3
"""Tests of objects that travel to other processes: tests/processes, in an environment of its own.

    test_processes.py [PYTEST ARGUMENT...]

It has Dask and Ray (tests/requirements-processes.txt), which run on this machine alone. Ends as pytest does.
"""

from __future__ import annotations

import os
import subprocess
import sys

import environments
from build_ext import ROOT

import docs


def main() -> None:
    _, python, modules = docs.prepared("test_processes", environments.for_processes, tested=True)
    # Other processes find what is sent, and what they run, where this one does.
    path = os.pathsep.join([str(modules), str(ROOT / "tests" / "processes")])
    env = {**os.environ, "PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0"}
    command = [str(python), "-m", "pytest", "--quiet", *sys.argv[1:], "tests/processes"]
    sys.exit(subprocess.run(command, cwd=ROOT, env=env).returncode)


if __name__ == "__main__":
    main()
