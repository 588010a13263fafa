"""Builds the contenders into one directory of extension modules, each with the tools it needs and no build system.

A contender that cannot be built raises `Unavailable` with a reason for the table: it is never dropped in silence.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCHES = Path(__file__).resolve().parent.parent


class Unavailable(Exception):
    pass


@dataclass
class Env:
    python: Path  # of the bench environment
    root: Path  # holds everything that is built
    include: str
    suffix: str  # of extension modules
    free_threaded: bool
    version: list[int]

    @property
    def modules(self) -> Path:
        return self.root / "modules"


def run(command: list, what: str, **kwargs) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **kwargs)
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-25:])
        print(f"--- {what} failed:\n{tail}\n---", flush=True)
        lines = [line for line in tail.splitlines() if "rror" in line] or tail.splitlines()[-1:]
        reason = lines[0].strip() if lines else "no output"
        # The reason may end up in the documentation, where this machine's directories are nobody's business.
        reason = re.sub(r"\S*/(?=[^/\s]+)", "", reason)
        raise Unavailable(f"{what} failed: {reason[:160]}")
    return done.stdout


def tool(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    raise Unavailable(f"no {names[0]} on this machine")


def stale(target: Path, *sources: Path) -> bool:
    return not target.exists() or any(target.stat().st_mtime < source.stat().st_mtime for source in sources)


def pip(env: Env, requirement: str) -> None:
    run([env.python, "-m", "pip", "install", "-q", "--only-binary", ":all:", requirement], f"pip install {requirement}")


def package_dir(env: Env, name: str) -> Path:
    found = run([env.python, "-c", f"import {name}; print({name}.__path__[0])"], f"import {name}")
    return Path(found.strip())


def floor(env: Env) -> None:
    source, target = BENCHES / "floor/floor.c", env.modules / f"floor{env.suffix}"
    if stale(target, *source.parent.iterdir()):
        flags = ["-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-I", env.include]
        run([tool("cc", "gcc", "clang"), *flags, source, "-o", target], "compiling the floor")
        managed = env.modules / f"floor_managed{env.suffix}"
        if env.version >= [3, 13]:
            command = [tool("cc", "gcc", "clang"), *flags, "-DMANAGED", source, "-o", managed]
            run(command, "compiling the floor with CPython's attributes")


def nanobind(env: Env) -> None:
    """Both flavours, as nanobind's own `nb_combined.cpp` describes (library -O3; bindings -O2 instead of -Os)."""
    cxx = tool("c++", "g++", "clang++")
    pip(env, "nanobind==3.1.0")
    home = package_dir(env, "nanobind")
    flags = [
        "-std=c++17",
        "-fvisibility=hidden",
        "-DNDEBUG",
        "-DNB_COMPACT_ASSERTIONS",
        "-fPIC",
        "-fno-strict-aliasing",
    ]
    flags += ["-ffunction-sections", "-fdata-sections", "-I", env.include, "-I", home / "include"]
    flags += ["-I", home / "ext/robin_map/include", *(["-DNB_FREE_THREADED"] if env.free_threaded else [])]
    library = env.root / "libnanobind.o"
    if stale(library, home / "src/nb_combined.cpp"):
        run([cxx, *flags, "-O3", "-c", home / "src/nb_combined.cpp", "-o", library], "compiling nanobind")
    source = BENCHES / "peers/nanobind_peer/nanobind_peer.cpp"
    for name, define in (("nanobind_shared", []), ("nanobind_intrusive", ["-DINTRUSIVE"])):
        target = env.modules / f"{name}{env.suffix}"
        if stale(target, source, library):
            command = [cxx, *flags, *define, "-O2", "-shared", "-Wl,--gc-sections", source, library, "-o", target]
            run(command, f"compiling {name}")


def tvm_ffi(env: Env) -> None:
    cxx = tool("c++", "g++", "clang++")
    pip(env, "apache-tvm-ffi==0.1.15.post2")
    home = package_dir(env, "tvm_ffi")
    source, target = BENCHES / "peers/tvm_ffi_peer/tvm_ffi_peer.cpp", env.modules / "tvm_ffi_bench.so"
    if stale(target, source):
        flags = ["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-I", home / "include"]
        run([cxx, *flags, source, f"-L{home / 'lib'}", "-ltvm_ffi", "-o", target], "compiling the tvm-ffi peer")


def rust_environ(env: Env, target: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYO3_PYTHON": str(env.python),
        "PYO3_BUILD_EXTENSION_MODULE": "1",  # or it links libpython, which a static interpreter has none of
        "CARGO_TARGET_DIR": str(target),
    }


def rust_crate(env: Env, name: str) -> None:
    crate = BENCHES / "peers" / name
    if not (crate / "Cargo.toml").exists():
        raise Unavailable(f"benches/peers/{name} has no Cargo.toml yet")
    target = env.root / "target"
    command = [tool("cargo"), "build", "--release", "--locked"]
    run(command, f"building {name}", cwd=crate, env=rust_environ(env, target))
    shutil.copy2(target / "release" / f"lib{name}.so", env.modules / f"{name}{env.suffix}")


def pairbond(env: Env) -> None:
    """The package and its native module as a user would install them, then the peer."""
    package, target = env.modules / "pairbond", env.root / "pairbond"
    shutil.copytree(BENCHES.parent / "python/pairbond", package, dirs_exist_ok=True)
    command = [tool("cargo"), "build", "--release", "--locked", "--package=pairbond-native"]
    run(command, "building pairbond", cwd=BENCHES.parent, env=rust_environ(env, target))
    shutil.copy2(target / "release/lib_pairbond.so", package / f"_pairbond{env.suffix}")
    rust_crate(env, "pairbond_peer")


def pairbond_loaded(env: Env) -> None:
    """The source of the pairbond peer as a library without Python, for `pairbond.load`; its types have other names, or
    it would share those of the extension module."""
    if not (env.modules / "pairbond").exists():
        pairbond(env)
    peer, copy = BENCHES / "peers/pairbond_peer", env.root / "pairbond_loaded"
    for file in ("Cargo.toml", "Cargo.lock", "src/lib.rs"):
        text = (peer / file).read_text().replace("pairbond_peer", "pairbond_loaded")
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        (copy / file).write_text(text.replace("../../../", f"{BENCHES.parent}/"))
    target = env.root / "loaded"
    command = [tool("cargo"), "build", "--release", "--no-default-features", "--features=plugin"]
    run(command, "building pairbond_loaded", cwd=copy, env=rust_environ(env, target))
    shutil.copy2(target / "release/libpairbond_loaded.so", env.modules / "libpairbond_loaded.so")


def pairbond_cpp(env: Env) -> None:
    """pairbond's header in the package that the environment has: no headers of CPython, one file for all versions."""
    if not (env.modules / "pairbond/include").exists():
        pairbond(env)
    include = env.modules / "pairbond/include"
    source = BENCHES / "peers/pairbond_cpp_peer/pairbond_cpp_peer.cpp"
    target = env.modules / "pairbond_cpp_peer.abi3.so"
    if stale(target, source, *include.glob("pairbond/**/*.h*")):
        flags = ["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-I", include]
        run([tool("c++", "g++", "clang++"), *flags, source, "-o", target], "compiling the pairbond peer in C++")


def pybind11(env: Env) -> None:
    pip(env, "pybind11==3.0.1")
    home = package_dir(env, "pybind11")
    source, target = BENCHES / "peers/pybind11_peer/pybind11_peer.cpp", env.modules / f"pybind11_bench{env.suffix}"
    if stale(target, source):
        flags = ["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden"]
        flags += ["-I", env.include, "-I", home / "include"]
        run([tool("c++", "g++", "clang++"), *flags, source, "-o", target], "compiling the pybind11 peer")


# In the order of the table's columns; the floor first, since everything is divided by it.
CONTENDERS = {
    "floor": floor,
    "pairbond": pairbond,
    "pairbond_loaded": pairbond_loaded,
    "pairbond_cpp": pairbond_cpp,
    "nanobind_shared": nanobind,
    "nanobind_intrusive": nanobind,
    "pybind11": pybind11,
    "pyo3": lambda env: rust_crate(env, "pyo3_peer"),
    "tvm_ffi": tvm_ffi,
}
