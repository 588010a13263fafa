#!/usr/bin/env python3
"""Measures pairbond_ir beside MLIR's own bindings (jaxlib's) and xDSL, both from PyPI; see benches/README.md.

    python benches/ir.py [--python PYTHON] [--write docs/benchmarks.md]

Uses the environment of `run.py`, installs the peers there, builds pairbond_ir for release and prints a table per peer
and size. Each peer has a process with pairbond_ir alone: the garbage of a third one would be in the caches of both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
sys.path.insert(0, str(BENCHES))
from harness import build, report  # noqa: E402
from harness.ir_cases import TITLES  # noqa: E402
from run import find_python, set_up  # noqa: E402

PEERS = {"jaxlib": "jaxlib", "xDSL": "xdsl"}
# The rows of which instructions are counted.
COUNTED = (
    "create",
    "create, unknown dialect",
    "create, own attribute",
    "create by class",
    "parse",
    "parse, unknown dialect",
    "parse, own attributes",
    "clone",
    "verify",
    "replace",
    "drop",
    "drop, touched",
    "cse",
    "canonicalise",
    "canonicalise, small",
)


def install(env: build.Env) -> list[str]:
    """The peers that can be had."""
    present = []
    for name, requirement in PEERS.items():
        try:
            build.pip(env, requirement)
            present.append(name)
        except build.Unavailable as reason:
            print(f"ABSENT: {name}: {reason}", flush=True)
    return present


def site(python: str) -> Path:
    """Where pairbond_ir is, built for release."""
    command = [sys.executable, ROOT / "scripts/build_ext.py", "--release", python, "pairbond-native", "pairbond-ir"]
    return Path(build.run(command, "building pairbond_ir").strip().splitlines()[-1])


def worker(env: build.Env, path: Path, *arguments: object) -> dict:
    environ = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [env.python, BENCHES / "harness/ir_cases.py", *arguments]
    return json.loads(build.run(command, f"ir_cases {arguments[0]}", env=environ))


def spent(nanoseconds: float) -> str:
    return f"{nanoseconds:.0f} ns" if nanoseconds < 10_000 else f"{nanoseconds / 1000:,.0f} µs"


def cell(times: dict[str, list[float]], name: str) -> str:
    """How many times longer than with pairbond_ir, the median of rounds."""
    if name not in times:
        return "–"
    median = statistics.median(times[name])
    if name == "pairbond_ir" or "pairbond_ir" not in times:
        return spent(median)
    ratio = statistics.median(a / b for a, b in zip(times[name], times["pairbond_ir"], strict=True))
    return f"**{ratio:,.{1 if ratio < 100 else 0}f}** ({spent(median)})"


def table(names: list[str], found: dict, weights: dict[str, dict[str, float]]) -> str:
    heads = [f"{name} {found['versions'][name]}".strip() for name in names]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(names)]
    for key, title in TITLES.items():
        if times := found["times"].get(key):
            lines.append(f"| {title} | " + " | ".join(cell(times, name) for name in names) + " |")
    for key, title in (("alone", "bytes per operation"), ("handle", "bytes per handle to one")):
        if weights:
            cells = (f"{weights[name][key]:.0f}" for name in names)
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measured(names: list[str], operations: int, args: argparse.Namespace, worker: Callable[..., dict]) -> str:
    options = ["--operations", operations, "--rounds", args.rounds, "--cases", args.cases]
    found = worker("time", ",".join(names), *options)
    weigh = not args.cases and operations == max(args.operations)
    weights = {name: worker("weigh", name, "--operations", operations) for name in names if weigh}
    return f"{operations:,} operations, beside {names[1]}\n\n{table(names, found, weights)}"


def scale(worker: Callable[..., dict]) -> str:
    """How long passes over one function take, by its size, its depth and its blocks."""
    lines = ["| one function | | verify | cse | canonicalise |", "|---|---:|---:|---:|---:|"]
    for shape, size, times in worker("scale", "pairbond_ir"):
        lines.append(f"| {shape} | {size:,} | " + " | ".join(spent(it) for it in times.values()) + " |")
    return "Per operation, by what a single function has\n\n" + "\n".join(lines)


def instructions(env: build.Env, path: Path, operations: int = 10_000) -> str:
    """What callgrind counts for the rows that are compared: it does not depend on what else the machine does."""
    environ = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null", env.python]
    command += [BENCHES / "harness/ir_cases.py", "count"]
    lines = ["| | pairbond_ir | jaxlib |", "|---|---:|---:|"]
    for key in COUNTED:
        counts = []
        for name in ("pairbond_ir", "jaxlib"):
            options = [name, "--operations", str(operations), "--cases", key]
            done = subprocess.run([*command, *options], capture_output=True, text=True, env=environ, check=True)
            found = re.search(r"Collected : (\d+)", done.stderr)
            counts.append(int(found[1]) / operations if found else 0)
        own, theirs = counts
        lines.append(f"| {TITLES[key]} | {own:,.0f} | **{theirs / own:.1f}** ({theirs:,.0f}) |")
        print(lines[-1], flush=True)
    return f"Instructions per operation, of {operations:,}\n\n" + "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="interpreter to measure on (default: this one, if 3.11 or newer)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables in this Markdown file too")
    parser.add_argument("--only", default="", help="peers, separated by commas")
    parser.add_argument("--cases", default="", help="only rows whose key contains this")
    parser.add_argument("--operations", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--created", type=int, nargs="*", default=[1_000_000], help="sizes at which only creating is timed"
    )
    parser.add_argument("--instructions", action="store_true", help="count instructions, too, with callgrind")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    python, about = find_python(args.python)
    env = set_up(python, about)
    path = site(python)
    names = ["pairbond_ir", *(name for name in install(env) if not args.only or name in args.only.split(","))]
    parts = []
    for peer in names[1:]:
        for operations in args.operations:
            parts.append(measured([names[0], peer], operations, args, lambda *it: worker(env, path, *it)))
            print(f"\n{parts[-1]}", flush=True)
        if peer == "jaxlib" and not args.cases:
            creating = argparse.Namespace(**{**vars(args), "cases": "create", "rounds": min(args.rounds, 3)})
            for operations in args.created:
                parts.append(measured([names[0], peer], operations, creating, lambda *it: worker(env, path, *it)))
                print(f"\n{parts[-1]}", flush=True)
    if not args.cases:
        parts.append(scale(lambda *it: worker(env, path, *it)))
        print(f"\n{parts[-1]}", flush=True)
    if args.instructions:
        parts.append(instructions(env, path))
    if args.write:
        interpreter = f"CPython {about['release']}" + " free-threaded" * about["free_threaded"]
        what = (
            f"Processor time per operation, Python's collector on, medians of {args.rounds} rounds in turn; **bold** "
            "how many times longer. "
            "Memory is what is in use, without what allocators and collectors keep for later."
        )
        text = f"## pairbond_ir, {interpreter}\n\n{what}\n\n" + "\n\n".join(parts)
        report.write_section(args.write, f"ir-{interpreter.replace(' ', '-')}", text)


if __name__ == "__main__":
    main()
