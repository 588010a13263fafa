#!/usr/bin/env python3
"""`make demo-cpp`: build pairbond and examples/xml, and run its demonstration on the pictures of docs/.

Needs Rust, a CPython >= 3.11 with headers, a compiler of C++17 (CXX, c++ unless told) and pugixml with its headers
(Debian: apt-get install libpugixml-dev). The library is left in target/demo-cpp, pairbond in .venv.
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
EXAMPLE = ROOT / "examples" / "xml"
HEADERS = ROOT / "python" / "pairbond" / "include"


def compile_library(folder: Path) -> Path:
    """The library of the example, as a CMake project would build it."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        sys.exit("demo-cpp: no compiler of C++ found (Debian: apt-get install g++)")
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "pugi.abi3.so"
    flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{HEADERS}"]
    command = [compiler, *flags, str(EXAMPLE / "pugi.cpp"), "-lpugixml", "-o", str(library)]
    if subprocess.run(command).returncode:
        sys.exit("demo-cpp: the example does not compile (is pugixml there? Debian: apt-get install libpugixml-dev)")
    return library


def main() -> None:
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        sys.exit("demo-cpp: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev)")
    library = compile_library(ROOT / "target" / "demo-cpp")
    wanted = [ext for ext in build_ext.extensions() if ext.crate == "pairbond-native"]
    try:
        python = environments.virtual(ROOT / ".venv", interpreter, pip=False)
        build_ext.build(interpreter, wanted, release=True, site=environments.packages_of(python))
    except environments.Unusable as error:
        sys.exit(f"demo-cpp: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo-cpp: the build failed with status {error.returncode}")
    pictures = sorted(map(str, (ROOT / "docs" / "pictures").glob("*.svg")))
    os.execv(python, [str(python), str(EXAMPLE / "demo.py"), str(library), *pictures])


if __name__ == "__main__":
    main()
