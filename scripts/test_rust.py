#!/usr/bin/env python3
"""Run the Rust tests of the workspace, those of documentation excepted: with cargo-nextest, or with cargo test.

    test_rust.py [--keep | --large] [CARGO ARGUMENT...]

With nextest, the tests that take many seconds are left out: --large runs these, and no others. --keep leaves out crates
whose results hold (kept.py), and says how many tests these have. Without cargo-nextest everything runs, and nothing
with --large. Ends as cargo does.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import build_ext
import kept
from build_ext import CARGO, ROOT

#: .config/nextest.toml says so.
REPORT = ROOT / "target" / "nextest" / "default" / "junit.xml"


def has_nextest() -> bool:
    return shutil.which("cargo-nextest") is not None


def runner() -> list[str]:
    """The command that runs Rust tests, doc tests excepted."""
    if has_nextest():
        return [CARGO, "nextest", "run", "--no-fail-fast"]
    print("cargo-nextest is not installed: the Rust tests run with cargo test, which does not stop a test that hangs")
    return [CARGO, "test", "--no-fail-fast", "--lib", "--bins", "--tests"]


def begin_libraries(arguments: list[str]) -> None:
    """A test builds a library by itself: with what is compiled for the tests as its beginning."""
    chosen = any(it == "--" or it.startswith("--filterset") for it in arguments)
    if chosen or (build_ext.LIBRARIES / "debug").exists():
        return
    if subprocess.run([CARGO, "test", "--no-run", *arguments], cwd=ROOT).returncode == 0:
        build_ext.copy_build(build_ext.LIBRARIES, "debug", [[build_ext.TARGET]])


def passed_by_crate(report: Path) -> tuple[Counter[str], set[str]]:
    """How many tests of each crate passed, and the crates in which one failed."""
    passed, failed = Counter(), set()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        # `pairbond-core`, or `pairbond-core::loom` of an integration test.
        crate = suite.get("name", "").split("::")[0]
        for case in suite.iter("testcase"):
            if {child.tag for child in case} & {"failure", "error"}:
                failed.add(crate)
            elif case.find("skipped") is None:
                passed[crate] += 1
    return passed, failed


def kept_crates(checkout: kept.Checkout, results: kept.Results, arguments: list[str]) -> tuple[dict[str, str], int]:
    """The digests of the crates that have to run, and how many tests of the others passed."""
    digests = {name: checkout.of_crate(name, *arguments) for name in checkout.crates}
    counts = {name: results.kept(name, digest) for name, digest in digests.items()}
    rest = {name: digests[name] for name, count in counts.items() if count is None}
    return rest, sum(count or 0 for count in counts.values())


def large_tests() -> str:
    """The filter of the tests that are left out: what the default filter takes no account of."""
    profiles = tomllib.loads((ROOT / ".config" / "nextest.toml").read_text())["profile"]
    return profiles["default"]["default-filter"].removeprefix("not ")


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--large"]:
        if not has_nextest():
            return print("cargo-nextest is not installed: none was left out")
        chosen = ["--ignore-default-filter", f"--filterset={large_tests()}"]
        sys.exit(subprocess.run([*runner(), *arguments[1:], *chosen], cwd=ROOT).returncode)
    checkout = kept.checkout() if arguments[:1] == ["--keep"] and has_nextest() else None
    arguments = [it for it in arguments if it != "--keep"]
    begin_libraries(arguments)
    if checkout is None:
        sys.exit(subprocess.run([*runner(), *arguments], cwd=ROOT).returncode)
    results = kept.Results.of("rust")
    digests, before = kept_crates(checkout, results, arguments)
    print(kept.line(before), flush=True)
    if not digests:
        return
    crates = " + ".join(f"package(={name})" for name in digests)
    REPORT.unlink(missing_ok=True)
    command = [*runner(), *arguments, f"--filterset={crates}", "--no-tests=pass"]
    status = subprocess.run(command, cwd=ROOT).returncode
    if REPORT.exists():  # it has compiled
        passed, failed = passed_by_crate(REPORT)
        for name in digests.keys() - failed:
            results.keep(name, digests[name], passed[name])
        results.write()
    sys.exit(status)


if __name__ == "__main__":
    main()
