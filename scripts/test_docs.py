#!/usr/bin/env python3
"""Builds the documentation site as `make docs` does, and tests it: tests/docs, and the pictures of tests/python.

    test_docs.py [PYTEST ARGUMENT...]

Pages are looked at in the Chromium of the system; their screenshots are left in target/docs-screenshots. Without a
Chromium these tests are skipped, and say so. Ends as pytest does.
"""

from __future__ import annotations

import os
import subprocess
import sys

import environments
from build_ext import ROOT

import docs


def main() -> None:
    interpreter, python, modules = docs.prepared("test_docs", environments.for_docs, tested=True)
    try:
        docs.pages(python, modules)
        docs.rust(interpreter)
        env = {**os.environ, "PYTHONPATH": str(modules)}
        drawn = [str(python), "scripts/draw_pictures.py", "--graph", "--check"]
        subprocess.run(drawn, cwd=ROOT, env=env, check=True)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    command = [str(python), "-m", "pytest", "--quiet", *sys.argv[1:], "tests/docs", "tests/python/test_graph.py"]
    sys.exit(subprocess.run(command, cwd=ROOT, env=env).returncode)


if __name__ == "__main__":
    main()
