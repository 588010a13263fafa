"""Which top-level modules of a crate import which: read from the sources, and compared with scripts/module_graph.toml.

The file lists every import between two of them that is allowed. One that is not listed fails `make test`; so does one
that is listed and gone, so that the list only shrinks, and so do modules that import each other in a cycle, listed or
not.
Tests (`#[cfg(test)]`) may import anything. The small crates above the core are one module each, and not listed.

    module_graph.py            print the graph of each crate, and its cycles
    module_graph.py --write    write module_graph.toml again: after edges were removed
"""

from __future__ import annotations

import re
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_suffix(".toml")
CRATES = (
    "crates/pairbond-core",
    "crates/pairbond-value",
    "crates/pairbond-python",
    "crates/pairbond-macros",
    "libs/pairbond-ir",
    "libs/pairbond-ir-tools",
    "libs/pairbond-autograd",
    "libs/pairbond-autograd-kernels",
    "libs/pairbond-tape",
)
Graph = dict[str, set[str]]
COMMENT = re.compile(r"//.*")
TEST = r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?"
TESTS_BELOW = re.compile(TEST + r"mod \w+ \{")
FILE_OF_TESTS = re.compile(TEST + r"mod (\w+);")
USE_OF_TESTS = re.compile(TEST + r"use [^;]*;")
PATH = re.compile(r"\bcrate::(\{|\w+)")
USE = re.compile(r"\buse (?:crate::|self::)?(\w+)::([^;]+);")


def modules(src: Path) -> set[str]:
    """The files and folders at the top of a crate."""
    return {path.stem for path in src.iterdir() if path.name != "lib.rs" and (path.is_dir() or path.suffix == ".rs")}


def names_in_braces(text: str) -> list[str]:
    """The first names in `a::b, c::{d, e}} …`, up to the brace that closes."""
    found, depth, name = [], 0, ""
    for char in text:
        if char == "}" and depth == 0:
            break
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            found.append(name)
            name = ""
        else:
            name += char
    return [match[0] for part in [*found, name] if (match := re.match(r"\w+", part.strip()))]


def imports(text: str) -> set[str]:
    """The names that follow `crate::` in a source text, tests left out."""
    text = USE_OF_TESTS.sub("", TESTS_BELOW.split(COMMENT.sub("", text))[0])
    found = set()
    for match in PATH.finditer(text):
        found |= {*names_in_braces(text[match.end() :])} if match[1] == "{" else {match[1]}
    return found


def names_at_root(src: Path, known: set[str]) -> dict[str, str]:
    """The names that lib.rs has from one of its modules, and from which: `crate::Name` is an import of that."""
    uses = USE.finditer(COMMENT.sub("", (src / "lib.rs").read_text()))
    return {name: use[1] for use in uses if use[1] in known for name in re.findall(r"\w+", use[2]) if name not in known}


def files_of_tests(src: Path) -> set[Path]:
    """The files that others declare as modules of tests."""
    found = set()
    for path in src.rglob("*.rs"):
        folder = path.parent if path.name in {"lib.rs", "mod.rs"} else path.with_suffix("")
        names = FILE_OF_TESTS.findall(COMMENT.sub("", path.read_text()))
        found |= {it for name in names for it in (folder / f"{name}.rs", folder / name / "mod.rs")}
    return found


def graph(src: Path) -> Graph:
    """What each top-level module of a crate imports of the others."""
    known = modules(src)
    at_root = names_at_root(src, known)
    edges: Graph = {}
    for path in {*src.rglob("*.rs")} - files_of_tests(src):
        module = path.relative_to(src).parts[0].removesuffix(".rs")
        if module in known:
            found = {at_root.get(name, name) for name in imports(path.read_text())}
            edges.setdefault(module, set()).update(found & (known - {module}))
    return edges


def cycles(edges: Graph) -> list[list[str]]:
    """The sets of modules that import each other, directly or through others."""
    reached: Graph = {}
    for start in edges:
        todo, seen = [*edges[start]], set()
        while todo:
            if (at := todo.pop()) not in seen:
                seen.add(at)
                todo += edges.get(at, ())
        reached[start] = seen
    mutual = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in edges}
    return sorted(sorted(it) for it in mutual if it)


def allowed() -> dict[str, Graph]:
    """What module_graph.toml lists."""
    table = tomllib.loads(ALLOWED.read_text())
    return {crate: {module: set(text.split()) for module, text in rows.items()} for crate, rows in table.items()}


def differences(crate: str, edges: Graph, listed: Graph) -> list[str]:
    """What a graph has beyond what is listed, and what it no longer has."""
    wrong = []
    for module in sorted({*edges, *listed}):
        here, there = edges.get(module, set()), listed.get(module, set())
        new, gone = here - there, there - here
        wrong += [f"{crate}: {module} imports {other}, which module_graph.toml does not allow" for other in new]
        wrong += [f"{crate}: {module} no longer imports {other}: module_graph.py --write" for other in gone]
    return sorted(wrong)


def in_cycles(crate: str, edges: Graph) -> list[str]:
    """What is wrong with modules that import each other."""
    return [f"{crate}: these modules import each other in a cycle: {' '.join(it)}" for it in cycles(edges)]


def problems() -> list[str]:
    """All cycles and differences, of all crates."""
    listed, wrong = allowed(), []
    for crate in CRATES:
        edges = graph(ROOT / crate / "src")
        wrong += in_cycles(crate, edges) + differences(crate, edges, listed.get(crate, {}))
    return wrong


def written() -> str:
    """The text of module_graph.toml for the sources as they are."""
    lines = ["# What each top-level module may import of the others in its crate: see module_graph.py."]
    for crate in CRATES:
        edges = graph(ROOT / crate / "src")
        lines += ["", f'["{crate}"]']
        lines += [f'{module} = "{" ".join(sorted(others))}"' for module, others in sorted(edges.items()) if others]
    return "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        ALLOWED.write_text(written())
        return
    for crate in CRATES:
        edges = graph(ROOT / crate / "src")
        print(f"{crate}: {len(edges)} modules, {sum(map(len, edges.values()))} imports")
        if wrong := in_cycles(crate, edges):
            print(*wrong, sep="\n")
        else:
            print("  from the bottom:", *TopologicalSorter(edges).static_order())


if __name__ == "__main__":
    main()
