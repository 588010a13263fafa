#!/usr/bin/env python3
"""`make demo-autograd`: build pairbond and pairbond_autograd, and train the example digits.

    demo_autograd.py [FOLDER]     where pictures and weights go; target/demo-autograd unless told

Needs Rust and a CPython >= 3.11 with headers, and an index of Python packages for what draws the pictures. All of it is
put into .envs/demo-autograd, so that afterwards its python can import pairbond_autograd for a look
around.
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
CRATES = ("pairbond-native", "pairbond-autograd")
EXAMPLE = ROOT / "examples" / "digits"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else ROOT / "target" / "demo-autograd").absolute()
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("demo-autograd: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev)")
    wanted = [ext for ext in build_ext.extensions() if ext.crate in CRATES]
    if missing := sorted(set(CRATES) - {ext.crate for ext in wanted}):
        sys.exit(f"demo-autograd: no extension crate {', '.join(missing)} in this workspace")
    print(f"demo-autograd: building for CPython {pythons.dotted(interpreter.version)}, {interpreter.path}", flush=True)
    try:
        environment = ROOT / ".envs" / "demo-autograd"
        python = environments.with_requirements(environment, interpreter, EXAMPLE / "requirements.txt")
        build_ext.build(interpreter, wanted, release=True, site=environments.packages_of(python), beside=[])
    except environments.Unusable as error:
        sys.exit(f"demo-autograd: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo-autograd: the build failed with status {error.returncode}")
    os.environ["PYTHONPATH"] = str(EXAMPLE)
    os.execv(python, [str(python), "-m", "digits", str(folder)])


if __name__ == "__main__":
    main()
