#!/usr/bin/env python3
"""`make test-long`: what takes longer than a change can wait for. Ends with the total, `N passed, N failed`.

    test_long.py [PART...]     miri tsan tsan-c tsan-python rust python exits sessions forks greenlets c aarch64 peers
                               torch chains worlds fuzz; without arguments all of them, in this order

- miri: the tests of pairbond-core and the crates on it under Miri. Needs a nightly toolchain.
- tsan: the tests of these crates under ThreadSanitizer, with a standard library built for it. Needs a nightly
  toolchain with rust-src.
- tsan-c: threads of C and C++, with threads of Rust around them, in a program without Python (tests/threads.rs of
  pairbond-plugin) that is wholly built for ThreadSanitizer: the libraries by the compiler of C++ that is there, gcc as
  well as clang. Needs rust-src, of a nightly toolchain or of the one that is there. In CI; `tsan` runs it, too.
- tsan-python: threads of Python under ThreadSanitizer, with a free-threaded CPython, extension modules and libraries of
  C and C++ built for it (threads_watched.py). CPython is built the first time (build_python.sh), which takes a quarter
  of an hour; clang 17 or newer and a nightly toolchain with rust-src are needed.
- rust: all tests again, optimised, with PAIRBOND_LONG=1: random tests go on for PAIRBOND_LONG_SECONDS each.
- python: the random tests likewise, as built for `make test`, on the default interpreter and the free-threaded ones.
- exits: processes that end while threads are in Python code that native code called, by every way there is, and after
  threads have moved nodes between trees; built as users get it, on the default interpreter and the free-threaded ones.
- sessions: containers in the mixes of operations of programs, each compared with Python's own: LONG_SESSIONS of them (a
  hundred million unless told), or as many as there is time for; the last line says how many. Optimised, on a
  free-threaded interpreter.
- forks: a thousand forks while passes run, and forks of the other tests, optimised, on the default interpreter.
- greenlets: destructors and comparisons that switch greenlets, on the default interpreter. greenlet and gevent are
  installed into .envs/greenlets.
- c: the tests of libraries of C and C++ under AddressSanitizer and UndefinedBehaviorSanitizer, which gcc brings;
  `tsan-c` and `tsan-python` are for the third.
- aarch64: Python tests on another kind of processor, under qemu-user, with Debian's CPython (test_aarch64.py).
- peers: texts of MLIR's own bindings and of models that JAX lowers, there and back, on the default interpreter. JAX is
  installed into .envs/peers.
- torch: random programs, all operations in place, modules, losses, optimizers, hooks and DLPack in pairbond_autograd
  and in PyTorch, on the default interpreter: values and gradients are the same. PyTorch is installed into .envs/torch.
- chains: graphs of a million nodes of every kind run and die on small stacks, optimised, on the default interpreter and
  the free-threaded ones.
- worlds: the random world of tests/python on pydebug interpreters, which abort when a reference is reported twice:
  LONG_OPERATIONS of them (ten million unless told), or as many as there is time for; the table says how many.
- fuzz: each target of fuzz/ for a minute, from LONG_SEED (the clock unless told). Needs a nightly toolchain and
  cargo-fuzz, which is installed into .tools.

LONG_BUDGET, in minutes, bounds the whole (45 unless told); a part that exceeds its share is stopped and fails.
What this machine cannot run is named in the closing table as NOT RUN.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import build_ext
import environments
import parts
import pythons
import test_aarch64
import test_rust
from parts import CARGO, ROOT, Part

BUDGET = float(os.environ.get("LONG_BUDGET") or "45")
SHARE = {
    "miri": 0.29,
    "tsan": 0.06,
    "tsan-c": 0.02,
    "tsan-python": 0.05,
    "rust": 0.12,
    "python": 0.1,
    "exits": 0.05,
    "sessions": 0.05,
    "forks": 0.02,
    "greenlets": 0.02,
    "c": 0.02,
    "aarch64": 0.02,
    "peers": 0.04,
    "torch": 0.02,
    "chains": 0.05,
    "worlds": 0.05,
    "fuzz": 0.06,
}
OPERATIONS = int(os.environ.get("LONG_OPERATIONS") or "10_000_000")
SESSIONS = int(os.environ.get("LONG_SESSIONS") or "100_000_000")
TOOLS = ROOT / ".tools"


class NotHere(Exception):
    """This machine cannot run a part; the text says why."""


def obtain(*command: str, minutes: float = 15, env: dict[str, str] | None = None) -> None:
    """Run a command that fetches something; a failure means that it cannot be had."""
    print("+", " ".join(command), flush=True)
    env = os.environ | (env or {})
    try:
        run = subprocess.run(
            command,
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=minutes * 60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotHere(f"{' '.join(command)}: {error}") from error
    if run.returncode:
        print(run.stdout, flush=True)
        raise NotHere(f"`{' '.join(command)}` failed")


def nightly(*components: str) -> None:
    """See to it that there is a nightly toolchain with these components."""
    if shutil.which("rustup") is None:
        raise NotHere("no rustup, so no nightly toolchain")
    listed = subprocess.run(["rustup", "toolchain", "list"], stdout=subprocess.PIPE, text=True).stdout
    if not any(line.startswith("nightly") for line in listed.splitlines()):
        obtain("rustup", "toolchain", "install", "nightly", "--profile=minimal")
    if components:
        obtain("rustup", "component", "add", "--toolchain=nightly", *components)


#: The crates that know no Python.
BELOW_PYTHON = [f"--package=pairbond-{it}" for it in ("core", "value", "dynamic", "tree", "plugin", "serial")]


def miri() -> Iterator[Part]:
    nightly("miri", "rust-src")
    # The pair word holds an address as a number, with exposed provenance: strict provenance cannot follow it. A header
    # is reached through references to values behind it, which the older of the two aliasing models (Stacked Borrows)
    # refuses in the collector's tests. No leak check is switched off.
    env = {
        "MIRIFLAGS": f"-Zmiri-tree-borrows -Zmiri-permissive-provenance {os.environ.get('MIRIFLAGS', '')}".strip(),
        "CARGO_TARGET_DIR": str(ROOT / "target" / "miri"),
    }
    # nextest runs on all processors what Miri by itself runs on one.
    runner = ["nextest", "run", "--profile=long"] if test_rust.has_nextest() else ["test"]
    command = ["cargo", "+nightly", "miri", *runner, *BELOW_PYTHON, "--lib", "--tests", "--no-fail-fast"]
    yield Part("miri", command, env, minutes("miri"))


def tsan() -> Iterator[Part]:
    host = nightly_host()
    command = ["cargo", "+nightly", "test", "-Zbuild-std", f"--target={host}", *BELOW_PYTHON]
    # Left out is what plays other threads on one.
    skip = ["--skip=faults::", "--skip=nothing_alive_is_cleared"]
    command += ["--lib", "--tests", "--no-fail-fast", "--", *skip]
    yield Part("tsan", command, watched_environment(), minutes("tsan") + 7)


def tsan_c() -> Iterator[Part]:
    if missing := [it for it in (os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")) if not shutil.which(it)]:
        raise NotHere(f"needs compilers of C and C++ ({' and '.join(missing)})")
    env = watched_environment()
    try:
        cargo, host = ["cargo", "+nightly"], nightly_host()
    except NotHere as why:
        # The toolchain that is there does the same, if it is told to, and has its library's source.
        cargo, host = [CARGO], sanitized_host("rustc")
        env["RUSTC_BOOTSTRAP"] = "1"
        if not has_library_source():
            raise NotHere(f"{why}; and no rust-src of the toolchain that is there") from why
    obtain(*cargo, "fetch", "-Zbuild-std", f"--target={host}", env=env)
    command = [*cargo, "test", "-Zbuild-std", f"--target={host}", "--package=pairbond-plugin", "--test=threads"]
    yield Part("tsan-c", command, env, minutes("tsan-c") + 7)


def watched_environment() -> dict[str, str]:
    """For Rust tests under ThreadSanitizer. Libraries of C that a test loads find its runtime in the test's program."""
    flags = "-Zsanitizer=thread --cfg=pairbond_tsan -Clink-arg=-rdynamic"
    return {
        "RUSTFLAGS": f"{flags} {os.environ.get('RUSTFLAGS', '')}".strip(),
        "TSAN_OPTIONS": sanitized("halt_on_error=1", "allocator_may_return_null=1"),
        "CARGO_TARGET_DIR": str(ROOT / "target" / "tsan"),
    }


def has_library_source() -> bool:
    root = subprocess.run(["rustc", "--print=sysroot"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return (Path(root.strip()) / "lib" / "rustlib" / "src" / "rust" / "library" / "std").is_dir()


def nightly_host() -> str:
    """The machine as the nightly toolchain calls it, if there is a ThreadSanitizer for it."""
    nightly("rust-src")
    return sanitized_host("rustc", "+nightly")


def sanitized_host(*rustc: str) -> str:
    """The machine as a compiler calls it, if there is a ThreadSanitizer for it."""
    listed = subprocess.run([*rustc, "-vV"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    host = next(line.split()[1] for line in listed.stdout.splitlines() if line.startswith("host:"))
    if not host.endswith(("-unknown-linux-gnu", "-apple-darwin")):
        raise NotHere(f"there is no ThreadSanitizer for {host}")
    return host


def sanitized(*options: str) -> str:
    return " ".join([*options, os.environ.get("TSAN_OPTIONS", "")]).strip()


def watched_libraries(folder: Path) -> Path | None:
    """The libraries of tests/c for ThreadSanitizer, whose runtime the interpreter brings: by clang, as Rust's."""
    compilers = {".c": ("clang", "-std=c11"), ".cpp": ("clang++", "-std=c++17")}
    if any(shutil.which(compiler) is None for compiler, _ in compilers.values()):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    flags = [
        "-O1",
        "-g",
        "-pthread",
        "-fsanitize=thread",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
        "-Ipython/pairbond/include",
    ]
    for name in ("shapes.c", "graphs.cpp", "pthreads.c", "threads.cpp"):
        made = folder / f"{Path(name).stem}.abi3.so"
        command = [*compilers[Path(name).suffix], *flags, f"tests/c/{name}", "-o", str(made)]
        subprocess.run(command, cwd=ROOT, check=True)
    return folder


def tsan_python() -> Iterator[Part]:
    host = nightly_host()
    if not host.endswith("-linux-gnu"):
        raise NotHere("its runtime comes with the interpreter on Linux only")
    obtain("scripts/build_python.sh", "3.14t-tsan", minutes=90)
    prefix = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pythons" / "watched" / "3.14t-tsan"
    (interpreter,) = pythons.find([str(prefix / "bin" / "python3.14t")])
    crates = ("pairbond-native", "pairbond-test-holders", "pairbond-test-extension")
    wanted = [it for it in build_ext.extensions() if it.crate in crates]
    target = ROOT / "target" / "tsan-python"
    command = ["cargo", "+nightly", "build", "-Zbuild-std", f"--target={host}", f"--target-dir={target}", "--lib"]
    command += ["--message-format=json-render-diagnostics", *(f"--package={crate}" for crate in crates)]
    # What is called in nobody's debug build is what races; without optimising all takes five times as long.
    env = build_ext.environment(interpreter) | {
        "RUSTFLAGS": f"-Zsanitizer=thread {os.environ.get('RUSTFLAGS', '')}".strip(),
        "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
    }
    run = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise NotHere("the extension modules cannot be built for ThreadSanitizer")
    site = target / "site"
    build_ext.lay_out(interpreter, wanted, dict(build_ext.cdylibs(run.stdout)), site)
    # CPython's own races are CPython's; that a lock is destroyed while the process ends is not asked for.
    suppressions = prefix / "suppressions.txt"
    env = {
        "PYTHONPATH": str(site),
        "TSAN_OPTIONS": sanitized(f"suppressions={suppressions}", "exitcode=66", "history_size=4"),
    }
    if libraries := watched_libraries(target / "c"):
        env["PAIRBOND_WATCHED_LIBRARIES"] = str(libraries)
    else:
        print("tsan-python: without libraries of C and C++, which need clang", flush=True)
    program = "tests/python/threads_watched.py"
    yield Part("tsan-python", [interpreter.path, program], env, minutes("tsan-python") + 10, "nothing")


def rust() -> Iterator[Part]:
    share = minutes("rust")
    env = parts.QUICK_RELEASE | {"CARGO_TARGET_DIR": str(ROOT / "target" / "long")} | long(share * 60 / 20)
    if "nextest" in (runner := test_rust.runner()):
        runner += ["--profile=long"]
    excluded = [f"--exclude={name}" for name in build_ext.without_rust_tests()]
    yield Part("rust, long", [*runner, "--release", "--workspace", *excluded], env, share)


def default_and_free_threaded() -> list[pythons.Interpreter]:
    """The interpreters for tests that would take too long on all."""
    found = pythons.pythons()
    return [it for it in found if it.free_threaded and not it.debug] + [pythons.default(found)]


def python() -> Iterator[Part]:
    share = minutes("python")
    chosen = default_and_free_threaded()
    each = share / len(chosen)
    env = long(each * 60 / 25) | {
        "PAIRBOND_PYTEST_MINUTES": str(each * 1.5),  # what is not random takes some time, too
        "PAIRBOND_PYTHONS": ",".join(it.path for it in chosen),
        "PYTEST_ADDOPTS": "-k random",
    }
    yield Part("python, long", [sys.executable, "scripts/test_python.py"], env, share, "total")


def environment(name: str, what: str, interpreter: pythons.Interpreter) -> Path:
    """The Python of .envs/NAME, which has what tests/requirements-NAME.txt asks for."""
    wanted = ROOT / "tests" / f"requirements-{name}.txt"
    try:
        return environments.with_requirements(ROOT / ".envs" / name, interpreter, wanted)
    except environments.Unusable as error:
        raise NotHere(f"{what} cannot be had: {str(error).splitlines()[-1]}") from error


def modules(interpreter: pythons.Interpreter, crates: tuple[str, ...], release: bool = False) -> Path:
    """The site with the modules of some crates alone."""
    wanted = [it for it in build_ext.extensions() if it.crate in crates]
    return build_ext.build(interpreter, wanted, release, beside=[])


def exits() -> Iterator[Part]:
    chosen = default_and_free_threaded()
    runs = max(1, int(minutes("exits") * 60 / len(chosen) / 70))  # 70 ways, a second each
    env = {
        "PAIRBOND_EXIT_RUNS": str(runs),
        "PAIRBOND_END_RUNS": str(20 * runs),
        "PAIRBOND_SHUTDOWN_RUNS": str(2 * runs),
        "PAIRBOND_PYTHONS": ",".join(it.path for it in chosen),
    }
    command = [sys.executable, "scripts/test_python.py", "--release", "-k", "exits or trees_end or shutdown or daemon"]
    # Link-time optimisation takes minutes for each module: only those that these tests import, and not within the time
    # that the tests have.
    crates = ("pairbond-native", "pairbond-test-extension", "pairbond-test-holders")
    command += [f"--crate={name}" for name in crates]
    command += [f"--file=tests/python/test_{name}.py" for name in ("exits", "trees_end", "shutdown", "interrupts")]
    for interpreter in chosen:
        modules(interpreter, crates, release=True)
    yield Part("exits", command, env, minutes("exits") * 2 + 20, "total")


def sessions() -> Iterator[Part]:
    interpreter = default_and_free_threaded()[0]
    site = modules(interpreter, ("pairbond-native", "pairbond-test-holders"), release=True)
    share = minutes("sessions")
    seed = os.environ.get("LONG_SEED") or str(random.SystemRandom().randrange(10**9))
    command = [interpreter.path, "tests/python/containers_sessions.py", f"--minutes={share:g}", seed, str(SESSIONS)]
    yield Part("sessions", command, {"PYTHONPATH": str(site)}, share + 5, "nothing")


def forks() -> Iterator[Part]:
    interpreter = pythons.default(pythons.pythons())
    # Optimised, but not at link time, which takes minutes for each module and changes nothing about locks.
    env = long(60) | parts.QUICK_RELEASE | {"PAIRBOND_PYTHONS": interpreter.path}
    crates = (
        "pairbond-native",
        "pairbond-test-extension",
        "pairbond-test-holders",
        "pairbond-autograd",
        "pairbond-ir",
        "lockgraph",  # tests/python/promises.py
    )
    files = [f"tests/python/test_{name}.py" for name in ("async", "flat", "serial_processes")]
    files += ["libs/pairbond-autograd/tests/test_kernel_threads.py", "libs/pairbond-ir/tests/test_forks.py"]
    command = [sys.executable, "scripts/test_python.py", "--release", "-k", "fork"]
    command += [*(f"--crate={name}" for name in crates), *(f"--file={path}" for path in files)]
    yield Part("forks", command, env, minutes("forks") + 30, "total")


def greenlets() -> Iterator[Part]:
    interpreter = pythons.default(pythons.pythons())
    python = environment("greenlets", "greenlet", interpreter)
    site = modules(interpreter, ("pairbond-native", "pairbond-test-holders"))
    env = {"PYTHONPATH": str(site)}
    command = [str(python), "-m", "pytest", "--quiet", "tests/python/test_greenlets.py"]
    yield Part("greenlets", command, env, minutes("greenlets") + 5, "pytest")


def c() -> Iterator[Part]:
    interpreter = pythons.default(pythons.pythons())
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise NotHere("needs a compiler of C")
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        path = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        if not Path(path).is_absolute():
            raise NotHere(f"needs {name} of gcc")
        libraries.append(path)
    # The sanitizer has to be there before a library that is built with it is loaded. CPython keeps
    # memory to the end.
    env = {
        "PAIRBOND_PYTHONS": interpreter.path,
        "PAIRBOND_C_SANITIZERS": "address,undefined",
        "PAIRBOND_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }
    command = [sys.executable, "scripts/test_python.py", "-k", "test_c.py or test_cpp.py or test_c_"]
    yield Part("c", command, env, minutes("c") + 5, "total")


def aarch64() -> Iterator[Part]:
    try:
        command, env = test_aarch64.prepare()
    except environments.Unusable as error:
        raise NotHere(str(error)) from error
    yield Part("aarch64", command, env, minutes("aarch64") + 20, "pytest")


def peers() -> Iterator[Part]:
    interpreter = pythons.default(pythons.pythons())
    python = environment("peers", "JAX", interpreter)
    env = {"PAIRBOND_MLIR_PYTHON": str(python), "PAIRBOND_PYTHONS": interpreter.path, "PYTEST_ADDOPTS": "-k test_peers"}
    yield Part("peers", [sys.executable, "scripts/test_python.py"], env, minutes("peers") + 5, "total")


def torch() -> Iterator[Part]:
    interpreter = pythons.default(pythons.pythons())
    python = environment("torch", "PyTorch", interpreter)
    site = modules(interpreter, ("pairbond-native", "pairbond-autograd"))
    tests = ROOT / "libs" / "pairbond-autograd" / "tests"
    names = (
        "torch",
        "torch_features",
        "torch_histories",
        "torch_in_place",
        "torch_operators",
        "other_data",
        "tensor_exchange",
        "nn_functional",
        "nn_modules",
        "optim_torch",
    )
    files = [str(tests / f"test_{name}.py") for name in names]
    share = minutes("torch")
    env = long(share * 60) | {"PYTHONPATH": str(site)}
    yield Part("torch", [str(python), "-m", "pytest", "--quiet", *files], env, share + 40, "pytest")


def chains() -> Iterator[Part]:
    chosen = default_and_free_threaded()
    env = long(60) | {"PAIRBOND_PYTHONS": ",".join(it.path for it in chosen), "PYTEST_ADDOPTS": "-k long_chain"}
    command = [sys.executable, "scripts/test_python.py", "--release", "--jobs=1"]
    yield Part("chains", command, env, minutes("chains") + 15, "total")


def worlds() -> Iterator[Part]:
    debug = [it for it in pythons.pythons() if it.debug]
    if not debug:
        raise NotHere("there is no pydebug build of CPython")
    command = [sys.executable, "scripts/test_worlds.py", str(OPERATIONS), f"--minutes={minutes('worlds'):g}"]
    env = {"PAIRBOND_PYTHONS": ",".join(it.path for it in debug)}
    yield Part("worlds", command, env, minutes("worlds") + 5, "total")


def fuzz() -> Iterator[Part]:
    if not (ROOT / "fuzz" / "Cargo.toml").exists():
        raise NotHere("there is no fuzz/Cargo.toml")
    nightly()
    path = f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"
    if shutil.which("cargo-fuzz", path=path) is None:
        obtain(CARGO, "install", "cargo-fuzz", "--locked", f"--root={TOOLS}")
    os.environ["PATH"] = path
    listed = subprocess.run(
        ["cargo", "+nightly", "fuzz", "list"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    targets = listed.stdout.split()
    seconds = min(60, int(minutes("fuzz") * 60 / max(1, len(targets))))
    for target in targets:
        seed = os.environ.get("LONG_SEED") or "0"
        command = ["cargo", "+nightly", "fuzz", "run", target, "--", f"-max_total_time={seconds}", f"-seed={seed}"]
        yield Part(f"fuzz {target}", command, minutes=minutes("fuzz") + 5, reads="nothing")


def minutes(name: str) -> float:
    return BUDGET * SHARE[name]


def long(seconds: float) -> dict[str, str]:
    """What random tests read: that they shall go on, and for how long each."""
    each = os.environ.get("PAIRBOND_LONG_SECONDS") or f"{max(5, min(60, seconds)):.0f}"
    return {"PAIRBOND_LONG": "1", "PAIRBOND_LONG_SECONDS": each}


def main() -> None:
    choice = {
        "miri": miri,
        "tsan": tsan,
        "tsan-c": tsan_c,
        "tsan-python": tsan_python,
        "rust": rust,
        "python": python,
        "exits": exits,
        "sessions": sessions,
        "forks": forks,
        "greenlets": greenlets,
        "c": c,
        "aarch64": aarch64,
        "peers": peers,
        "torch": torch,
        "chains": chains,
        "worlds": worlds,
        "fuzz": fuzz,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*choice, []], metavar="PART")
    names = parser.parse_args().parts or list(choice)
    interpreter = pythons.default(pythons.pythons())
    if interpreter is not None:
        os.environ.setdefault("PYO3_PYTHON", interpreter.path)
    results, not_run = [], []
    for name in names:
        try:
            results += [parts.run(part) for part in choice[name]()]
        except NotHere as why:
            print(f"\n=== {name} is NOT RUN: {why}", flush=True)
            not_run.append((name, str(why)))
    parts.close(results, not_run)


if __name__ == "__main__":
    main()
