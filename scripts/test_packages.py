#!/usr/bin/env python3
"""Build, install and test what is published, and the projects that `python -m pairbond new` writes.

    test_packages.py [PYTEST ARGUMENT...]

With the first CPython that pythons.py finds; PAIRBOND_PYTHONS names others. Builds go to target/packages. Ends with
pytest's own summary.
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
    interpreter = found[0] if os.environ.get("PAIRBOND_PYTHONS") else pythons.default(found)
    if interpreter is None:
        sys.exit("test_packages: no CPython >= 3.11 with headers")
    print(f"=== tests/packages on {interpreter}", flush=True)
    python = environments.for_packages(interpreter)
    command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *sys.argv[1:]]
    env = {key: value for key, value in os.environ.items() if key != "PAIRBOND_PYTHONS"}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PAIRBOND_PYTHON": interpreter.path}
    sys.exit(subprocess.run([*command, str(ROOT / "tests" / "packages")], cwd=ROOT, env=env).returncode)


if __name__ == "__main__":
    main()
