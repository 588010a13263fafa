#!/usr/bin/env python3
"""Counts the instructions of the rows of `run.py` exactly, with callgrind, the loop around each statement included.

    python benches/instructions.py --python python3.11 [--only pairbond,pairbond_cpp] [--cases call3]

Builds what `run.py` builds, in the same environment. Counts do not depend on the load of the machine.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCHES))
from harness import build, cases  # noqa: E402
from harness.report import write_section  # noqa: E402

# The difference of two runs leaves out the start of the interpreter, and the first, slower calls.
FEW, MANY = 1_000, 6_000
NAMES = "pairbond,pairbond_cpp,nanobind_shared,nanobind_intrusive"


def loop(contender: str, key: str, count: int) -> None:
    """Runs one statement so many times: what callgrind sees."""
    module = importlib.import_module(f"contenders.{contender}_peer")
    if not hasattr(module, "node_with_fixed"):
        module.node_with_fixed = lambda node: module.Node(1, 2.0, fixed=node)
    case = next(it for it in cases.CASES if it.key == key)
    text = f"for _ in repeat(None, {count}):\n" + "".join(f"  {line}\n" for line in case.statement.splitlines())
    program = f"from itertools import repeat\ndef run(C):\n{indent(case.setup)}\n{indent(text)}"
    names: dict = {}
    exec(program, names)
    names["run"](module)


def indent(text: str) -> str:
    return "".join(f" {line}\n" for line in text.splitlines())


def present(python: Path, environ: dict[str, str], contender: str, attribute: str | None) -> bool:
    if attribute is None:
        return True
    program = f"import importlib; importlib.import_module('contenders.{contender}_peer').{attribute}"
    return subprocess.run([python, "-c", program], env=environ, capture_output=True).returncode == 0


def instructions(python: Path, environ: dict[str, str], contender: str, key: str, count: int, keep: Path | None) -> int:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={keep or os.devnull}"]
    command += ["--dump-instr=yes"] if keep else []
    command += [str(python), __file__, "--loop", contender, key, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"callgrind failed on {contender}, {key}:\n{done.stderr[-2000:]}")
    return int(found[1])


def main() -> None:
    if sys.argv[1:2] == ["--loop"]:
        return loop(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", help="interpreter to count on")
    parser.add_argument("--only", default=NAMES, help="contenders, separated by commas")
    parser.add_argument("--cases", default="", help="only cases whose key contains one of these, separated by commas")
    parser.add_argument("--built", action="store_true", help="count what was built before")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep callgrind's files, for callgrind_annotate")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the table in this Markdown file too")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("NOT MEASURED: valgrind is absent; on Debian: apt-get install valgrind")
    import run  # of this folder

    interpreter, about = run.find_python(args.python)
    env = run.set_up(interpreter, about)
    names = args.only.split(",")
    for name in names if not args.built else []:
        build.CONTENDERS[name](env)
    # Hashes decide which places of dictionaries collide.
    environ = {**run.Runner(env).environ, "PYTHONHASHSEED": "0"}
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    print("\n".join(lines), flush=True)
    for case in cases.CASES:
        if not any(word in case.key for word in args.cases.split(",")):
            continue
        cells = []
        for name in names:
            if not present(env.python, environ, name, cases.NEEDS.get(case.key)):
                cells.append("–")
                continue
            keep = args.keep / f"{name}.{case.key}" if args.keep else None
            few = instructions(env.python, environ, name, case.key, FEW, None)
            many = instructions(env.python, environ, name, case.key, MANY, keep)
            cells.append(f"{(many - few) / (MANY - FEW):.0f}")
        lines.append(f"| {case.title} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if args.write:
        title = f"## C++ by instructions, CPython {about['release']}"
        what = "Instructions for each statement (callgrind), with the loop around it: extension modules of pairbond in"
        what += " Rust and in C++, and of nanobind."
        write_section(args.write, "instructions", "\n".join([title, "", what, "", *lines]))


if __name__ == "__main__":
    main()
