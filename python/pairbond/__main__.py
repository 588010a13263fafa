"""Tools for authors of libraries that are made with pairbond."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pairbond
from pairbond._new import NotAName, create
from pairbond._pairbond import _compiler
from pairbond._stubs import modules_inside, stub
from pairbond._stubs.members import NotOurs

NEW = """Write a complete project into a new folder: Rust sources with two classes and a function, a Python package with
type stubs, tests in both languages, a Makefile, packaging metadata, a licence, and a workflow that builds wheels.

    python -m pairbond new shapes
    cd shapes
    make test
"""
STUBS = """Write type stubs of modules that are made with pairbond.

Without --output a stub is printed. With it, the stub of `shapes._native` becomes DIRECTORY/shapes/_native.pyi; if there
are modules in it, DIRECTORY/shapes/_native/__init__.pyi, and each has a file beside that. With
--check nothing is written, and the exit status is 1 when a file there says something else.
"""
LIBRARIES = {".so", ".dylib", ".dll"}
# What libraries of C and C++ are built with.
HERE = Path(pairbond.__file__).parent
FOLDERS = {"include": "include", "cmake-dir": "cmake", "pkgconfig-dir": "pkgconfig"}
HELP = {
    "include": "the folder of pairbond/pairbond.h and pairbond/pairbond.hpp",
    "cmake-dir": "the folder of pairbondConfig.cmake, for find_package(pairbond)",
    "pkgconfig-dir": "the folder of pairbond.pc, for PKG_CONFIG_PATH",
}


def files(directory: Path, module: ModuleType) -> Iterator[tuple[Path, str]]:
    """The file of a module's stub with its text, and those of the modules in it."""
    path, inside = directory.joinpath(*module.__name__.split(".")), modules_inside(module)
    yield path / "__init__.pyi" if inside else path.with_suffix(".pyi"), stub(module, as_package=bool(inside))
    for other in inside:
        yield from files(directory, other)


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
            written = list(files(options.output or Path(), module))
        except (ImportError, OSError, NotOurs) as error:
            print(f"pairbond: {error}", file=sys.stderr)
            return 2
        if options.output is None:
            print(stub(module), end="")
            continue
        for path, text in written:
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(path)
            elif lines := differences(path, text):
                print("".join(lines), end="")
                print(f"pairbond: {path} is stale: write it again without --check", file=sys.stderr)
                status = 1
    return status


def new(options: argparse.Namespace) -> int:
    folder = Path(os.path.abspath(options.path))
    try:
        create(folder, options.kind, options.pairbond)
    except FileExistsError:
        print(f"pairbond: {options.path} exists already, and nothing was written", file=sys.stderr)
        return 2
    except (NotAName, OSError) as error:
        print(f"pairbond: {error}", file=sys.stderr)
        return 2
    print(
        f"{options.path} is a complete project. What comes next:\n\n    cd {shlex.quote(options.path)}\n    make test"
    )
    return 0


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m pairbond", description=__doc__)
    parser.add_argument("--version", action="version", version=f"pairbond {pairbond.__version__} ({_compiler})")
    for folder in FOLDERS:
        parser.add_argument(
            f"--{folder}", action="version", version=str(HERE / FOLDERS[folder]), help=f"print {HELP[folder]}, and end"
        )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser(
        "new", help="write a new project: a tested library in Rust", description=NEW, formatter_class=raw
    )
    command.set_defaults(run=new)
    command.add_argument("path", metavar="PATH", help="the project's folder, called as its Python package is")
    kind = command.add_mutually_exclusive_group()
    kind.add_argument(
        "--pyo3",
        dest="kind",
        action="store_const",
        const="pyo3",
        help="with a module made with PyO3 beside that of pairbond, in the same extension file",
    )
    kind.add_argument(
        "--one-wheel",
        dest="kind",
        action="store_const",
        const="one-wheel",
        help="one wheel for every version of Python: the library is built without any, and loaded by pairbond.load",
    )
    command.set_defaults(kind="extension")
    command.add_argument(
        "--pairbond",
        type=Path,
        metavar="CHECKOUT",
        help="depend on this checkout of pairbond's repository, and not on the released version",
    )

    command = commands.add_parser(
        "stubs", help="write type stubs of modules that are made with pairbond", description=STUBS, formatter_class=raw
    )
    command.set_defaults(run=stubs)
    command.add_argument(
        "module", nargs="+", metavar="MODULE", help="the full name of an extension module, or a library's file"
    )
    command.add_argument("--output", type=Path, metavar="DIRECTORY", help="where the packages are (default: print)")
    command.add_argument("--check", action="store_true", help="compare with what is in --output, and write nothing")

    options = parser.parse_args(arguments)
    if options.run is stubs and options.check and options.output is None:
        command.error("--check needs --output: the directory of the files to compare with")
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
