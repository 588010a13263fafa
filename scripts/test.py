#!/usr/bin/env python3
"""`make test`: the tests of every kind on what this machine has. Ends with the total, `N passed, N failed`.

test.py [PART...]     core-free architecture scripts types rust example doc loom python embedding; without arguments
                      all of them, in this order
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys

import build_ext
import environments
import parts
import pythons
from parts import CARGO, ROOT, Part


def core_free() -> Part:
    return Part("core-free", [sys.executable, "scripts/check_core_is_python_free.py"], reads="nothing")


def architecture() -> Part:
    return Part("architecture", [sys.executable, "scripts/check_architecture.py"], reads="nothing")


def scripts(interpreter: pythons.Interpreter) -> Part:
    """The tests of these scripts themselves, on one interpreter."""
    try:
        python = environments.for_tests(interpreter)
    except environments.Unusable as error:
        sys.exit(f"test: {error}")
    return Part("scripts", [str(python), "-m", "pytest", "--quiet", "tests/scripts"], reads="pytest")


def types() -> Part:
    return Part("types", [sys.executable, "scripts/check_types.py"], reads="total")


def rust() -> Part:
    excluded = [f"--exclude={name}" for name in build_ext.without_rust_tests()]
    return Part("rust", [*runner(), "--workspace", "--features=pairbond/tracing", *excluded])


def runner() -> list[str]:
    """The command that runs Rust tests, doc tests excepted."""
    if shutil.which("cargo-nextest"):
        return [CARGO, "nextest", "run", "--no-fail-fast"]
    print("cargo-nextest is not installed: the Rust tests run with cargo test, which does not stop a test that hangs")
    return [CARGO, "test", "--no-fail-fast", "--lib", "--bins", "--tests"]


def example() -> Part:
    """The Rust tests of the example and of libs/, which need no Python: the same types in a plain Rust program."""
    packages = ["--package=lockgraph", "--package=pairbond-ir", "--package=pairbond-autograd"]
    return Part("example", [CARGO, "test", *packages, "--no-default-features", "--lib", "--target-dir=target/example"])


def doc() -> Part:
    excluded = [f"--exclude={name}" for name in build_ext.without_rust_tests()]
    # Not every crate has examples in its documentation: none is no failure here.
    command = [CARGO, "test", "--doc", "--no-fail-fast", "--workspace", "--features=pairbond/tracing", *excluded]
    return Part("doc", command, may_be_empty=True)


def loom() -> Part:
    """The model-checked tests: crates/pairbond-core/tests/loom*.rs. Optimised, but not with the fat LTO of releases."""
    env = {
        "RUSTFLAGS": f"{os.environ.get('RUSTFLAGS', '')} --cfg loom".strip(),
        "CARGO_TARGET_DIR": str(ROOT / "target" / "loom"),
        "LOOM_MAX_PREEMPTIONS": os.environ.get("LOOM_MAX_PREEMPTIONS", "3"),
    }
    command = [CARGO, "test", "--package=pairbond-core", "--release", "--no-fail-fast", "--test=loom*"]
    return Part("loom", command, env | parts.QUICK_RELEASE)


def python() -> Part:
    return Part("python", [sys.executable, "scripts/test_python.py"], reads="total")


def embedding() -> Part:
    """A Rust program that embeds Python; needs a libpython to link: interpreters without one are named."""
    return Part("embedding", [sys.executable, "scripts/test_embedding.py"], reads="total", may_be_empty=True)


def main() -> None:
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("test: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev python3-venv)")
    choice = {
        "core-free": core_free,
        "architecture": architecture,
        "scripts": lambda: scripts(interpreter),
        "types": types,
        "rust": rust,
        "example": example,
        "doc": doc,
        "loom": loom,
        "python": python,
        "embedding": embedding,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*choice, []], metavar="PART")
    names = parser.parse_args().parts or list(choice)
    os.environ.setdefault("PYO3_PYTHON", interpreter.path)  # pyo3-ffi's build script asks it
    parts.close([parts.run(choice[name]()) for name in names])


if __name__ == "__main__":
    main()
