#!/usr/bin/env python3
"""Build the small extension modules of tests/abi in many ways, and import them into one process in every order.

    test_abi.py [PYTEST ARGUMENT...]

With the first CPython that pythons.py finds; PAIRBOND_PYTHONS names others. Builds go to target/abi
(PAIRBOND_ABI_TARGET), several hundred megabytes. Ends with pytest's own summary.
"""

from __future__ import annotations

import os
import subprocess
import sys

import environments
import pythons
from parts import ROOT


def main() -> None:
    found = pythons.pythons()
    if not os.environ.get("PAIRBOND_PYTHONS"):
        found = found[:1]
    if not found:
        sys.exit("test_abi: no CPython >= 3.11 with headers")
    status = 0
    for interpreter in found:
        print(f"=== tests/abi on {interpreter}", flush=True)
        python = environments.for_tests(interpreter)
        command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *sys.argv[1:]]
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        status |= subprocess.run([*command, str(ROOT / "tests" / "abi")], cwd=ROOT, env=env).returncode
    sys.exit(status != 0)


if __name__ == "__main__":
    main()
