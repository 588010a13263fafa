"""What crates may say of themselves, and how their modules are laid out."""

import fcntl
import os
import subprocess
from pathlib import Path

import build_ext
import pytest
import suites


def package(tmp_path, name="lockgraph", **table):
    return {
        "name": name,
        "id": name,
        "manifest_path": str(tmp_path / "Cargo.toml"),
        "metadata": {"pairbond": table} if table else None,
    }


def test_a_crate_without_a_module_is_no_extension(tmp_path):
    assert build_ext.extension(package(tmp_path)) is None
    assert build_ext.extension(package(tmp_path, **{"rust-tests": False})) is None


def test_folders_are_relative_to_the_manifest(tmp_path):
    (tmp_path / "python" / "lockgraph").mkdir(parents=True)
    found = build_ext.extension(package(tmp_path, module="lockgraph._lockgraph", python="python/lockgraph"))
    assert found.python == tmp_path / "python" / "lockgraph"
    assert found.tests is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"modul": "a._a"}, "unknown key"),
        ({"module": "a._a", "python": "missing"}, "not a folder"),
        ({"module": "a._a", "python": "python/lockgraph"}, "must be called a"),
    ],
)
def test_contradictions_are_errors(tmp_path, table, message):
    (tmp_path / "python" / "lockgraph").mkdir(parents=True)
    with pytest.raises(SystemExit, match=message):
        build_ext.extension(package(tmp_path, **table))


def test_crates_without_rust_tests(tmp_path, monkeypatch):
    crates = [
        package(tmp_path, "core"),
        package(tmp_path, "python", **{"rust-tests": False}),
        package(tmp_path, "native", module="pairbond._pairbond"),
    ]
    monkeypatch.setattr(build_ext, "packages", lambda: crates)
    assert build_ext.without_rust_tests() == ["python", "native"]


def test_mirroring_removes_what_is_gone_and_keeps_modules(tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    (source / "sub" / "__pycache__").mkdir(parents=True)
    for file in ("__init__.py", "py.typed", "sub/a.py", "sub/__pycache__/a.pyc", "stale.so"):
        (source / file).write_text(file)
    site.mkdir()
    for file in ("gone.py", "_native.so", "__init__.py"):
        (site / file).write_text("old")
    build_ext.mirror(source, site)
    there = {str(file.relative_to(site)) for file in site.rglob("*") if file.is_file()}
    assert there == {"__init__.py", "py.typed", "sub/a.py", "_native.so"}
    assert (site / "__init__.py").read_text() == "__init__.py"


def test_a_module_is_replaced_and_not_overwritten(tmp_path):
    new, installed = tmp_path / "new.so", tmp_path / "installed.so"
    new.write_text("new")
    installed.write_text("old")
    with installed.open() as mapped:
        build_ext.replace(new, installed)
        assert mapped.read() == "old"
    assert installed.read_text() == "new"


def test_the_first_build_for_an_interpreter_starts_from_the_newest_other(tmp_path):
    for age, name in ((20, "3.11"), (10, "3.12")):
        for folder in (".fingerprint", "build", "deps", "incremental"):
            (tmp_path / name / "debug" / folder).mkdir(parents=True)
        compiled = tmp_path / name / "debug" / "deps" / "libcore.rlib"
        compiled.write_text(name)
        os.utime(compiled, (1000, 1000))
        os.utime(tmp_path / name / "debug" / ".fingerprint", (5000 - age, 5000 - age))
    target = tmp_path / "3.13"
    build_ext.copy_build(target, "debug", build_ext.siblings(target))
    copy = target / "debug" / "deps" / "libcore.rlib"
    assert (copy.read_text(), copy.stat().st_mtime) == ("3.12", 1000)
    assert {it.name for it in target.rglob("*")} == {"debug", ".fingerprint", "build", "deps", "libcore.rlib"}


def test_a_sibling_that_cargo_builds_at_the_moment_is_passed_over(tmp_path):
    for age, name in ((20, "3.11"), (10, "3.12")):
        for folder in (".fingerprint", "build", "deps"):
            (tmp_path / name / "debug" / folder).mkdir(parents=True)
        (tmp_path / name / "debug" / "deps" / name).touch()
        os.utime(tmp_path / name / "debug" / ".fingerprint", (5000 - age, 5000 - age))
    with (tmp_path / "3.12" / "debug" / ".cargo-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        target = tmp_path / "3.13"
        build_ext.copy_build(target, "debug", build_ext.siblings(target))
    assert [it.name for it in (tmp_path / "3.13" / "debug" / "deps").iterdir()] == ["3.11"]


def test_later_builds_and_other_profiles_are_left_alone(tmp_path):
    for folder in (".fingerprint", "build", "deps"):
        (tmp_path / "3.11" / "debug" / folder).mkdir(parents=True)
    (tmp_path / "3.12" / "debug").mkdir(parents=True)
    for profile in ("debug", "release"):
        target = tmp_path / "3.12"
        build_ext.copy_build(target, profile, build_ext.siblings(target))
    assert [it.name for it in (tmp_path / "3.12").rglob("*")] == ["debug"]


def test_the_first_of_all_begins_with_several_folders_without_their_programs(tmp_path):
    sources = [tmp_path / "target", tmp_path / "target" / "libraries", tmp_path / "never built"]
    for source in sources[:2]:
        for folder in (".fingerprint", "build", "deps"):
            (source / "debug" / folder).mkdir(parents=True)
        (source / "debug" / "deps" / f"lib{source.name}.rlib").touch()
        (source / "debug" / "deps" / "a_test-1234").touch()
        (source / "debug" / "build" / "build-script-build").touch()
    target = tmp_path / "target" / "py" / "3.11"
    build_ext.copy_build(target, "debug", [*build_ext.siblings(target), sources])
    copied = {it.name for it in (target / "debug").rglob("*") if it.is_file()}
    assert copied == {"libtarget.rlib", "liblibraries.rlib", "build-script-build"}


def test_crates_that_build_no_tests_have_none():
    """With `test = false` cargo builds no test binary of a library, and would say nothing of the tests in it."""
    for package in build_ext.packages():
        for target in package["targets"]:
            if target["kind"] != ["custom-build"] and not target["test"]:
                sources = Path(target["src_path"]).parent.rglob("*.rs")
                assert [it for it in sources if "#[test]" in it.read_text(encoding="utf-8")] == [], package["name"]


def features(*arguments):
    """Crates of others that cargo compiles for such arguments, each with its features."""
    command = [build_ext.CARGO, "tree", "--prefix=none", "--no-dedupe", "--format={p} {f}", *arguments]
    run = subprocess.run(command, cwd=build_ext.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found = {}
    for line in {line.replace(" (proc-macro)", "") for line in run.stdout.splitlines()}:
        name, version, *rest = line.split(" ") if line else ("", "")
        if rest and not rest[0].startswith("("):
            found.setdefault((name, version), set()).add(" ".join(rest))
    return found


def test_other_crates_have_the_same_features_in_all_builds():
    """Otherwise cargo compiles them, and the macros with them, once more for the extension modules, and once more for
    an interpreter that has not all of these: what differs is missing in tests/workspace-hack."""
    rust = features("--edges=normal,build,dev", *suites.with_rust_tests())
    extensions = build_ext.extensions()
    few = [it.crate for it in extensions if it.interpreters is None]
    assert len(few) < len(extensions)
    for wanted in [it.crate for it in extensions], few, ["pairbond-test-library"]:
        modules = features("--edges=normal,build", build_ext.UNIFIED, *(f"--package={it}" for it in wanted))
        both = modules.keys() & rust.keys()
        assert len(both) > 20
        assert {it: (modules[it], rust[it]) for it in both if modules[it].isdisjoint(rust[it])} == {}
