#!/usr/bin/env python3
"""`cargo check` for the platforms that no machine at hand runs, and the refusal of those that pairbond cannot support.

A part of `make test-dist`. Each target is checked without Python, and as the extension modules of a GIL build and of a
free-threaded one; and, on this machine, the libraries as plain Rust programs have them. Nothing is linked, so that no
foreign linker or C library is needed; a target whose standard library rustup has not installed is named and left out;
--targets prints all of them, for `xargs rustup target add`. Builds go to target/platforms. Ends with the total line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from parts import CARGO, ROOT

TARGETS = (
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
)
NARROW = "i686-unknown-linux-gnu"
#: Extension crates whose types are for plain Rust programs, too. Their Rust tests are in crates below them.
LIBRARIES = ("pairbond-ir", "pairbond-autograd")
#: What pyo3-ffi is built for where the target's own interpreter cannot be asked.
PYTHONS = ("3.11", "3.14t")
PYPY = "implementation=PyPy\nversion=3.11\nshared=true\npointer_width=64\n"


def installed(target: str) -> bool:
    """Whether rustc has a standard library for `target`."""
    command = [os.environ.get("RUSTC", "rustc"), "--print=target-libdir", f"--target={target}"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return run.returncode == 0 and Path(run.stdout.strip()).is_dir()


def cargo(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYO3_")}
    command = [CARGO, "check", "--quiet", "--target-dir", str(ROOT / "target" / "platforms"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=inherited | env, capture_output=True, text=True)


def compiles(name: str, *arguments: str, env: dict[str, str]) -> bool:
    run = cargo(*arguments, env={"RUSTFLAGS": "--deny=warnings"} | env)
    print(f"{name}: {'compiles' if run.returncode == 0 else 'FAILED'}", flush=True)
    if run.returncode:
        print(run.stderr, f"FAILED platforms::{name}", sep="\n", flush=True)
    return run.returncode == 0


def refused(name: str, reason: str, *arguments: str, env: dict[str, str]) -> bool:
    """Whether the build fails with one error, which gives the reason."""
    run = cargo(*arguments, env=env)
    errors = [line for line in run.stderr.splitlines() if line.startswith("error")]
    errors = [line for line in errors if line != "error: build script logged errors"]
    holds = run.returncode != 0 and len(errors) == 1 and reason in errors[0]
    print(f"{name}: {'refused' if holds else 'NOT REFUSED with one sentence'}: {' '.join(errors)}", flush=True)
    if not holds:
        print(run.stderr, f"FAILED platforms::{name}", sep="\n", flush=True)
    return holds


def check(target: str) -> list[bool]:
    here = ["--target", target]
    results = [
        compiles(
            f"{target} without Python", *here, "-p", "pairbond", "--features=dynamic,library,serde,tracing,tree", env={}
        )
    ]
    for version in PYTHONS:
        env = {"PYO3_CROSS": "1", "PYO3_CROSS_PYTHON_VERSION": version, "PYO3_BUILD_EXTENSION_MODULE": "1"}
        modules = [
            "-p",
            "pairbond-native",
            "-p",
            "pairbond",
            "--features=pairbond/dynamic,pairbond/python,pairbond/serde,pairbond/tree",
        ]
        results.append(compiles(f"{target} with CPython {version}", *here, *modules, env=env))
    return results


def refusals() -> list[bool]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as config:
        config.write(PYPY)
        config.flush()
        results = [refused("PyPy", "needs CPython", "-p", "pairbond-python", env={"PYO3_CONFIG_FILE": config.name})]
        config.seek(0)
        config.write("implementation=CPython\nversion=3.10\n")
        config.truncate()
        config.flush()
        env = {"PYO3_CONFIG_FILE": config.name}
        results.append(refused("CPython 3.10", "3.11 or newer", "-p", "pairbond-python", env=env))
    return results


def main() -> None:
    if sys.argv[1:] == ["--targets"]:
        print(NARROW, *TARGETS, sep="\n")
        return
    libraries = [f"--package={name}" for name in LIBRARIES]
    plain = ["--lib", "--no-default-features", "--features=pairbond/library", *libraries]
    results = [*refusals(), compiles("the libraries without Python", *plain, env={})]
    if installed(NARROW):
        results.append(refused("32 bits", "needs a 64-bit target", "-p", "pairbond", "--target", NARROW, env={}))
    for target in (NARROW, *TARGETS):
        if not installed(target):
            print(f"{target}: NOT CHECKED: its standard library is not installed (rustup target add {target})")
        elif target != NARROW:
            results += check(target)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
