#!/usr/bin/env python3
"""Counts the instructions of native operations exactly, with callgrind, and compares them with `std::sync::Arc`.

Counts do not depend on the load of the machine, only on compiler, allocator and processor family: unlike times, a
difference of one is real.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCHES))
from harness.report import write_section  # noqa: E402

CRATE = BENCHES / "peers/native_costs"
TARGET = BENCHES.parent / ".envs/native_costs"
# Far enough apart that the count per operation is exact to three digits; both small, as valgrind is fifty times slower.
FEW, MANY = 1_000, 101_000
BASELINE = "arc"
EMPTY = "empty.call"


def build() -> Path:
    environ = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=CRATE, env=environ, check=True)
    return TARGET / "release/native_costs"


def instructions(binary: Path, operation: str, count: int) -> int:
    with tempfile.TemporaryDirectory() as directory:
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={directory}/out",
            binary,
            operation,
            str(count),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            sys.exit(f"callgrind failed on {operation}:\n{done.stderr}")
        return int(found[1])


def per_operation(binary: Path, operation: str) -> float:
    return (instructions(binary, operation, MANY) - instructions(binary, operation, FEW)) / (MANY - FEW)


def table(counts: dict[str, float]) -> list[str]:
    lines = ["| operation | who | instructions | ÷ Arc |", "|---|---|---|---|"]
    for name, count in counts.items():
        who, operation = name.split(".", 1)
        baseline = counts.get(f"{BASELINE}.{operation}")
        ratio = f"**{count / baseline:.3f}**" if baseline else "–"
        lines.append(f"| {operation} | {who} | {count:.1f} | {ratio} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the table in this Markdown file too")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("NOT MEASURED: valgrind is absent; on Debian: apt-get install valgrind")
    binary = build()
    names = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split()
    raw = {name: per_operation(binary, name) for name in names}
    empty = raw.pop(EMPTY)
    counts = {name: count - empty for name, count in raw.items()}
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    missing = (
        []
        if any(name.startswith("pairbond.") for name in names)
        else ["**pairbond is absent**: no `Ref` to count yet."]
    )
    text = "\n".join(
        [
            "## Native operations",
            "",
            f"Instructions per operation (callgrind, rustc {compiler}, system allocator); "
            f"call and loop ({empty:.0f}) taken off.",
            "A payload is 16 bytes.",
            "",
            *table(counts),
            "",
            *missing,
        ]
    )
    print(text)
    if args.write:
        write_section(args.write, "native", text)


if __name__ == "__main__":
    main()
