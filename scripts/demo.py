#!/usr/bin/env python3
"""`make demo`: build pairbond and the example lockgraph into .venv and run it on a lock file.

    demo.py [LOCK]     a Cargo.lock; the project's own unless told

Needs Rust and a CPython >= 3.11 with headers, nothing else: the modules are put into .venv as installing would, so that
afterwards `.venv/bin/python` can import pairbond and lockgraph for a look around.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import build_ext
import environments
import pythons

ROOT = Path(__file__).resolve().parent.parent
CRATES = ("pairbond-native", "lockgraph")


def main() -> None:
    lock = Path(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else ROOT / "Cargo.lock").absolute()
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("demo: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev)")
    wanted = [ext for ext in build_ext.extensions() if ext.crate in CRATES]
    if missing := sorted(set(CRATES) - {ext.crate for ext in wanted}):
        sys.exit(f"demo: no extension crate {', '.join(missing)} in this workspace")
    print(f"demo: building for CPython {pythons.dotted(interpreter.version)}, {interpreter.path}", flush=True)
    try:
        python = environments.virtual(ROOT / ".venv", interpreter, pip=False)
        build_ext.build(interpreter, wanted, release=True, site=environments.packages_of(python))
    except environments.Unusable as error:
        sys.exit(f"demo: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo: the build failed with status {error.returncode}")
    os.execv(python, [str(python), "-m", "lockgraph", str(lock)])


if __name__ == "__main__":
    main()
