#!/usr/bin/env python3
"""Check that pairbond-core and pairbond-value reach no Python: nothing below them, for tests and build scripts
included, binds it. Their feature `pyo3`, which implements traits of PyO3, is left out, and is in no other feature.
And that an extension module which asks for `python` alone is built without the crates of the batteries.

First the check is checked: pairbond-python must be found not to be free. A check that cannot fail shows nothing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Features of the facade whose crates are left out unless they are asked for.
BATTERIES = ("dynamic", "plugin", "serial", "tree")
PYTHON = re.compile(r"pyo3|python|pyoxidizer|^py-|-py$")


CARGO = os.environ.get("CARGO", "cargo")


def features(crate: str) -> list[str]:
    """The features of a crate, `pyo3` excepted."""
    command = [CARGO, "metadata", "--format-version=1", "--no-deps"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    return [name for it in packages if it["name"] == crate for name in it["features"] if name != "pyo3"]


def dependencies(crate: str, edges: str = "normal,build,dev", chosen: list[str] | None = None) -> set[str]:
    """Names of all packages below `crate`: every kind, the chosen features or all but `pyo3`, and every platform."""
    chosen = features(crate) if chosen is None else chosen
    command = [CARGO, "tree", f"--package={crate}", f"--edges={edges}", f"--features={','.join(chosen)}"]
    command += ["--target=all", "--prefix=none", "--no-dedupe", "--format={p}"]
    tree = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[0] for line in tree.splitlines() if line.strip()} - {crate}


def main() -> None:
    if "pyo3-ffi" not in {name for name in dependencies("pairbond-python") if PYTHON.search(name)}:
        sys.exit("the check is broken: it does not see that pairbond-python depends on pyo3-ffi")
    for crate in ("pairbond-core", "pairbond-value"):
        below = dependencies(crate)
        if found := sorted(name for name in below if PYTHON.search(name)):
            sys.exit(f"{crate} depends on Python through: {', '.join(found)}")
        print(f"{crate} is free of Python ({len(below)} packages below it)")
    for battery in BATTERIES:
        if f"pairbond-{battery}" not in dependencies("pairbond", "normal", [battery]):
            sys.exit(f"the check is broken: it does not see that the feature {battery} asks for pairbond-{battery}")
    below = dependencies("pairbond", "normal", ["python"])
    if found := sorted(below & {f"pairbond-{battery}" for battery in BATTERIES}):
        sys.exit(f"pairbond with the feature python alone depends on {', '.join(found)}")
    print(f"pairbond with the feature python has none of {', '.join(BATTERIES)} ({len(below)} packages below it)")


if __name__ == "__main__":
    main()
