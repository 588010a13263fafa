#!/usr/bin/env python3
"""`make lint`: formatting and lints of Rust and Python, and whether the lock files of all workspaces fit.

Warnings are errors. All checks run, also after a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys

import environments
import pythons
from build_ext import CARGO, ROOT

#: Folders with workspaces beside the main one.
WORKSPACES = ["benches", "fuzz", "tests/embedding", "tests/abi"]
PYTHON = ["scripts", "tests", "python", "examples", "libs", "benches"]


def main() -> None:
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("lint: no CPython >= 3.11 with headers found; pyo3-ffi cannot be compiled without")
    os.environ.setdefault("PYO3_PYTHON", interpreter.path)
    checks = [
        [CARGO, "fmt", "--all", "--check"],
        [CARGO, "clippy", "--workspace", "--all-targets", "--", "--deny=warnings"],
    ]
    locks = [path for folder in WORKSPACES for path in sorted((ROOT / folder).rglob("Cargo.lock"))]
    for lock in locks:
        checks.append([CARGO, "fetch", "--quiet", "--locked", f"--manifest-path={lock.with_name('Cargo.toml')}"])
    try:
        python = str(environments.for_lint(interpreter))
        folders = [folder for folder in PYTHON if (ROOT / folder).is_dir()]
        checks += [
            [python, "-m", "ruff", "check", *folders],
            [python, "-m", "ruff", "format", "--check", *folders],
        ]
    except environments.Unusable as error:
        print(f"lint: ruff is not to be had, Python files are NOT CHECKED: {error}", flush=True)
    failed = []
    for command in checks:
        print("+", " ".join(command), flush=True)
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(" ".join(command))
    for command in failed:
        print("lint failed:", command)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
