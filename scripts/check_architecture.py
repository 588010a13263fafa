"""Checks that ARCHITECTURE.md, crates/README.md and docs/decisions are true: every path they name exists, the second
names every module, dependencies between crates point down only, modules of a crate import no others than
module_graph.toml allows, and the frontend calls functions that may run Python code through `running.rs`.

A part of `make test`; by hand: `scripts/py scripts/check_architecture.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import module_graph

ROOT = Path(__file__).resolve().parent.parent
# From the bottom up. A crate may depend on crates of lower layers, and on none of its own.
LAYERS = [
    {"pairbond-macros"},
    {"pairbond-core"},
    {"pairbond-value"},
    {"pairbond-dynamic", "pairbond-tree"},
    {"pairbond-plugin", "pairbond-serial"},
    {"pairbond-python", "pairbond-testing"},
    {"pairbond", "pairbond-native"},
]
SECTIONS = {
    "The core, module by module": ROOT / "crates/pairbond-core/src",
    "Values, module by module": ROOT / "crates/pairbond-value/src",
    "Types made at run time, module by module": ROOT / "crates/pairbond-dynamic/src",
    "Trees, module by module": ROOT / "crates/pairbond-tree/src",
    "Loadable libraries, module by module": ROOT / "crates/pairbond-plugin/src",
    "Copies and data, module by module": ROOT / "crates/pairbond-serial/src",
    "The CPython frontend, module by module": ROOT / "crates/pairbond-python/src",
}


def missing_paths(text: str) -> list[str]:
    """Paths in backticks that do not exist, each looked for from the root and from its section's folder."""
    missing = []
    for section in re.split(r"^## ", text, flags=re.M):
        folders = [ROOT] + [path for title, path in SECTIONS.items() if section.startswith(title)]
        folders += list(SECTIONS.values())
        for name in re.findall(r"`([\w./-]+(?:/|\.rs|\.py))`", section):
            if not any((folder / name).exists() for folder in folders):
                missing.append(name)
    return missing


def undrawn_rooms(text: str) -> list[str]:
    """Folders and files at the top of the crates that the page does not name."""
    named = set(re.findall(r"`([\w./-]+)`", text))
    rooms = []
    for src in SECTIONS.values():
        for entry in sorted(src.iterdir()):
            name = entry.name + ("/" if entry.is_dir() else "")
            if entry.name not in {"lib.rs", "sync.rs", "error.rs", "ffi.rs", "owned.rs"} and name not in named:
                rooms.append(f"{src.relative_to(ROOT)}/{name}")
    return rooms


def upward_dependencies() -> list[str]:
    """Normal dependencies between workspace crates that do not point down."""
    output = subprocess.run(
        ["cargo", "metadata", "--format-version=1", "--no-deps"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    level = {crate: i for i, layer in enumerate(LAYERS) for crate in layer}
    wrong = []
    for package in json.loads(output)["packages"]:
        for dependency in package["dependencies"]:
            if dependency["kind"] is not None or dependency["name"] not in level or package["name"] not in level:
                continue
            if level[dependency["name"]] >= level[package["name"]]:
                wrong.append(f"{package['name']} -> {dependency['name']}")
        # Whoever uses the library uses its front door only.
        if "/libs/" in package["manifest_path"] or "/examples/" in package["manifest_path"]:
            inner = {dependency["name"] for dependency in package["dependencies"]} & (level.keys() - {"pairbond"})
            wrong += [f"{package['name']} -> {name}" for name in sorted(inner)]
    return wrong


def calls_past(guard: Path, sources: dict[str, str]) -> list[str]:
    """Calls of functions that run Python code, other than through the module that guards them."""
    guarded = [*re.findall(r"^    (_?Py\w+)\(", guard.read_text(), flags=re.M), "PyObject_CallFunctionObjArgs"]
    unguarded = re.compile(rf"\bpy(?:o3_ffi)?::(?:{'|'.join(guarded)})\b")
    return [f"{name} calls {found}" for name, text in sources.items() for found in unguarded.findall(text)]


def main() -> int:
    modules = ROOT / "crates" / "README.md"
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    problems = []
    for page in (ROOT / "ARCHITECTURE.md", modules, *decisions):
        names = missing_paths(page.read_text())
        problems += [f"{page.relative_to(ROOT)} names {name}, which does not exist" for name in names]
    index = decisions[-1].read_text()
    problems += [f"decisions/index.md does not link {it.name}" for it in decisions[:-1] if f"({it.name})" not in index]
    problems += [f"crates/README.md does not name {name}" for name in undrawn_rooms(modules.read_text())]
    problems += [f"a dependency points up: {edge}" for edge in upward_dependencies()]
    problems += module_graph.problems()
    python = SECTIONS["The CPython frontend, module by module"]
    guard = python / "running.rs"
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in python.rglob("*.rs") if path != guard}
    problems += [f"{call} and not what running.rs has for it" for call in calls_past(guard, sources)]
    if calls_past(guard, {"x.rs": "py::PyIter_Next(it)"}) != ["x.rs calls py::PyIter_Next"]:
        problems.append("this check cannot fail: it found no call past running.rs")
    if not missing_paths("`crates/nowhere.rs`"):
        problems.append("this check cannot fail: it found a file that does not exist")
    for problem in problems:
        print(problem, file=sys.stderr)
    print("ARCHITECTURE.md is true" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
