#!/usr/bin/env python3
"""`make demo`, `make demo-ir` and `make demo-cpp`: build pairbond and an example into an environment, and run it.

    demo.py [LOCK]     lockgraph, on a Cargo.lock; the project's own unless told
    demo.py --ir       pairbond_ir, on examples/stablehlo; its picture and text are left in target/demo-ir
    demo.py --cpp      examples/xml, on the pictures of docs/; its library is left in target/demo-cpp

Needs Rust and a CPython >= 3.11 with headers; --ir the Python package index for the library that draws; --cpp a
compiler of C++17 (CXX, c++ unless told) and pugixml with its headers (Debian: apt-get install libpugixml-dev). The
modules are put into .venv (.envs/demo-ir) as installing would, so that afterwards `.venv/bin/python` can import
pairbond and lockgraph (pairbond_ir) for a look around.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import build_ext
import environments
import pythons

ROOT = Path(__file__).resolve().parent.parent
IR = ROOT / "examples" / "stablehlo"
XML = ROOT / "examples" / "xml"
HEADERS = ROOT / "python" / "pairbond" / "include"


def lockgraph(interpreter: pythons.Interpreter) -> tuple[Path, list[str]]:
    """The environment of the example, and what to run in it."""
    lock = Path(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else ROOT / "Cargo.lock").absolute()
    return environments.virtual(ROOT / ".venv", interpreter, pip=False), ["-m", "lockgraph", str(lock)]


def stablehlo(interpreter: pythons.Interpreter) -> tuple[Path, list[str]]:
    """The environment of the example, and what to run in it."""
    made = ROOT / "target" / "demo-ir"
    made.mkdir(parents=True, exist_ok=True)
    python = environments.with_requirements(ROOT / ".envs" / "demo-ir", interpreter, IR / "requirements.txt")
    files = [f"--picture={made / 'dataflow.svg'}", f"--output={made / 'rewritten.mlir'}"]
    return python, [str(IR / "explore.py"), *files]


def xml(interpreter: pythons.Interpreter) -> tuple[Path, list[str]]:
    """The environment of the example, and what to run in it. Its library is compiled first."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        sys.exit("demo: no compiler of C++ found (Debian: apt-get install g++)")
    library = ROOT / "target" / "demo-cpp" / "pugi.abi3.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{HEADERS}"]
    if subprocess.run([compiler, *flags, str(XML / "pugi.cpp"), "-lpugixml", "-o", str(library)]).returncode:
        sys.exit("demo: the example does not compile (is pugixml there? Debian: apt-get install libpugixml-dev)")
    pictures = sorted(map(str, (ROOT / "docs" / "pictures").glob("*.svg")))
    python = environments.virtual(ROOT / ".venv", interpreter, pip=False)
    return python, [str(XML / "demo.py"), str(library), *pictures]


#: By option: the crates of an example beside pairbond's own, and the function that prepares it.
EXAMPLES = {"--ir": ({"pairbond-ir"}, stablehlo), "--cpp": (set(), xml), "": ({"lockgraph"}, lockgraph)}


def main() -> None:
    chosen = next(option for option in EXAMPLES if not option or option in sys.argv)
    of_example, prepare = EXAMPLES[chosen]
    crates = {"pairbond-native", *of_example}
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("demo: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev)")
    wanted = [ext for ext in build_ext.extensions() if ext.crate in crates]
    if missing := sorted(crates - {ext.crate for ext in wanted}):
        sys.exit(f"demo: no extension crate {', '.join(missing)} in this workspace")
    print(f"demo: building for CPython {pythons.dotted(interpreter.version)}, {interpreter.path}", flush=True)
    try:
        python, command = prepare(interpreter)
        build_ext.build(interpreter, wanted, release=True, site=environments.packages_of(python), beside=[])
    except environments.Unusable as error:
        sys.exit(f"demo: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo: the build failed with status {error.returncode}")
    os.execv(python, [str(python), *command])


if __name__ == "__main__":
    main()
