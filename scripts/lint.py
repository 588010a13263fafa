#!/usr/bin/env python3
"""`make lint`: formatting and lints of Rust and Python, prose, workflows, and whether all lock files fit.

Workflows are those of .github, and those that `python -m pairbond new` writes: actionlint, with shellcheck for their
scripts, and zizmor read them.

Warnings are errors. All checks run, also after a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import environments
import pythons
from build_ext import CARGO, ROOT

#: Folders with workspaces beside the main one.
WORKSPACES = ["benches", "fuzz", "tests/embedding", "tests/abi", "tests/pyo3", "examples/tape-candle"]
#: Features of pairbond-python that an extension module does not ask for.
BATTERIES = ("arrays", "dynamic", "library", "serial", "tree")
PYTHON = ["scripts", "tests", "python", "examples", "libs", "benches"]


def workflows(tools: Path) -> list[list[str]]:
    """Checks of all workflows. The template's are laid out as they will be in a project."""
    laid_out = ROOT / "target" / "lint"
    shutil.rmtree(laid_out, ignore_errors=True)
    folders = [ROOT / ".github"]
    for template in sorted((ROOT / "python/pairbond/_new/template").glob("*/dot_github")):
        copy = laid_out / template.parent.name / ".github"
        for file in template.rglob("*.in"):
            place = (copy / file.relative_to(template)).with_suffix("")
            place.parent.mkdir(parents=True)
            place.write_text(file.read_text().replace("@name@", "shapes"))
        folders.append(copy)
    files = [str(file) for folder in folders for file in sorted((folder / "workflows").glob("*.yml"))]
    return [
        [str(tools / "actionlint"), f"-shellcheck={tools / 'shellcheck'}", *files],
        # Without a network: it looks nothing up, and what it could look up is not its business here.
        [str(tools / "zizmor"), "--quiet", "--offline", f"--config={ROOT / '.github/zizmor.yml'}", *map(str, folders)],
    ]


def main() -> None:
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("lint: no CPython >= 3.11 with headers found; pyo3-ffi cannot be compiled without")
    os.environ.setdefault("PYO3_PYTHON", interpreter.path)
    os.environ["RUSTDOCFLAGS"] = "--deny=warnings"
    checks = [
        [CARGO, "fmt", "--all", "--check"],
        [CARGO, "clippy", "--workspace", "--all-targets", "--", "--deny=warnings"],
        [CARGO, "clippy", "--package=pairbond", "--features=pyo3", "--", "--deny=warnings"],
        [CARGO, "doc", "--no-deps", "--quiet", "--lib", "--workspace", "--exclude=pairbond-native"],
    ]
    # Each battery alone, and none.
    for features in ("", *BATTERIES):
        alone = ["--package=pairbond-python", "--no-default-features", f"--features={features}"]
        checks.append([CARGO, "clippy", *alone, "--", "--deny=warnings"])
    checks.append([sys.executable, str(ROOT / "scripts" / "check_prose.py")])
    locks = [path for folder in WORKSPACES for path in sorted((ROOT / folder).rglob("Cargo.lock"))]
    for lock in locks:
        checks.append([CARGO, "fetch", "--quiet", "--locked", f"--manifest-path={lock.with_name('Cargo.toml')}"])
    try:
        python = str(environments.for_lint(interpreter))
        folders = [folder for folder in PYTHON if (ROOT / folder).is_dir()]
        checks += [
            [python, "-m", "ruff", "check", *folders],
            [python, "-m", "ruff", "format", "--check", *folders],
            *workflows(Path(python).parent),
        ]
    except environments.Unusable as error:
        print(f"lint: its tools are not to be had, Python files and workflows are NOT CHECKED: {error}", flush=True)
    failed = []
    for command in checks:
        print("+", " ".join(command), flush=True)
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(" ".join(command))
    for command in failed:
        print("lint failed:", command)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
