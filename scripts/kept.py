"""Results of tests that hold: nothing that the tests depend on has changed since they passed, so they need not run.

A result is kept in target/kept under a name, with a digest of the files of the checkout that it depends on, committed
or not, of the versions of the tools, and of the environment. Dependencies are chosen by rules that take in too much
rather than too little: a crate stands for its folder and those of the crates that it is made of; a file of Python
tests, for itself, the helpers that it names, the crates whose modules these name, and test files that it names. Files
that belong to no crate count for all, except prose and benchmarks.

Only what passed is kept, and only where git lists the files. `make test ARGS=--again` runs everything; so does
`.ci/run`, since nothing is kept in a fresh clone. The table of a run says how many results were kept.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import build_ext
from build_ext import ROOT

#: Folders that no test reads; and what only those read that name it.
UNREAD = ("benches", "fuzz", ".github", ".ci")
PROSE = ".md"


@dataclass(frozen=True)
class Crate:
    """A crate of the workspace: its folder, the crates of the workspace that it depends on, what Python calls it."""

    folder: str
    depends: tuple[str, ...]
    module: str | None

    def holds(self, file: str) -> bool:
        return file.startswith(f"{self.folder}/")


@dataclass
class Checkout:
    """The files of the checkout with their digests, and its crates."""

    files: dict[str, str]
    crates: dict[str, Crate]
    #: What all results depend on besides.
    tools: str = ""
    _words: dict[str, frozenset[str]] = field(default_factory=dict)

    def made_of(self, crates: Iterable[str]) -> set[str]:
        """The crates, and those that they depend on."""
        found: set[str] = set()
        waiting = [*crates]
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting += self.crates[name].depends
        return found

    @functools.cached_property
    def owners(self) -> dict[str, str | None]:
        """The crate in whose folder a file lies, if any."""
        return {file: next((name for name, it in self.crates.items() if it.holds(file)), None) for file in self.files}

    def digest(self, chosen: Callable[[str], bool], *more: object) -> str:
        """Of the chosen files, and of what else there is to say."""
        lines = [f"{file} {digest}" for file, digest in sorted(self.files.items()) if chosen(file)]
        return hashlib.blake2b("\n".join([self.tools, *map(str, more), *lines]).encode()).hexdigest()

    def of_crate(self, name: str, *more: object) -> str:
        """What the Rust tests of a crate depend on."""
        made_of = self.made_of([name])

        def is_read(file: str) -> bool:
            if is_unread(file) or PurePosixPath(file).suffix in (".py", ".pyi", PROSE):
                return False
            return self.owners[file] in (None, *made_of)

        return self.digest(is_read, *more)

    def of_tests(self, test: str, *more: object) -> str:
        """What a file of Python tests depends on."""
        helpers = self.helpers(test)
        used = self.named_from(test, helpers)
        words = self.words(test).union(*map(self.words, used))
        # What reads pages runs their examples, which may use anything.
        prose = bool({"docs", "md", "README"} & words)
        named = [name for name, it in self.crates.items() if prose or it.module in words or it.holds(test)]
        made_of = self.made_of([*named, "pairbond-native"])

        def is_read(file: str) -> bool:
            if is_unread(file):
                return False
            if file.endswith(PROSE):
                return prose
            if is_test(file):
                return file == test or PurePosixPath(file).stem in self.words(test)
            return file in used or (file not in helpers and self.owners[file] in (None, *made_of))

        return self.digest(is_read, *more)

    def helpers(self, test: str) -> set[str]:
        """Files beside a test, and those that all tests share, that are no tests."""
        folders = (str(PurePosixPath(test).parent), "tests/python")
        return {file for file in self.files if any(is_helper(file, folder) for folder in folders)}

    def named_from(self, test: str, helpers: set[str]) -> set[str]:
        """Those of the helpers that a test names, or that one of these does; and what pytest reads by itself."""
        found = {file for file in helpers if PurePosixPath(file).name == "conftest.py"}
        waiting = [test, *found]
        while waiting:
            words = self.words(waiting.pop())
            named = {file for file in helpers - found if PurePosixPath(file).stem in words}
            found |= named
            waiting += named
        return found

    def words(self, file: str) -> frozenset[str]:
        if file not in self._words:
            text = (ROOT / file).read_text(errors="replace") if file.endswith(".py") else ""
            words = re.findall(r"\w+", text)
            # Names of test files that are put together, f"test_{name}.py".
            together = [f"test_{word}" for word in words] if "test_{" in text else []
            self._words[file] = frozenset([*words, *together])
        return self._words[file]


def is_unread(file: str) -> bool:
    return file.startswith(tuple(f"{folder}/" for folder in UNREAD))


def is_test(file: str) -> bool:
    return PurePosixPath(file).match("test_*.py")


def is_helper(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}/") and file.endswith(".py") and not is_test(file)


@functools.cache
def checkout() -> Checkout | None:
    """This one; None where git does not list its files."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        return None
    paths = [file for file in dict.fromkeys(listed.stdout.split("\0")) if (ROOT / file).is_file()]
    files = {file: hashlib.blake2b((ROOT / file).read_bytes()).hexdigest() for file in paths}
    return Checkout(files, crates(), tools())


def crates() -> dict[str, Crate]:
    packages = build_ext.packages()
    names = {package["name"] for package in packages}
    return {package["name"]: crate(package, names) for package in packages}


def crate(package: dict, names: set[str]) -> Crate:
    folder = Path(package["manifest_path"]).parent.relative_to(ROOT).as_posix()
    depends = {it["name"] for it in package["dependencies"]} & names
    table = build_ext.metadata(package)
    module = table["module"].split(".")[0] if "module" in table else Path(table.get("library", "")).stem or None
    return Crate(folder, tuple(sorted(depends)), module)


def tools() -> str:
    """The compiler, and what of the environment changes how tests are built and run."""
    version = subprocess.run([os.environ.get("RUSTC", "rustc"), "-vV"], cwd=ROOT, capture_output=True, text=True).stdout
    chosen = ("PAIRBOND_", "CARGO_PROFILE", "RUSTFLAGS", "PYO3_", "PYTEST_", "LOOM_")
    environment = [f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith(chosen)]
    return "\n".join([version, *environment])


def line(count: int) -> str:
    """What a test run says of results that hold; parts.py reads it."""
    return f"kept: {count} tests passed before, and nothing that they depend on has changed"


@dataclass
class Results:
    """The results of a part, by name: the digest, and how many tests passed."""

    path: Path
    known: dict[str, tuple[str, int]]

    @classmethod
    def of(cls, part: str) -> Results:
        path = ROOT / "target" / "kept" / f"{part}.json"
        try:
            return cls(path, {name: (digest, count) for name, (digest, count) in json.loads(path.read_text()).items()})
        except (OSError, ValueError):
            return cls(path, {})

    def kept(self, name: str, digest: str) -> int | None:
        """How many tests passed, if that still holds."""
        before, passed = self.known.get(name, ("", 0))
        return passed if before == digest else None

    def keep(self, name: str, digest: str, passed: int) -> None:
        self.known[name] = (digest, passed)

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(self.known, indent=1))
        beside.replace(self.path)
