#!/usr/bin/env python3
"""Build extension crates for one CPython and lay them out so that they can be imported.

    build_ext.py [--release] [--site DIR] PYTHON [CRATE...]

PYTHON is a name that pythons.py prints, or a path. Without CRATE, every extension crate of the workspace is built. The
last line of the output is the folder to put on PYTHONPATH: target/py/NAME/site (site-release with --release). Each
interpreter has its own target directory, so that they do not invalidate each other's build. The first build for an
interpreter starts from a copy of another's, and the first of all from what the Rust tests and libraries have compiled:
what does not depend on CPython is compiled once.

An extension crate says in its Cargo.toml where its module lives:

    [package.metadata.pairbond]
    module = "lockgraph._lockgraph"     # required: the module's full name
    python = "python/lockgraph"         # optional: the pure-Python package around it, relative to this Cargo.toml
    tests = "tests"                     # optional: its own pytest folder, relative to this Cargo.toml
    interpreters = ["3.11", "3.14t"]    # optional: tested on these only, where it is not asked for by name

A crate that makes a library without any Python, for `pairbond.load`, says instead

    library = "libshapes.so"            # required: the name of its file, beside the modules

It is built by itself, once for all interpreters, and comes with every site.

A crate that is no extension but whose Rust tests need an interpreter to be linked says `rust-tests = false` there.

This serves tests, benchmarks and the demonstration. Users get wheels, which maturin builds from pyproject.toml.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pythons

ROOT = Path(__file__).resolve().parent.parent
#: Where cargo builds when it is not told; the Rust tests are there.
TARGET = ROOT / "target"
#: Where libraries without any Python are built.
LIBRARIES = TARGET / "libraries"
#: Every build names it, too, so that other crates have the same features in all of them: its manifest says why.
UNIFIED = "--package=pairbond-workspace-hack"
CARGO = os.environ.get("CARGO", "cargo")


@dataclass(frozen=True)
class Extension:
    """A crate that makes an extension module."""

    crate: str
    package_id: str
    module: str
    python: Path | None
    tests: Path | None
    interpreters: tuple[str, ...] | None = None

    def is_for(self, interpreter: pythons.Interpreter) -> bool:
        """Whether it is tested on that one."""
        return self.interpreters is None or interpreter.kind in self.interpreters


def packages() -> list[dict]:
    """The packages of the workspace, as cargo describes them."""
    command = [CARGO, "metadata", "--format-version=1", "--no-deps"]
    return json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]


def metadata(package: dict) -> dict:
    """The table [package.metadata.pairbond]; exits if it says what nobody reads."""
    table = (package["metadata"] or {}).get("pairbond") or {}
    if unknown := table.keys() - {"module", "python", "tests", "rust-tests", "library", "interpreters"}:
        sys.exit(f"build_ext: {package['manifest_path']}: unknown key {sorted(unknown)} in package.metadata.pairbond")
    return table


def extensions() -> list[Extension]:
    """All extension crates of the workspace."""
    return [ext for package in packages() if (ext := extension(package)) is not None]


def without_rust_tests() -> list[str]:
    """Crates whose Rust tests cannot be linked without an interpreter; the Python tests cover them."""
    tables = {package["name"]: metadata(package) for package in packages()}
    return [name for name, it in tables.items() if {"module", "library"} & it.keys() or it.get("rust-tests") is False]


def extension(package: dict) -> Extension | None:
    """What a package's metadata says; None if it is no extension; exits if it contradicts itself."""
    table = metadata(package)
    if "module" not in table:
        return None

    def folder(key: str) -> Path | None:
        path = Path(package["manifest_path"]).parent / table[key] if key in table else None
        if path is not None and not path.is_dir():
            sys.exit(f"build_ext: {package['manifest_path']}: {key} = {table[key]!r} is not a folder")
        return path.resolve() if path else None

    top = table["module"].split(".")[0]
    python = folder("python")
    if python is not None and python.name != top:
        sys.exit(f"build_ext: {package['manifest_path']}: the package folder of {table['module']} must be called {top}")
    only = tuple(table["interpreters"]) if "interpreters" in table else None
    return Extension(package["name"], package["id"], table["module"], python, folder("tests"), only)


def library_crates() -> list[str]:
    """The crates that make libraries without any Python."""
    return [package["name"] for package in packages() if "library" in metadata(package)]


def libraries(site: Path, release: bool = False, crates: list[str] | None = None) -> None:
    """Build libraries without any Python, all unless told, and put them into a site. Raises CalledProcessError if cargo
    fails."""
    for package in packages():
        name = metadata(package).get("library")
        if name is None or (crates is not None and package["name"] not in crates):
            continue
        # Alone: a package that is built with others has the features of pairbond that any of them wants.
        copy_build(LIBRARIES, "release" if release else "debug", [[TARGET]])
        command = [CARGO, "build", f"--target-dir={LIBRARIES}", "--lib"]
        command += ["--message-format=json-render-diagnostics", f"--package={package['name']}", UNIFIED]
        command += ["--release"] if release else []
        run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
        built = dict(cdylibs(run.stdout))
        if package["id"] not in built:
            sys.exit(f'build_ext: {package["name"]} makes no cdylib; its [lib] needs crate-type = ["cdylib"]')
        site.mkdir(parents=True, exist_ok=True)
        replace(built[package["id"]], site / name)


def environment(interpreter: pythons.Interpreter) -> dict[str, str]:
    """The environment that makes pyo3-ffi build for `interpreter`, and not link libpython into a module."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYO3_CONFIG_FILE", "PYO3_NO_PYTHON")}
    env |= {"PYO3_PYTHON": interpreter.path, "PYO3_BUILD_EXTENSION_MODULE": "1"}
    if sys.platform == "darwin":  # untested: the interpreter's symbols are found when the module is loaded
        env["RUSTFLAGS"] = env.get("RUSTFLAGS", "") + " -Clink-arg=-undefined -Clink-arg=dynamic_lookup"
    return env


def folder_of(interpreter: pythons.Interpreter) -> Path:
    """Where it is built for an interpreter; what can be imported is in `site` and `site-release` there."""
    return ROOT / "target" / "py" / pythons.built_for(interpreter).name


def build(
    interpreter: pythons.Interpreter,
    wanted: list[Extension],
    release: bool = False,
    site: Path | None = None,
    beside: list[str] | None = None,
) -> Path:
    """Build, install, and return the folder for PYTHONPATH. Raises CalledProcessError if cargo fails.

    Interpreters of one kind share a build. `beside`: the crates of libraries that come with it, all unless told.
    """
    target = folder_of(interpreter)
    interpreter = pythons.built_for(interpreter)
    copy_build(target, "release" if release else "debug", [*siblings(target), [TARGET, LIBRARIES]])
    site = site or target / ("site-release" if release else "site")
    command = [CARGO, "build", f"--target-dir={target}", "--lib", "--message-format=json-render-diagnostics"]
    command += ["--release"] if release else []
    command += [UNIFIED, *(f"--package={ext.crate}" for ext in wanted)]
    run = subprocess.run(command, cwd=ROOT, env=environment(interpreter), stdout=subprocess.PIPE, check=True, text=True)
    built = dict(cdylibs(run.stdout))
    lay_out(interpreter, wanted, built, site)
    libraries(site, release, beside)
    return site


def lay_out(interpreter: pythons.Interpreter, wanted: list[Extension], built: dict[str, Path], site: Path) -> None:
    """Put what cargo built, by package id, where it can be imported from."""
    for ext in wanted:
        if ext.package_id not in built:
            sys.exit(f'build_ext: {ext.crate} makes no cdylib; its [lib] needs crate-type = ["cdylib"]')
        if ext.python is not None:
            mirror(ext.python, site / ext.python.name)
        destination = site.joinpath(*ext.module.split(".")).with_suffix(interpreter.suffix)
        destination.parent.mkdir(parents=True, exist_ok=True)
        replace(built[ext.package_id], destination)


def siblings(target: Path) -> list[list[Path]]:
    """The folders beside `target`, as alternatives for `copy_build`."""
    return [[it] for it in target.parent.glob("*") if it != target]


def copy_build(target: Path, profile: str, alternatives: list[list[Path]]) -> None:
    """Begin the first build in `target` with what has been compiled elsewhere; cargo finds out which of it fits.

    Copies from one of the alternatives, each of which is one or several target folders: a single one before several,
    and of single ones that which was built last. A folder that is being built is passed over: cargo removes files there
    while they would be copied.
    """
    if (target / profile).exists():
        return

    def preference(folders: list[Path]) -> tuple[int, float]:
        stamp = folders[0] / profile / ".fingerprint"
        return len(folders), -stamp.stat().st_mtime if stamp.exists() else 0

    for folders in sorted(alternatives, key=preference):
        beside = target / f".{profile}.{os.getpid()}"
        copied = [copy_compiled(folder / profile, beside) for folder in folders]
        if any(copied):
            beside.rename(target / profile)
            return


def copy_compiled(source: Path, destination: Path) -> bool:
    """Copy what cargo has compiled, programs excepted; whether there was something, and no cargo at work."""
    if not (source / ".fingerprint").exists():
        return False
    with shared_lock(source / ".cargo-lock") as is_idle:
        if not is_idle:
            return False
        for folder in (".fingerprint", "build", "deps"):
            ignore = programs if folder == "deps" else None
            # Times are kept: cargo compares them with those of the sources.
            shutil.copytree(source / folder, destination / folder, symlinks=True, ignore=ignore, dirs_exist_ok=True)
    return True


def programs(_: str, names: list[str]) -> list[str]:
    """Of the files of a folder `deps`, those of tests, which are large."""
    return [name for name in names if "." not in name]


@contextmanager
def shared_lock(path: Path) -> Iterator[bool]:
    """Hold cargo's lock of a folder, so that it waits before it builds there; False if it is building."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def cdylibs(messages: str) -> list[tuple[str, Path]]:
    """Package id and file of each dynamic library that cargo reports."""
    found = []
    for message in map(json.loads, messages.splitlines()):
        if message["reason"] == "compiler-artifact" and "cdylib" in message["target"]["kind"]:
            found += [(message["package_id"], Path(file)) for file in message["filenames"] if is_library(file)]
    return found


def is_library(file: str) -> bool:
    return file.endswith((".so", ".dylib", ".dll"))


def mirror(source: Path, destination: Path) -> None:
    """Make `destination` hold what `source` holds, and nothing that was deleted there; compiled modules stay."""
    files = {
        file.relative_to(source) for file in source.rglob("*") if file.is_file() and "__pycache__" not in file.parts
    }
    files = {file for file in files if file.suffix not in (".so", ".pyd", ".pyc")}
    for file in [*destination.rglob("*")] if destination.exists() else []:
        if file.is_file() and file.suffix not in (".so", ".pyd") and file.relative_to(destination) not in files:
            file.unlink()
    for file in files:
        (destination / file).parent.mkdir(parents=True, exist_ok=True)
        replace(source / file, destination / file)


def replace(source: Path, destination: Path) -> None:
    """Copy beside, then rename: a process that has the old module mapped keeps it, instead of crashing."""
    beside = destination.with_name(f".{destination.name}.{os.getpid()}")
    shutil.copy2(source, beside)
    beside.replace(destination)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true", help="build with the release profile")
    parser.add_argument("--site", type=Path, help="install there instead")
    parser.add_argument("python")
    parser.add_argument("crates", nargs="*", metavar="crate")
    options = parser.parse_args()
    known = {ext.crate: ext for ext in extensions()}
    if missing := [crate for crate in options.crates if crate not in known] or ([] if known else ["any crate"]):
        sys.exit(f"build_ext: no [package.metadata.pairbond] module for {', '.join(missing)}")
    wanted = [known[crate] for crate in options.crates] or [*known.values()]
    try:
        site = build(pythons.by_path_or_name(options.python), wanted, options.release, options.site)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    print(site)


if __name__ == "__main__":
    main()
