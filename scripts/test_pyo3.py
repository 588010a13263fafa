#!/usr/bin/env python3
"""Build the extension modules of tests/pyo3, which use PyO3 and pairbond together, and test them.

    test_pyo3.py [PYTEST ARGUMENT...]

On every CPython that pythons.py finds (PAIRBOND_PYTHONS names others) with the newest PyO3 that pairbond accepts; on
the first with the oldest, too. Ends with a table, and the total on the last line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import build_ext
import environments
import parts
import pythons
from parts import ROOT

SOURCES = ROOT / "tests" / "pyo3"
TARGET = Path(os.environ.get("PAIRBOND_PYO3_TARGET") or ROOT / "target" / "pyo3")
#: Workspaces of tests/pyo3, and the features with which each is built.
RELEASES = {
    "newest": (SOURCES / "Cargo.toml", ["--workspace", "--features=pairbond-test-pyo3-mixed/ecosystem"]),
    "oldest": (SOURCES / "oldest" / "Cargo.toml", []),
}


def build(interpreter: pythons.Interpreter, release: str) -> Path:
    """Build the modules with a release of PyO3; return the folder that has them. Raises CalledProcessError."""
    manifest, features = RELEASES[release]
    command = [build_ext.CARGO, "build", "--locked", "--lib", f"--target-dir={TARGET / release}"]
    command += [f"--manifest-path={manifest}", "--message-format=json-render-diagnostics", *features]
    env = build_ext.environment(pythons.built_for(interpreter))
    run = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, check=True, text=True)
    site = TARGET / "sites" / f"{interpreter.name}-{release}"
    site.mkdir(parents=True, exist_ok=True)
    for _, file in build_ext.cdylibs(run.stdout):
        build_ext.replace(file, site / (file.stem.removeprefix("lib") + interpreter.suffix))
    return site


def pairbond(interpreter: pythons.Interpreter) -> Path:
    """Build pairbond itself; with all extensions where they are built already, whose features it was compiled with."""
    wanted = [it for it in build_ext.extensions() if it.is_for(interpreter)]
    folder = build_ext.folder_of(interpreter)
    if not (folder / "site").exists():
        wanted = [it for it in wanted if it.crate == "pairbond-native"]
    return build_ext.build(interpreter, wanted)


def test(interpreter: pythons.Interpreter, release: str, arguments: list[str]) -> parts.Result:
    """Build for an interpreter, and run the tests."""
    name = f"pyo3@{interpreter.name} with {release}"
    print(f"=== {name}: {interpreter}", flush=True)
    try:
        python = environments.for_tests(interpreter)
        sites = [pairbond(interpreter), build(interpreter, release)]
    except environments.Unusable as error:
        return parts.Result(name, failed=1, note=str(error))
    except subprocess.CalledProcessError as error:
        return parts.Result(name, failed=1, note=f"does not build: {error}")
    env = {"PYTHONPATH": os.pathsep.join(map(str, sites)), "PYTHONDONTWRITEBYTECODE": "1"}
    # The module of the oldest release comes without the one that pairbond exports.
    files = [file for file in sorted(SOURCES.glob("test_*.py")) if release == "newest" or "hosted" not in file.name]
    command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *arguments, *map(str, files)]
    return parts.run(parts.Part(name, command, env, reads="pytest", may_be_empty=bool(arguments)))


def main() -> None:
    found = pythons.pythons()
    if not found:
        sys.exit("test_pyo3: no CPython >= 3.11 with headers")
    os.environ.pop("PAIRBOND_TALLY", None)  # what it counts is the total of this program
    jobs = [(found[0], "oldest"), *((interpreter, "newest") for interpreter in found)]
    parts.close([test(interpreter, release, sys.argv[1:]) for interpreter, release in jobs], [])


if __name__ == "__main__":
    main()
