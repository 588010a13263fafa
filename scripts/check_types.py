#!/usr/bin/env python3
"""Type stubs are fresh and true: `python -m pairbond stubs` on every extension of the workspace.

check_types.py            compare committed stubs, and check everything: a part of `make test`
check_types.py --write    write the committed stubs: `make stubs`

An extension with a Python package around it has its stub beside it, committed. Those of the others, which only tests
use, are written to target/types. mypy and pyright check stubs, the packages and the example, strictly; stubtest imports
the modules and compares. Ends with the total line.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import build_ext
import environments
import pythons
from build_ext import ROOT, Extension

#: Where everything lies together, as it is when it is installed.
TOGETHER = ROOT / "target" / "types"
#: Its stub is written by hand.
OURS = "pairbond._pairbond"
#: Its package gives methods to classes that other modules have, too, and whose stubs do not know them.
ALONE = "pairbond-autograd"


def committed(extension: Extension) -> bool:
    return extension.python is not None and extension.module != OURS


def stubs(python: Path, site: Path, extension: Extension, output: Path, *arguments: str) -> bool:
    """Runs the generator."""
    command = [str(python), "-m", "pairbond", "stubs", extension.module, "--output", str(output), *arguments]
    return run(command, {"PYTHONPATH": str(site)})


def run(command: list[str], env: dict[str, str]) -> bool:
    """Runs a check, whose output is shown when it has ended: others run at the same time."""
    env = {**os.environ, **env}
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    holds = done.returncode == 0
    # As pytest says it: the closing lines of a test run repeat such lines. With a module's name, not all files.
    failed = "" if holds else "FAILED types::" + " ".join(command[2:5]) + "\n"
    print(f"+ {' '.join(command)}\n{done.stdout}{failed}", end="", flush=True)
    return holds


def at_once(checks: Sequence[Callable[[], bool]]) -> list[bool]:
    """The results of checks, as many of which run at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda check: check(), checks))


def has_stub(path: Path) -> bool:
    return path.with_suffix(".pyi").exists()


def checks(python: Path, site: Path, extensions: list[Extension]) -> list[bool]:
    """Whether each check holds."""
    shutil.rmtree(TOGETHER, ignore_errors=True)
    shutil.copytree(site, TOGETHER, ignore=shutil.ignore_patterns("__pycache__"))
    places = {it: [it.python.parent, "--check"] for it in extensions if committed(it)}
    places |= {it: [TOGETHER] for it in extensions if it.python is None}
    results = at_once([partial(stubs, python, site, it, *arguments) for it, arguments in places.items()])
    paths = {"MYPYPATH": str(TOGETHER), "PYTHONPATH": str(TOGETHER)}
    packages = sorted({extension.module.split(".")[0] for extension in extensions})
    names = [argument for package in packages for argument in ("--package", package)]
    program = str(ROOT / "tests" / "types" / "program.py")
    # Not the sources of modules that have a stub.
    files = [path for name in packages for path in (*(TOGETHER / name).rglob("*.py*"), TOGETHER / f"{name}.pyi")]
    seen = [str(path) for path in files if path.suffix == ".pyi" or (path.suffix == ".py" and not has_stub(path))]
    pyright = [
        str(python),
        "-m",
        "pyright",
        "--pythonpath",
        str(python),
        *(path for path in seen if Path(path).exists()),
        program,
    ]
    # Each mypy has a cache of its own; stubtest has none.
    mypy = [str(python), "-m", "mypy", "--strict", "--cache-dir"]
    commands = [
        pyright,
        [*mypy, str(ROOT / "target" / "mypy" / "packages"), *names],
        [*mypy, str(ROOT / "target" / "mypy" / "program"), program],
    ]
    # Which classes lay memory out anew differs between versions of CPython. Many at once, for most
    # of the time goes into the stubs of the standard library, which each process reads.
    stubtest = [str(python), "-m", "mypy.stubtest", "--ignore-disjoint-bases"]
    allowed = ["--allowlist", str(ROOT / "scripts" / "stubtest-allowlist.txt")]
    together = [it.module for it in extensions if it.module != OURS and it.crate != ALONE]
    commands.append([*stubtest, "pairbond", *together, *allowed])
    commands += [[*stubtest, it.module] for it in extensions if it.crate == ALONE]
    return results + at_once([partial(run, command, paths) for command in commands])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the committed stubs")
    options = parser.parse_args()
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("check_types: no CPython >= 3.11 with headers found")
    extensions = build_ext.extensions()
    site = build_ext.build(interpreter, extensions)
    if options.write:
        python = Path(interpreter.path)
        written = [stubs(python, site, it, it.python.parent) for it in extensions if committed(it)]
        sys.exit(0 if all(written) else 1)
    try:
        python = environments.for_types(interpreter)
    except environments.Unusable as error:
        sys.exit(f"check_types: {error}")
    results = checks(python, site, extensions)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
