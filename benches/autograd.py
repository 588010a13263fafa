#!/usr/bin/env python3
"""Measures pairbond_autograd beside torch from PyPI, one thread each or --threads N; see benches/README.md.

    python benches/autograd.py [--python PYTHON] [--write docs/benchmarks.md]
    python benches/autograd.py --threads 2 --cases matmul

Uses the environment of `run.py`, installs torch there, builds pairbond_autograd for release and prints a table. pip's
own variables (PIP_EXTRA_INDEX_URL) can name where wheels for the CPU alone are, which are a tenth of the size.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
sys.path.insert(0, str(BENCHES))
from harness import build, report  # noqa: E402
from harness.autograd_cases import TITLES  # noqa: E402
from ir import spent  # noqa: E402
from run import find_python, set_up  # noqa: E402

OURS = "pairbond_autograd"


def worker(env: build.Env, site: Path, threads: int, *arguments: object) -> Any:
    environ = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": str(threads)}
    command = [env.python, BENCHES / "harness/autograd_cases.py", *arguments, "--threads", threads]
    return json.loads(build.run(command, f"autograd_cases {arguments[0]}", env=environ))


def table(names: list[str], found: dict[str, Any], weights: dict[str, float]) -> str:
    heads = [f"{name} {found['versions'][name]}".strip() for name in names]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(names)]
    for key, title in TITLES.items():
        if times := found["times"].get(key):
            cells = [spent(statistics.median(times[OURS]))]
            for name in names[1:]:
                ratio = statistics.median(a / b for a, b in zip(times[name], times[OURS], strict=True))
                cells.append(f"**{ratio:.1f}** ({spent(statistics.median(times[name]))})")
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    if weights:
        cells = [f"{weights[OURS]:.0f}"]
        cells += [f"**{weights[name] / weights[OURS]:.1f}** ({weights[name]:.0f})" for name in names[1:]]
        lines.append("| bytes per node of a graph | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="interpreter to measure on (default: this one, if 3.11 or newer)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the table in this Markdown file too")
    parser.add_argument("--cases", default="", help="only rows whose key contains this")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1, help="of both; with several the time is the clock's")
    args = parser.parse_args()
    python, about = find_python(args.python)
    env = set_up(python, about)
    command = [
        sys.executable,
        ROOT / "scripts/build_ext.py",
        "--release",
        python,
        "pairbond-native",
        "pairbond-autograd",
    ]
    site = Path(build.run(command, "building pairbond_autograd").strip().splitlines()[-1])
    names = [OURS]
    try:
        build.pip(env, "numpy")
        build.pip(env, "torch")
        names.append("torch")
    except build.Unavailable as reason:
        print(f"ABSENT: torch: {reason}", flush=True)
    found = worker(env, site, args.threads, "time", ",".join(names), "--rounds", args.rounds, "--cases", args.cases)
    weights = {} if args.cases else {name: worker(env, site, args.threads, "weigh", name) for name in names}
    text = table(names, found, weights)
    print(text, flush=True)
    if args.write:
        interpreter = f"CPython {about['release']}" + " free-threaded" * about["free_threaded"]
        many = f", {args.threads} threads" if args.threads > 1 else ""
        how = f"{'Time by the clock' if many else 'Processor time'}, medians of {args.rounds} rounds in turn"
        what = f"{how}{many or ', one thread'}; **bold** how many times longer."
        section = f"## pairbond_autograd, {interpreter}{many}\n\n{what}\n\n{text}"
        report.write_section(args.write, f"autograd-{(interpreter + many).replace(',', '').replace(' ', '-')}", section)


if __name__ == "__main__":
    main()
