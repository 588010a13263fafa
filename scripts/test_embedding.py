#!/usr/bin/env python3
"""A Rust program that embeds Python: objects made before Python starts, kept after it ends, seen by the next one.

Builds and runs `tests/embedding` for each interpreter that has a shared libpython; says aloud which have none. What
does not depend on CPython is compiled once. Ends with the total line.
"""

from __future__ import annotations

import os
import subprocess
import sys

import build_ext
import pythons
from parts import CARGO, ROOT


def shared_library(interpreter: pythons.Interpreter) -> bool:
    code = "import sysconfig; print(sysconfig.get_config_var('Py_ENABLE_SHARED') or 0)"
    return subprocess.check_output([interpreter.path, "-c", code], text=True).strip() == "1"


def run(interpreter: pythons.Interpreter) -> bool:
    """Whether all checks of the program passed."""
    # The native module is in the program itself: the pure package is enough.
    env = {**os.environ, "PYO3_PYTHON": interpreter.path, "PAIRBOND_SITE": str(ROOT / "python")}
    env.pop("PYO3_BUILD_EXTENSION_MODULE", None)
    home = subprocess.check_output([interpreter.path, "-c", "import sys; print(sys.base_prefix)"], text=True).strip()
    target = ROOT / "target" / "embedding" / interpreter.name
    build_ext.copy_build(target, "debug", build_ext.siblings(target))
    command = [CARGO, "run", "--quiet", "--target-dir", str(target)]
    return subprocess.run(command, cwd=ROOT / "tests/embedding", env={**env, "PYTHONHOME": home}).returncode == 0


def main() -> None:
    passed = failed = 0
    for interpreter in pythons.pythons():
        if not shared_library(interpreter):
            print(f"embedding on {interpreter.name}: NOT RUN: it has no shared libpython to link")
            continue
        print(f"embedding on {interpreter.name}", flush=True)
        if run(interpreter):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
