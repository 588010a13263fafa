"""The parts of `make test`, `make test-all` and `make test-dist`: what each runs. selection.py says which do."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Sequence

import build_ext
import environments
import kept
import parts
import pythons
import selection
import test_rust
from parts import CARGO, ROOT, Part
from selection import Job

#: Crates whose Rust tests need no interpreter without their feature `python`: the same types in plain Rust programs.
WITHOUT_PYTHON = ("lockgraph",)
#: Features of the facade that the tests of the workspace use.
BATTERIES = "--features=pairbond/dynamic,pairbond/library,pairbond/serial,pairbond/tracing,pairbond/tree"
#: Parts whose results are kept whole, and the files that these depend on.
DEPENDS = {
    "scripts": lambda file: not file.endswith((".rs", ".stderr")),
    "core-free": lambda file: file.endswith((".rs", ".toml", ".lock", ".py")),
    "types": lambda file: not (kept.is_unread(file) or kept.is_test(file) or file.endswith(kept.PROSE)),
    "doc": lambda file: not (kept.is_unread(file) or file.endswith(".py")),
    "loom": lambda file: file.endswith((".rs", ".toml", ".lock", ".txt")),
}
#: Programs without which tests of such a part are skipped.
OPTIONAL = ("clang", "clang++")
#: What the release build is tested with.
RELEASE_CRATES = (
    "pairbond-native",
    "lockgraph",
    "pairbond-test-extension",
    "pairbond-test-holders",
    "pairbond-test-library",
)


def part(job: Job, default: pythons.Interpreter, expression: str, keep: bool = False) -> Part:
    """What to run for a job. The default interpreter serves parts that need just one. `keep`: not what need not run
    because its result holds."""
    keep = keep and not expression
    made = {
        "core-free": lambda: script("core-free", "check_core_is_python_free.py"),
        "architecture": lambda: script("architecture", "check_architecture.py"),
        "scripts": lambda: scripts(default, expression),
        "types": lambda: Part("types", [sys.executable, "scripts/check_types.py"], reads="total"),
        "rust": lambda: rust(expression, keep),
        "rust-large": lambda: rust_large(),
        "doc": lambda: doc(expression),
        "loom": lambda: loom(expression),
        "python": lambda: python(job, default, expression, keep),
        "large": lambda: large(job, expression, keep),
        "release": lambda: release(job, expression),
        "abi": lambda: abi(job, expression),
        "pyo3": lambda: on_interpreters(job, "scripts/test_pyo3.py", *pytest_filter(expression)),
        "embedding": lambda: embedding(job),
        "packages": lambda: packages(job, expression),
        "platforms": lambda: Part("platforms", [sys.executable, "scripts/check_platforms.py"], reads="total"),
        "processes": lambda: by_pytest("processes", "scripts/test_processes.py", expression),
        "docs": lambda: by_pytest("docs", "scripts/test_docs.py", expression),
        "candle": lambda: candle(expression),
    }[job.part]()
    made.may_be_empty |= bool(expression)
    if keep and job.part in DEPENDS and (checkout := kept.checkout()):
        made.digest = checkout.digest(DEPENDS[job.part], made.command, default, *map(shutil.which, OPTIONAL))
    made.shares = job.beside or job.part in selection.SHARING
    return made


def begin_environments(jobs: Sequence[Job], default: pythons.Interpreter) -> None:
    """Begins to make the environments of later parts: half of the time they wait for downloads, beside the first part.
    A part that needs one waits for it, or makes it; and says why if that fails."""
    wanted = {job.part for job in jobs if job.part in ("scripts", "types") or default in job.interpreters}
    makers = [environments.for_tests] * bool(wanted & {"scripts", "python", "large"})
    makers += [environments.for_types] * ("types" in wanted)

    def make() -> None:
        for maker in makers:
            with contextlib.suppress(environments.Unusable, OSError):
                maker(default)

    threading.Thread(target=make, daemon=True).start()


def script(name: str, file: str) -> Part:
    return Part(name, [sys.executable, f"scripts/{file}"], reads="nothing")


def scripts(interpreter: pythons.Interpreter, expression: str) -> Part:
    """The tests of these scripts themselves, on one interpreter."""
    try:
        python = environments.for_tests(interpreter)
    except environments.Unusable as error:
        sys.exit(f"test: {error}")
    command = [str(python), "-m", "pytest", "--quiet", "--numprocesses=2", *pytest_filter(expression), "tests/scripts"]
    return Part("scripts", command, reads="pytest")


def rust(expression: str, keep: bool) -> Part:
    command = [sys.executable, "scripts/test_rust.py", *["--keep"] * keep, *with_rust_tests(), *rust_filter(expression)]
    return Part("rust", command)


def rust_large() -> Part:
    """The Rust tests that the part rust leaves out where cargo-nextest runs them: .config/nextest.toml names them."""
    command = [sys.executable, "scripts/test_rust.py", "--large", *with_rust_tests()]
    return Part("rust-large", command, may_be_empty=not test_rust.has_nextest())


def with_rust_tests() -> list[str]:
    """Arguments of cargo: the crates whose Rust tests run, and their features."""
    excluded = [f"--exclude={name}" for name in build_ext.without_rust_tests() if name not in WITHOUT_PYTHON]
    return ["--workspace", *excluded, "--no-default-features", BATTERIES]


def doc(expression: str) -> Part:
    # Without the crates that have no examples: cargo would compile them for nothing.
    excluded = [f"--exclude={name}" for name in (*build_ext.without_rust_tests(), "pairbond-python")]
    # Not every other crate has examples in its documentation: none is no failure here.
    command = [CARGO, "test", "--doc", "--no-fail-fast", "--workspace", "--no-default-features", BATTERIES, *excluded]
    return Part("doc", [*command, *cargo_test_filter(expression)], may_be_empty=True)


def loom(expression: str) -> Part:
    """The model-checked tests: crates/pairbond-core/tests/loom*.rs. Optimised, but not with the fat LTO of releases."""
    env = {
        "RUSTFLAGS": f"{os.environ.get('RUSTFLAGS', '')} --cfg loom".strip(),
        "CARGO_TARGET_DIR": str(ROOT / "target" / "loom"),
        "LOOM_MAX_PREEMPTIONS": os.environ.get("LOOM_MAX_PREEMPTIONS", "3"),
    }
    command = [CARGO, "test", "--package=pairbond-core", "--release", "--no-fail-fast", "--test=loom*"]
    return Part("loom", [*command, *cargo_test_filter(expression)], env | parts.QUICK_RELEASE)


def candle(expression: str) -> Part:
    """The example with candle's tensors, a workspace of its own: candle takes minutes to compile."""
    command = [CARGO, "test", "--locked", "--no-fail-fast", "--manifest-path=examples/tape-candle/Cargo.toml"]
    return Part("candle", [*command, f"--target-dir={ROOT / 'target' / 'candle'}", *cargo_test_filter(expression)])


def python(job: Job, default: pythons.Interpreter, expression: str, keep: bool) -> Part:
    """Several interpreters are tested at the same time, each by one process; the files of a single one are divided."""
    options = ["--keep"] * keep + ([f"--besides={default.name}"] if job.further else [])
    if not job.beside:
        options.append(on_all_processors())
    if job.quick and not expression:
        options += ["-m", "not (large or slow)"]
    return python_tests(job, expression, *options)


def large(job: Job, expression: str, keep: bool) -> Part:
    """The Python tests that `make test` leaves out, for each takes seconds."""
    return python_tests(job, expression, *["--keep"] * keep, on_all_processors(), "-m", "large or slow")


def release(job: Job, expression: str) -> Part:
    """A few Python tests of what users get: some faults show only after link-time optimisation."""
    crates = [f"--crate={name}" for name in RELEASE_CRATES]
    return python_tests(job, expression, on_all_processors(), "--release", "--essentials", *crates)


def on_all_processors() -> str:
    return f"--workers={os.cpu_count() or 1}"


def python_tests(job: Job, expression: str, *options: str) -> Part:
    filtered = ["--may-be-empty", *pytest_filter(expression)] if expression else []
    return on_interpreters(job, "scripts/test_python.py", *options, *filtered)


def abi(job: Job, expression: str) -> Part:
    """Small extension modules that were built in many ways, in one process: on the default interpreter."""
    made = on_interpreters(job, "scripts/test_abi.py", *pytest_filter(expression))
    made.reads = "pytest"
    return made


def embedding(job: Job) -> Part:
    """A Rust program that embeds Python; needs a libpython to link: interpreters without one are named."""
    made = on_interpreters(job, "scripts/test_embedding.py")
    made.may_be_empty = True
    return made


def packages(job: Job, expression: str) -> Part:
    """What is published, and the projects that `python -m pairbond new` writes: built, installed and tested."""
    made = on_interpreters(job, "scripts/test_packages.py", *pytest_filter(expression))
    made.reads = "pytest"
    return made


def by_pytest(name: str, script: str, expression: str) -> Part:
    """Tests on the default interpreter, in an environment of their own."""
    return Part(name, [sys.executable, script, *pytest_filter(expression)], reads="pytest")


def on_interpreters(job: Job, *command: str) -> Part:
    env = {"PAIRBOND_PYTHONS": ",".join(it.path for it in job.interpreters)}
    return Part(str(job), [sys.executable, *command], env, reads="total")


def pytest_filter(expression: str) -> list[str]:
    return ["-k", expression] if expression else []


def rust_filter(expression: str) -> list[str]:
    if not expression or not test_rust.has_nextest():
        return cargo_test_filter(expression)
    chosen = f"--filterset={selection.nextest(expression, test_binaries())}"
    return ["--ignore-default-filter", chosen, "--no-tests=pass"]


def test_binaries() -> list[str]:
    """The names of integration tests: files and folders of `tests` of crates."""
    files = [*ROOT.glob("*/*/tests/*.rs"), *(main.parent for main in ROOT.glob("*/*/tests/*/main.rs"))]
    return [file.stem for file in files]


def cargo_test_filter(expression: str) -> list[str]:
    if not expression:
        return []
    word = selection.substring(expression)
    if word is None:
        sys.exit(f"test: without cargo-nextest the Rust tests can be filtered by one word, not by {expression!r}")
    return ["--", word]
