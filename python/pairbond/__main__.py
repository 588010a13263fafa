"""python -m pairbond stubs MODULE...: writes type stubs of modules that are made with pairbond.

A module is named, or a library without Python given by the path of its file.

Without --output a stub is printed. With it, the stub of `shapes._native` becomes DIRECTORY/shapes/_native.pyi. With
--check nothing is written, and the exit status is 1 when a file there says something else.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from pathlib import Path

import pairbond
from pairbond._stubs import stub
from pairbond._stubs.members import NotOurs

LIBRARIES = {".so", ".dylib", ".dll"}


def place(directory: Path, name: str) -> Path:
    """The file of a module's stub."""
    return directory.joinpath(*name.split(".")).with_suffix(".pyi")


def differences(path: Path, text: str) -> list[str]:
    """What a file lacks to be this text."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), text.splitlines(keepends=True), str(path), "what it should be"
    )
    return list(lines)


def stubs(options: argparse.Namespace) -> int:
    status = 0
    for name in options.module:
        try:
            module = pairbond.load(name) if Path(name).suffix in LIBRARIES else importlib.import_module(name)
            name = module.__name__
            text = stub(module)
        except (ImportError, OSError, NotOurs) as error:
            print(f"pairbond: {error}", file=sys.stderr)
            return 2
        if options.output is None:
            print(text, end="")
            continue
        path = place(options.output, name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(path)
        elif lines := differences(path, text):
            print("".join(lines), end="")
            print(f"pairbond: {path} is stale: write it again without --check", file=sys.stderr)
            status = 1
    return status


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m pairbond", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("stubs", help="write type stubs of modules that are made with pairbond")
    command.add_argument(
        "module", nargs="+", metavar="MODULE", help="the full name of an extension module, or a library's file"
    )
    command.add_argument("--output", type=Path, metavar="DIRECTORY", help="where the packages are (default: print)")
    command.add_argument("--check", action="store_true", help="compare with what is in --output, and write nothing")
    options = parser.parse_args(arguments)
    if options.check and options.output is None:
        parser.error("--check needs --output: the directory of the files to compare with")
    return stubs(options)


if __name__ == "__main__":
    sys.exit(main())
