#!/usr/bin/env python3
"""Find every CPython >= 3.11 of this machine that an extension can be built for.

    pythons.py             one line each: name, path, version, flags
    pythons.py --names     the names only
    pythons.py --default   the path of the one that is used where one is enough

Looked at, in this order: PATH, pyenv, ~/.cache/pythons, uv. The environment variable PAIRBOND_PYTHONS, names or paths
separated by blanks or commas, restricts all three answers; an entry that fits nothing is an error, never ignored.

A name is unique and fit for a directory: `3.14t` (free-threaded), `3.14d` (pydebug), `3.14td`. The newest of a kind has
the short name; another build of the same kind has its full version, `3.11.2`, then `3.11.2-2`. That does not depend on
PATH, so that what was built for a name is found again.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

OLDEST = (3, 11)
MINORS = range(11, 16)
ABIS = ("", "t", "d", "td")

# Run by each candidate. `base_prefix` and not `prefix`: the python of a virtual environment stands for the one it was
# made from. `Py_DEBUG` is None on a platform whose build has no such variable.
PROBE = """
import json, os, sys, sysconfig
var = sysconfig.get_config_var
print(json.dumps(dict(
    implementation=sys.implementation.name, version=list(sys.version_info[:3]), level=sys.version_info[3],
    path=getattr(sys, "_base_executable", None) or sys.executable, prefix=os.path.realpath(sys.base_prefix),
    free_threaded=bool(var("Py_GIL_DISABLED")), debug=bool(var("Py_DEBUG")),
    headers=os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    suffix=var("EXT_SUFFIX"),
)))
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython that extensions can be built for."""

    name: str
    path: str
    version: tuple[int, int, int]
    free_threaded: bool
    debug: bool
    prefix: str
    suffix: str  # of an extension module's file, e.g. ".cpython-314t-x86_64-linux-gnu.so"

    @property
    def kind(self) -> str:
        return kind(self.version, self.free_threaded, self.debug)

    def __str__(self) -> str:
        flags = [flag for flag, on in (("free-threaded", self.free_threaded), ("pydebug", self.debug)) if on]
        return f"{self.name:<8} {self.path}  {dotted(self.version)}  {' '.join(flags) or '-'}"


def dotted(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def kind(version: Iterable[int], free_threaded: bool, debug: bool) -> str:
    return dotted(list(version)[:2]) + "t" * free_threaded + "d" * debug


def complain(message: str) -> None:
    print(f"pythons: {message}", file=sys.stderr)


def is_script(path: str) -> bool:
    """A pyenv shim is a shell script which starts whatever version is selected at that moment: not an interpreter."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def candidates() -> Iterator[str]:
    """Paths that may be interpreters, the likeliest choice of the user first."""
    names = ["python3"] + [f"python3.{minor}{abi}" for minor in MINORS for abi in ABIS]
    for name in names:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            yield os.path.join(folder, name)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or os.path.join(data, "uv", "python")
    for tree in (os.path.join(pyenv, "versions"), os.path.join(cache, "pythons"), uv):
        # Sorted as numbers, so that 3.9 comes before 3.11 and the names given below do not depend on the file system.
        for folder in sorted(glob.glob(os.path.join(tree, "*", "bin")), key=natural):
            for name in names:
                yield os.path.join(folder, name)


def natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def probe(path: str) -> dict | None:
    """What the candidate says of itself; None if it cannot be started."""
    try:
        run = subprocess.run([path, "-I", "-c", PROBE], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(run.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def find(paths: Iterable[str]) -> list[Interpreter]:
    """The usable interpreters among `paths`, each build once, sorted by version."""
    probed: set[str] = set()
    builds: dict[tuple[str, str], dict] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in probed or not os.access(path, os.X_OK) or is_script(path):
            continue
        probed.add(real)
        facts = probe(path)
        if facts is None or facts["implementation"] != "cpython" or tuple(facts["version"]) < OLDEST:
            continue
        abi = kind(facts["version"], facts["free_threaded"], facts["debug"])
        # python3.14 and python3.14t of one installation are two files and one build.
        if builds.setdefault((facts["prefix"], abi), facts) is facts and not facts["headers"]:
            complain(f"{facts['path']} ({abi}) has no Python.h, left out (its -dev package is missing?)")
    return named(facts for facts in builds.values() if facts["headers"])


def named(usable: Iterable[dict]) -> list[Interpreter]:
    """Give each build its name, the newest of a kind the short one."""
    found: list[Interpreter] = []
    for facts in sorted(usable, key=lambda it: ([-n for n in it["version"]], it["prefix"])):
        version, flags = tuple(facts["version"]), (facts["free_threaded"], facts["debug"])
        short, full = kind(version, *flags), dotted(version) + kind((), *flags)
        taken = {it.name for it in found}
        name = next(n for n in (short, full, *(f"{full}-{i}" for i in range(2, 100))) if n not in taken)
        found.append(Interpreter(name, facts["path"], version, *flags, facts["prefix"], facts["suffix"]))
    return sorted(found, key=lambda it: (it.version[:2], it.free_threaded, it.debug, it.name))


def restrict(found: list[Interpreter], wanted: list[str]) -> list[Interpreter]:
    """Those of `found` that `wanted` names; exits if one of the wishes fits nothing."""
    chosen: list[Interpreter] = []
    for wish in wanted:
        match = [it for it in found if it.name == wish]
        if not match and (path := shutil.which(wish)) is not None:
            facts = probe(path)
            match = [it for it in found if facts and same_build(it, facts)]
        if not match:
            sys.exit(f"pythons: there is no interpreter {wish!r} here; there are {', '.join(it.name for it in found)}")
        chosen += [it for it in match if it not in chosen]
    return chosen


def same_build(interpreter: Interpreter, facts: dict) -> bool:
    abi = kind(facts["version"], facts["free_threaded"], facts["debug"])
    return (interpreter.prefix, interpreter.kind) == (facts["prefix"], abi)


def pythons() -> list[Interpreter]:
    """Every usable CPython, or those that PAIRBOND_PYTHONS asks for."""
    wanted = os.environ.get("PAIRBOND_PYTHONS", "").replace(",", " ").split()
    found = find([*candidates(), *(wish for wish in wanted if os.sep in wish)])
    return restrict(found, wanted) if wanted else found


def is_python3(interpreter: Interpreter) -> bool:
    """Whether `python3` means it to the user. A shim is asked: it is exactly what that starts."""
    facts = probe(python3) if (python3 := shutil.which("python3")) else None
    return facts is not None and same_build(interpreter, facts)


def default(found: list[Interpreter]) -> Interpreter | None:
    """`python3` if it is an ordinary build; else the newest ordinary build; else the newest of any kind."""
    ordinary = [it for it in found if not it.free_threaded and not it.debug]
    for interpreter in filter(is_python3, ordinary):
        return interpreter
    return max(ordinary or found, key=lambda it: it.version, default=None)


def by_path_or_name(wish: str) -> Interpreter:
    """The interpreter that an argument on a command line means."""
    return restrict(find([*candidates(), wish]), [wish])[0]


def built_for(interpreter: Interpreter) -> Interpreter:
    """The interpreter whose extension modules this one imports: the newest of its kind. Patch releases and
    distributions of one version share a binary interface, and users share wheels."""
    kinds = (it for it in find(candidates()) if it.name == interpreter.kind and it.suffix == interpreter.suffix)
    return interpreter if interpreter.name == interpreter.kind else next(kinds, interpreter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", action="store_true", help="print the names only")
    parser.add_argument("--default", action="store_true", help="print one path")
    options = parser.parse_args()
    found = pythons()
    if not found:
        sys.exit("pythons: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev python3-venv)")
    if options.default:
        chosen = default(found)
        print(chosen.path if chosen else "")
    else:
        for interpreter in found:
            print(interpreter.name if options.names else interpreter)


if __name__ == "__main__":
    main()
