#!/usr/bin/env python3
"""`make docs`: builds the documentation site from docs/ into target/site.

    docs.py [--without-rust] [--serve]

It builds the extension modules for the default interpreter, whose documentation the Python reference takes its texts
from, the Rust reference with cargo doc (--without-rust leaves that out, and its link leads nowhere), and the pages with
MkDocs (scripts/docs-requirements.txt, mkdocs.yml). A warning is an error. --serve shows the pages while they are
edited.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import build_ext
import draw_pictures
import environments
import pythons
from build_ext import CARGO, ROOT

SITE = ROOT / "target" / "site"
#: The modules that the pages and their tests import.
CRATES = ("pairbond-native", "shop", "lockgraph", "pairbond-ir", "pairbond-autograd")


def modules(interpreter: pythons.Interpreter, tested: bool = False) -> Path:
    """Builds the extension modules; returns their folder. `tested`: all that there are, as other tests have built them
    already; with some left out, crates are compiled again with fewer features."""
    return build_ext.build(interpreter, [it for it in build_ext.extensions() if tested or it.crate in CRATES])


def prepared(
    script: str, environment: Callable[[pythons.Interpreter], Path], tested: bool = False
) -> tuple[pythons.Interpreter, Path, Path]:
    """Returns the default interpreter, the Python of an environment for it, and the folder of the modules. Exits in the
    name of a script if one of them cannot be had."""
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit(f"{script}: no CPython >= 3.11 with headers found")
    try:
        return interpreter, environment(interpreter), modules(interpreter, tested)
    except environments.Unusable as error:
        sys.exit(f"{script}: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


def rust(interpreter: pythons.Interpreter) -> None:
    """Adds the Rust reference to the site."""
    command = [
        CARGO,
        "doc",
        "--no-deps",
        "--package=pairbond",
        "--features=dynamic,library,python,serde,tracing,tree",
        "--quiet",
    ]
    target = build_ext.folder_of(interpreter)  # macros and build scripts are compiled there
    env = {**build_ext.environment(interpreter), "CARGO_TARGET_DIR": str(target), "RUSTDOCFLAGS": "--deny=warnings"}
    shutil.rmtree(target / "doc", ignore_errors=True)  # what is no longer documented
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    shutil.copytree(target / "doc", SITE / "rust")


def pages(python: Path, modules: Path, command: str = "build") -> None:
    """Runs MkDocs."""
    env = {**os.environ, "PYTHONPATH": str(modules), "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([str(python), "-m", "mkdocs", command, "--strict"], cwd=ROOT, env=env, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-rust", action="store_true", help="leave the Rust reference out")
    parser.add_argument("--serve", action="store_true", help="show the pages while they are edited")
    options = parser.parse_args()
    interpreter, python, built = prepared("docs", environments.for_docs)
    try:
        if stale := draw_pictures.stale(draw_pictures.badges()):
            sys.exit(f"docs: {', '.join(stale)} is stale: scripts/py scripts/draw_pictures.py")
        pages(python, built, "serve" if options.serve else "build")
        if not options.without_rust:
            rust(interpreter)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    print(SITE)


if __name__ == "__main__":
    main()
