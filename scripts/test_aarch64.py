#!/usr/bin/env python3
"""Python tests of pairbond on aarch64, under qemu-user, on a machine of another kind. A part of `make test-long`.

    test_aarch64.py [PYTEST ARGUMENT...]

Debian's CPython for arm64 is unpacked into target/aarch64/root, and nothing is installed: apt has lists and a cache of
its own there. The extension modules are cross-compiled. Needs apt-get, rustup's aarch64-unknown-linux-gnu, qemu-user
and gcc-aarch64-linux-gnu. Tests that start processes are left out: they would run this machine's programs. Ends as
pytest does.
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
from build_ext import CARGO, ROOT

TARGET = "aarch64-unknown-linux-gnu"
HOME = ROOT / "target" / "aarch64"
CRATES = ("pairbond-native", "lockgraph", "pairbond-test-extension", "pairbond-test-holders")
FILES = (
    "untracked_cases",
    "test_calls",
    "test_containers",
    "test_conversions",
    "test_errors",
    "test_moves",
    "test_promises_1_identity",
    "test_promises_3_state",
    "test_promises_cycles",
    "test_trees",
    "test_trees_random",
)
#: They start processes.
LEFT_OUT = ("rust_frames", "panics_are_silent_and_name_their_frames", "subclasses_in_trees_when_the_interpreter_ends")
NEEDED = {
    "apt-get": "a Debian or Ubuntu",
    "dpkg": "a Debian or Ubuntu",
    "qemu-aarch64": "apt-get install qemu-user",
    "aarch64-linux-gnu-gcc": "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
}


def apt(*arguments: str) -> None:
    """apt-get for arm64, with a state of its own, in which nothing is installed."""
    state = HOME / "apt"
    for folder in ("lists/partial", "cache/archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "APT::Install-Recommends": "false",
        "Debug::NoLocking": "true",
        "Dir::State::lists": str(state / "lists"),
        "Dir::State::status": "/dev/null",
        "Dir::Cache": str(state / "cache"),
    }
    command = ["apt-get", "-qq", *(f"-o={key}={value}" for key, value in options.items()), *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        raise environments.Unusable(f"`apt-get {' '.join(arguments)}` for arm64 failed: {run.stdout.strip()[-300:]}")


def unpack() -> Path:
    """Debian's CPython for arm64; returns its root."""
    root = HOME / "root"
    if not (root / "done").exists():
        shutil.rmtree(root, ignore_errors=True)
        apt("update")
        apt("install", "--download-only", "--yes", "python3", "libpython3-dev")
        for package in sorted((HOME / "apt/cache/archives").glob("*.deb")):
            subprocess.run(["dpkg", "-x", str(package), str(root)], check=True)
        (root / "done").touch()
    return root


def emulated(root: Path) -> list[str]:
    """The command that runs Debian's CPython."""
    binary = sorted((root / "usr/bin").glob("python3.[0-9]*[0-9]"))[-1]
    return ["qemu-aarch64", "-L", str(root), str(binary)]


def build(root: Path, python: list[str]) -> Path:
    """Cross-compiles the extension modules; returns the folder for PYTHONPATH."""
    what = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'))"
    major, minor, suffix = subprocess.run(
        [*python, "-c", what], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYO3_")} | {
        "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": "aarch64-linux-gnu-gcc",
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "PYO3_CROSS_LIB_DIR": str(root / f"usr/lib/python{major}.{minor}"),
        "PYO3_CROSS_PYTHON_VERSION": f"{major}.{minor}",
    }
    command = [CARGO, "build", "--quiet", f"--target={TARGET}", f"--target-dir={HOME / 'build'}"]
    subprocess.run([*command, *(f"--package={it}" for it in CRATES)], cwd=ROOT, env=env, check=True)
    site = HOME / "site"
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    libraries = HOME / "build" / TARGET / "debug"
    for ext in build_ext.extensions():
        if ext.crate not in CRATES:
            continue
        module = site.joinpath(*ext.module.split("."))
        if ext.python:
            shutil.copytree(ext.python, module.parent, dirs_exist_ok=True)
        library = next(libraries.glob(f"lib*{ext.module.rpartition('.')[2].removeprefix('_')}.so"))
        shutil.copy2(library, f"{module}{suffix}")
    return site


def packages(interpreter: pythons.Interpreter) -> Path:
    """pytest, which is plain Python."""
    folder = HOME / "packages"
    if not (folder / "pytest").is_dir():
        command = [interpreter.path, "-m", "pip", "install", "--quiet", "--target", str(folder), "pytest"]
        subprocess.run(command, check=True)
    return folder


def prepare() -> tuple[list[str], dict[str, str]]:
    """The command that runs pytest under qemu, and its environment. Raises `Unusable`, with the reason."""
    for program, source in NEEDED.items():
        if shutil.which(program) is None:
            raise environments.Unusable(f"there is no {program} ({source})")
    interpreter = pythons.default(pythons.pythons())
    if interpreter is None:
        raise environments.Unusable("no CPython >= 3.11 with headers found")
    root = unpack()
    python = emulated(root)
    path = [build(root, python), packages(interpreter), ROOT / "tests" / "python"]
    env = {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONPYCACHEPREFIX": str(HOME / "pycache")}
    files = [f"tests/python/{name}.py" for name in FILES]
    return [*python, "-m", "pytest", "--quiet", "-k", " and ".join(f"not {it}" for it in LEFT_OUT), *files], env


def main() -> None:
    try:
        command, env = prepare()
    except environments.Unusable as error:
        sys.exit(f"test_aarch64: {error}")
    sys.exit(subprocess.run([*command, *sys.argv[1:]], cwd=ROOT, env=os.environ | env).returncode)


if __name__ == "__main__":
    main()
