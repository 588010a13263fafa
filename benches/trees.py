#!/usr/bin/env python3
"""Measures the examples `dom` and `lockgraph` beside the same with PyO3, lxml and BeautifulSoup; see benches/README.md.

    python benches/trees.py [--python PYTHON] [--write docs/benchmarks.md]

Uses the environment of `run.py`, installs lxml and BeautifulSoup there, builds the rest for release, and prints two
tables; `--write` puts the second into docs/explanation/from-pyo3.md, too. Each contender has a process of its own in
each round, in turn; a cell is the median of rounds and how many times pairbond's it is. Times are processor time, with
the collector on.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import Any

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
sys.path.insert(0, str(BENCHES))
from harness.memory import resident  # noqa: E402

#: The name of each contender, and the sources in which its lines are counted.
DOM = {
    "pairbond": ("pairbond", ["examples/dom/src"]),
    "held": ("PyO3, `Py<Node>`", ["benches/peers/pyo3_trees/src/held.rs"]),
    "arena": ("PyO3, arena", ["benches/peers/pyo3_trees/src/arena.rs"]),
    "lxml": ("lxml", []),
    "bs4": ("BeautifulSoup", []),
}
LOCK = {
    "pairbond": ("pairbond", [f"examples/lockgraph/src/{name}.rs" for name in ("lib", "lock", "package", "reader")]),
    "held": ("PyO3, `Py<Package>`", ["benches/peers/pyo3_trees/src/lockgraph.rs"]),
}
ROWS = {
    "parse": "parse",
    "first": "first walk",
    "beside": "first walk, beside a million other Python objects",
    "later": "later walks",
    "attribute": "an attribute, for each",
    "href": "the same, each with a value of its own",
    "parsed": "memory after parsing",
    "walked": "memory after walking",
    "left": "memory left when it is dropped",
    "lines": "lines of Rust",
    "compile": "compiling the crate",
    "identity": "a node is the same object while it is held",
    "notes": "attributes stay",
    "weak": "weak references",
    "cycles": "cycles are collected",
    "erased": "an erased node says so",
}


def page(sections: int) -> str:
    """A document of ten elements a section."""
    section = (
        '<div class=c id=d{i}><p class=x>text <a href="/{i}">link</a> and <b>bold</b></p>'
        "<ul><li>1<li>2<li>3<li>4<li>5</ul></div>\n"
    )
    return "<!doctype html><title>Page</title><body>" + "".join(section.format(i=i) for i in range(sections))


def lock(packages: int) -> str:
    """A lock file of which each package depends on five."""
    parts = ["version = 4\n"]
    for i in range(packages):
        names = "".join(f' "p{(i * 7 + j * 13) % packages}",\n' for j in range(1, 6))
        parts.append(f'[[package]]\nname = "p{i}"\nversion = "1.0.0"\ndependencies = [\n{names}]\n')
    return "".join(parts)


class Contender:
    """A library of documents: how one parses, walks and reads an attribute."""

    def __init__(self, name: str) -> None:
        self.name = name
        modules = {"pairbond": "dom", "held": "pyo3_trees", "arena": "pyo3_trees", "lxml": "lxml.html"}
        module: Any = importlib.import_module(modules.get(name, name))
        self.parse: Callable[[str], Any]
        if name == "lxml":
            self.parse = module.document_fromstring
        elif name == "bs4":
            self.parse = lambda text: module.BeautifulSoup(text, "lxml")
        else:
            self.parse = (module if name == "pairbond" else getattr(module, name)).parse

    def walk(self, document: Any) -> int:
        """Goes through all nodes and looks at each one's name."""
        if self.name == "lxml":
            return sum(1 for node in document.iter() if node.tag)
        if self.name == "bs4":
            return sum(1 for node in document.descendants if node.name != "#")
        return sum(1 for node in document.descendants() if node.name)

    def nodes(self, document: Any) -> list[Any]:
        """Those whose attribute is read."""
        return self.named(document, "p")

    def named(self, document: Any, name: str) -> list[Any]:
        if self.name == "lxml":
            return [node for node in document.iter() if node.tag == name]
        if self.name == "bs4":
            return list(document.find_all(name))
        return [node for node in document.descendants() if node.name == name]

    def says_that_it_was_erased(self, node: Any) -> bool:
        """Removes a node for good: whether it says so, or raises when it is used."""
        if self.name == "pairbond":
            import pairbond

            node.decompose()
            return pairbond.is_erased(node)
        if self.name == "bs4":
            node.decompose()
            return bool(node.decomposed)
        (node.drop_tree if self.name == "lxml" else node.extract)()
        try:
            _ = node.tag if self.name == "lxml" else node.name
        except Exception:
            return True
        return False

    def attribute(self, nodes: Iterable[Any], name: str = "class") -> None:
        if self.name == "lxml":
            for node in nodes:
                node.attrib[name]
        else:
            for node in nodes:
                node[name]


class Graph:
    """A library of lock files, likewise."""

    def __init__(self, name: str) -> None:
        module: Any = importlib.import_module("lockgraph" if name == "pairbond" else "pyo3_trees")
        self.parse = (module if name == "pairbond" else module.lockgraph).parse

    def walk(self, document: Any) -> int:
        """Goes through all packages and their dependencies, and looks at each one's name."""
        return sum(1 for package in document.packages for other in package.dependencies if other.name)

    def nodes(self, document: Any) -> list[Any]:
        return list(document.packages)

    def attribute(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            node.version  # noqa: B018


class Other:
    """One of the other Python objects of a process."""

    def __init__(self, value: int) -> None:
        self.value = value


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    began = process_time()
    found = work()
    return process_time() - began, found


def holds(check: Callable[[], Any]) -> bool:
    try:
        return bool(check())
    except (TypeError, AttributeError):
        return False


def promises(it: Contender | Graph, text: str) -> dict[str, bool]:
    """Which promises hold for nodes of a small document."""
    document, found = it.parse(text), {}
    found["identity"] = it.nodes(document)[0] is it.nodes(document)[0]

    def note() -> bool:
        it.nodes(document)[0].mark = "kept"
        gc.collect()
        return getattr(it.nodes(document)[0], "mark", None) == "kept"

    def cycle() -> bool:
        gone = it.parse(text)
        node = it.nodes(gone)[0]
        node.mark = gone
        weak = weakref.ref(node)
        del gone, node
        gc.collect()
        return weak() is None

    def weak() -> bool:
        reference = weakref.ref(it.nodes(document)[0])
        gc.collect()
        return reference() is it.nodes(document)[0]

    found["notes"], found["weak"], found["cycles"] = holds(note), holds(weak), holds(cycle)
    if isinstance(it, Contender):
        found["erased"] = it.says_that_it_was_erased(it.nodes(document)[0])
    return found


def measure(kind: str, name: str, size: int) -> dict[str, Any]:
    """One round, in this process."""
    it = Contender(name) if kind == "dom" else Graph(name)
    text, small = (page(size), page(3)) if kind == "dom" else (lock(size), lock(20))
    found: dict[str, Any] = dict(promises(it, small))
    gc.collect()
    before = resident()
    found["parse"], document = spent(lambda: it.parse(text))
    found["parsed"] = resident() - before
    found["first"], found["nodes"] = spent(lambda: it.walk(document))
    found["walked"] = resident() - before
    found["later"] = statistics.median(spent(lambda: it.walk(document))[0] for _ in range(3))
    nodes = it.nodes(document)
    took = statistics.median(spent(lambda: it.attribute(nodes))[0] for _ in range(5))
    found["attribute"] = took / len(nodes)
    if isinstance(it, Contender):
        nodes = it.named(document, "a")
        took = statistics.median(spent(lambda: it.attribute(nodes, "href"))[0] for _ in range(5))
        found["href"] = took / len(nodes)
    document = nodes = None
    gc.collect()
    found["left"] = resident() - before
    others = [Other(i) for i in range(1_000_000)]
    document = it.parse(text)
    found["beside"], _ = spent(lambda: it.walk(document))
    del others
    return found


def lines(places: list[str]) -> int:
    """Lines that are neither blank nor a comment, as the project formats them, whatever a folder's own setting."""
    files = [
        file
        for place in places
        for file in ((ROOT / place).rglob("*.rs") if (ROOT / place).is_dir() else [ROOT / place])
    ]
    command = ["rustfmt", "--edition", "2024", "--config-path", str(ROOT / "rustfmt.toml"), "--emit", "stdout"]
    found = 0
    for file in files:
        if file.name != "tests.rs":
            # From its standard input it does not follow modules.
            text = subprocess.run(command, input=file.read_text(), capture_output=True, text=True, check=True).stdout
            found += sum(1 for line in map(str.strip, text.splitlines()) if line and not line.startswith("//"))
    return found


def compile_time(crate: str, folder: Path, target: Path, environ: dict[str, str], *options: str) -> float:
    """Processor seconds for the crate alone, without optimisation, its dependencies being there."""
    command = ["cargo", "build", "--quiet", *options]
    environ = {**environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    subprocess.run(command, cwd=folder, env=environ, check=True)
    subprocess.run(["cargo", "clean", "--quiet", "-p", crate], cwd=folder, env=environ, check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environ, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shown(key: str, value: float) -> str:
    if key in ("parsed", "walked", "left"):
        return f"{value / 2**20:.0f} MiB"
    if key == "compile":
        return f"{value:.1f} s"
    if key == "lines":
        return f"{value:.0f}"
    return f"{value * 1e9:.0f} ns" if value < 1e-4 else f"{value * 1e3:.0f} ms"


def cell(key: str, name: str, values: list[Any], ours: list[Any]) -> str:
    """What a contender came to, and how many times pairbond's that is."""
    if not values:
        return "–"
    if isinstance(values[0], bool):
        return "yes" if all(values) else "no"
    value = statistics.median(values)
    if name == "pairbond" or key == "lines":
        return shown(key, value)
    return f"{shown(key, value)} ({value / statistics.median(ours):.1f})"


def table(rounds: dict[str, list[dict[str, Any]]], contenders: dict[str, tuple[str, list[str]]]) -> str:
    """The rows that any contender has."""
    names = [name for name in contenders if name in rounds]
    out = ["| | " + " | ".join(contenders[name][0] for name in names) + " |", "|---|" + "---:|" * len(names)]
    for key, title in ROWS.items():
        found = {name: [it[key] for it in rounds[name] if key in it] for name in names}
        cells = [cell(key, name, values, found["pairbond"]) for name, values in found.items()]
        if set(cells) != {"–"}:
            out.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="interpreter to measure on (default: this one, if 3.11 or newer)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables in this Markdown file too")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sections", type=int, default=20_000, help="of the document, ten elements each")
    parser.add_argument("--packages", type=int, default=20_000, help="of the lock file")
    parser.add_argument("--no-compile", action="store_true", help="leave the time to compile out")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(measure(args.worker[0], args.worker[1], int(args.worker[2]))))
        return
    from harness import build, report
    from run import find_python, set_up

    python, about = find_python(args.python)
    env = set_up(python, about)
    for requirement in ("lxml", "beautifulsoup4"):
        try:
            build.pip(env, requirement)
        except build.Unavailable as reason:
            print(f"ABSENT: {requirement}: {reason}", flush=True)
    crates = ["pairbond-native", "dom", "lockgraph"]
    command = [sys.executable, ROOT / "scripts/build_ext.py", "--release", python, *crates]
    site = build.run(command, "building the examples").strip().splitlines()[-1]
    build.rust_crate(env, "pyo3_trees")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([site, str(env.modules / "trees")])}
    (env.modules / "trees").mkdir(exist_ok=True)
    shutil.copy2(env.modules / f"pyo3_trees{env.suffix}", env.modules / "trees")

    parts = []
    for kind, contenders, size in (("dom", DOM, args.sections), ("lock", LOCK, args.packages)):
        rounds: dict[str, list[dict[str, Any]]] = {}
        for _ in range(args.rounds):
            for name in contenders:
                try:
                    done = build.run(
                        [env.python, __file__, "--worker", kind, name, size], f"{kind} {name}", env=environ
                    )
                except build.Unavailable as reason:
                    print(f"ABSENT: {name}: {reason}", flush=True)
                    continue
                rounds.setdefault(name, []).append(json.loads(done))
        for name, (_, places) in contenders.items():
            if places and name in rounds:
                rounds[name][0]["lines"] = lines(places)
        if kind == "lock" and not args.no_compile:
            target, rust = env.root / "compile", build.rust_environ(env, env.root)
            ours = ("lockgraph", ROOT, target / "ours", rust, "--package=lockgraph")
            peer = ("pyo3_trees", BENCHES / "peers/pyo3_trees", target / "peer", rust)
            for number in range(3):
                of_round = number % args.rounds
                rounds["pairbond"][of_round]["compile"] = compile_time(*ours)
                rounds["held"][of_round]["compile"] = compile_time(
                    *peer, "--no-default-features", "--features=lockgraph"
                )
        nodes = rounds["pairbond"][0]["nodes"]
        what = (
            f"a document of {size * 10:,} elements, {nodes:,} nodes"
            if kind == "dom"
            else f"a lock file of {size:,} packages"
        )
        text = table(rounds, contenders)
        parts.append(f"{what[0].upper()}{what[1:]}:\n\n{text}")
        if args.write and kind == "lock":
            report.write_section(ROOT / "docs/explanation/from-pyo3.md", "lockgraph", text)
        print(f"\n{parts[-1]}", flush=True)
    if args.write:
        interpreter = f"CPython {about['release']}" + " free-threaded" * about["free_threaded"]
        text = (
            f"## Trees and graphs, {interpreter}\n\n"
            + f"Medians of {args.rounds} rounds in turn; in brackets how many times pairbond's.\n\n"
        )
        report.write_section(args.write, f"trees-{interpreter.replace(' ', '-')}", text + "\n\n".join(parts))


if __name__ == "__main__":
    main()
