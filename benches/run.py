#!/usr/bin/env python3
"""Measures pairbond and its peers beside a hand-written C extension; see benches/README.md.

Sets up `.envs/bench-<interpreter>`, builds what can be built there, measures in fresh processes and prints ratios.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
sys.path.insert(0, str(BENCHES))
from harness import build, cases, counting, report  # noqa: E402

DESCRIBE = """
import json, platform, sys, sysconfig
print(json.dumps({
    "version": list(sys.version_info[:3]), "release": platform.python_version(),
    "include": sysconfig.get_path("include"), "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "debug": bool(sysconfig.get_config_var("Py_DEBUG")),
}))
"""


def describe(python: str) -> dict | None:
    try:
        done = subprocess.run([python, "-c", DESCRIBE], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError):
        return None


def find_python(wanted: str | None) -> tuple[str, dict]:
    """The one asked for; else the one that runs this, if new enough; else the first that can be found."""
    if wanted:
        candidates = [wanted]
    else:
        named = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
        pyenv = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[1-9]*/bin/python")))
        candidates = [sys.executable, *filter(None, named), *pyenv]
    for python in candidates:
        about = describe(python)
        if about and about["version"] >= [3, 11] and Path(about["include"], "Python.h").exists():
            return python, about
    sys.exit(f"no CPython >= 3.11 with headers among: {', '.join(candidates)}")


def set_up(python: str, about: dict) -> build.Env:
    name = ".".join(map(str, about["version"])) + "t" * about["free_threaded"] + "d" * about["debug"]
    root = ROOT / ".envs" / f"bench-{name}"
    executable = root / "venv" / "bin" / "python"
    if describe(str(executable)) is None:
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(root / "venv")], check=True)
    (root / "modules").mkdir(exist_ok=True)
    return build.Env(executable, root, about["include"], about["suffix"], about["free_threaded"], about["version"])


class Runner:
    def __init__(self, env: build.Env):
        self.env = env
        paths = [str(env.modules), str(BENCHES)]
        self.environ = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}

    def worker(self, *arguments: object, what: str) -> dict:
        command = [self.env.python, "-P", BENCHES / "harness/worker.py", *arguments]
        return json.loads(build.run(command, what, env=self.environ))


def prepare(runner: Runner, result: report.Report) -> list[str]:
    """Builds and checks each contender; the ones that cannot take part are named with the reason."""
    failed: dict[object, str] = {}
    for name in result.names:
        builder = build.CONTENDERS[name]
        try:
            if builder in failed:
                raise build.Unavailable(failed[builder])
            print(f"building {name}", flush=True)
            try:
                builder(runner.env)
            except build.Unavailable as reason:
                failed[builder] = str(reason)
                raise
            result.checks[name] = runner.worker("check", name, what=f"checking {name}")
        except build.Unavailable as reason:
            print(f"ABSENT: {name}: {reason}", flush=True)
            result.missing[name] = str(reason)
    if "floor" in result.missing:
        sys.exit("without the floor there are no ratios")
    return [name for name in result.names if name not in result.missing]


def measure(runner: Runner, result: report.Report, names: list[str], args: argparse.Namespace) -> None:
    joined = ",".join(names)
    for i in range(args.processes):
        print(f"timing, process {i + 1} of {args.processes}", flush=True)
        options = ["--rounds", args.rounds, "--pattern", args.cases]
        result.add_times(runner.worker("time", joined, *options, what="timing"))
    if args.cases in "bulk":
        print(f"lists of {args.count} objects", flush=True)
        options = ["--rounds", args.bulk_rounds, "--count", args.count]
        result.add_times(runner.worker("bulk", joined, *options, what="timing lists"))
    if args.cases in "memory":
        print("memory", flush=True)
        for name in names:
            result.memory[name] = {}
            for what in ("memory_native", "memory_pair"):
                found = runner.worker(what, name, "--count", args.count, what=f"weighing {name}")
                result.memory[name].update(found)


def instructions(runner: Runner, names: list[str], args: argparse.Namespace) -> str:
    """The table of what callgrind counts: unlike times, it does not depend on what else the machine does."""
    counts: dict[str, dict[str, float]] = {}
    for name in names:
        print(f"counting instructions, {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            script = [BENCHES / "harness/worker.py", "count", name, "--pattern", args.cases]
            done = counted(runner, counting.command(runner.env.python, folder, *script), name)
        if done:
            counts[name] = json.loads(done)
    lines = ["| | " + " | ".join(counts) + " |", "|---|" + "---:|" * len(counts)]
    for case in cases.CASES:
        row = [f"{counts[name][case.key]:,.0f}" if case.key in counts[name] else "–" for name in counts]
        if set(row) != {"–"}:
            lines.append(f"| {case.title} | " + " | ".join(row) + " |")
    text = "Instructions of each statement (callgrind), the loop around it included.\n\n" + "\n".join(lines)
    for script, what in (
        ("containers", "of containers and arrays, for each element where it is iteration"),
        ("defined", "of types defined in Python"),
    ):
        if args.cases in script and "pairbond" in names:
            print(f"counting instructions, {script}", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                command = counting.command(runner.env.python, folder, BENCHES / f"{script}.py")
                text += f"\n\nThe same {what}.\n\n{counted(runner, command, script)}"
    return text


def counted(runner: Runner, command: list, what: str) -> str:
    """What a process prints that callgrind runs."""
    # How names are hashed changes how long dictionaries are searched.
    environ = runner.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    if done.returncode:
        print(f"ABSENT: {what}: {done.stderr[-2000:]}", flush=True)
        return ""
    return done.stdout


def containers(runner: Runner, args: argparse.Namespace) -> str:
    """The table of containers and arrays, whose floor is CPython's own."""
    print("containers", flush=True)
    try:
        build.pip(runner.env, "numpy")
    except build.Unavailable as reason:
        print(f"ABSENT: numpy: {reason}", flush=True)
    command = [runner.env.python, BENCHES / "containers.py", "--rounds", args.rounds]
    done = build.run(command, "timing containers", env=runner.environ)
    what = "nanoseconds less the loop's, ratios, [ratios with the loop]"
    return f"Containers and arrays beside CPython's own and numpy's: {what}.\n\n{done}"


def defined(runner: Runner, args: argparse.Namespace) -> str:
    """The table of types that are defined in Python."""
    print("types defined in Python", flush=True)
    command = [runner.env.python, BENCHES / "defined.py", "--rounds", args.rounds]
    done = build.run(command, "timing types defined in Python", env=runner.environ)
    return f"Types defined in Python beside dataclasses: nanoseconds, and ratios to those with slots.\n\n{done}"


def overrides(runner: Runner, args: argparse.Namespace) -> str:
    """The table of methods that Python classes may override."""
    print("overrides", flush=True)
    command = [runner.env.python, BENCHES / "overrides.py", "--rounds", args.rounds]
    done = build.run(command, "timing overrides", env=runner.environ)
    return f"A method that Python classes may override, called from Rust.\n\n{done}"


def collections(runner: Runner, args: argparse.Namespace) -> str:
    """The table of full collections, beside as many plain C objects with the same edges."""
    print("collections", flush=True)
    options = ["--objects", args.count, "--rounds", args.rounds, "--markdown"]
    command = [runner.env.python, BENCHES / "collect.py", *options]
    done = build.run(command, "timing collections", env=runner.environ)
    what = f"A full collection of {args.count:,} objects, all alive and wrapped"
    return f"{what}, beside one of plain C objects with the same edges.\n\n{done}"


def serial(runner: Runner, args: argparse.Namespace) -> str:
    """The table of copying, pickling and writing graphs."""
    print("serial", flush=True)
    command = [runner.env.python, BENCHES / "serial.py", "--rounds", args.bulk_rounds]
    done = build.run([*command, "--nodes", args.count // 10], "timing graphs", env=runner.environ)
    return f"Graphs of {args.count // 10:,} objects, copied, pickled and written: milliseconds.\n\n{done}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", help="interpreter to measure on (default: this one, if 3.11 or newer)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables in this Markdown file too")
    parser.add_argument("--only", default="", help="contenders, separated by commas (the floor always takes part)")
    parser.add_argument("--cases", default="", help="only cases whose key contains this")
    parser.add_argument("--processes", type=int, default=5, help="fresh processes to spread the rounds over")
    parser.add_argument("--rounds", type=int, default=11, help="rounds per process")
    parser.add_argument("--bulk-rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1_000_000, help="objects in the list and memory cases")
    parser.add_argument("--instructions", action="store_true", help="count instructions with callgrind, and no times")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, to see that everything runs")
    args = parser.parse_args()
    if args.quick:
        args.processes, args.rounds, args.bulk_rounds, args.count = 1, 5, 2, 100_000
    names = [n for n in build.CONTENDERS if n == "floor" or not args.only or n in args.only.split(",")]
    if unknown := set(filter(None, args.only.split(","))) - set(build.CONTENDERS):
        parser.error(f"no such contender: {', '.join(unknown)}; there are {', '.join(build.CONTENDERS)}")

    python, about = find_python(args.python)
    runner = Runner(set_up(python, about))
    interpreter = f"CPython {about['release']}" + " free-threaded" * about["free_threaded"] + " debug" * about["debug"]
    settings = f"{args.processes} processes × {args.rounds} rounds, lists of {args.count:,} objects"
    settings += "; the collector is on where a row does not say otherwise"
    result = report.Report(names, interpreter, settings)
    present = prepare(runner, result)
    if args.instructions:
        text = f"## Instructions, {interpreter}\n\n{instructions(runner, present, args)}"
        print(f"\n{text}")
        if args.write:
            report.write_section(args.write, f"instructions-{interpreter.replace(' ', '-')}", text)
        return
    measure(runner, result, present, args)
    text = result.markdown()
    if args.cases in "containers":
        text += "\n\n" + containers(runner, args)
    if args.cases in "defined":
        text += "\n\n" + defined(runner, args)
    if args.cases in "overrides" and "pairbond" in present:
        text += "\n\n" + overrides(runner, args)
    if args.cases in "collections" and "pairbond" in present:
        text += "\n\n" + collections(runner, args)
    if args.cases in "serial":
        text += "\n\n" + serial(runner, args)
    print(f"\n{text}")
    if args.write:
        report.write_section(args.write, interpreter.replace(" ", "-"), text)
        print(f"\nwritten to {args.write}")


if __name__ == "__main__":
    main()
