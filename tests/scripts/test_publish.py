"""In which order crates are published, and what must not be forgotten when versions change."""

import json
import re
import subprocess
import tomllib

import publish
import pytest
from publish import ROOT


def package(name, *needs, **further):
    dependencies = [{"name": it, "kind": None, "req": "^1"} for it in needs]
    return {"name": name, "publish": None, "dependencies": dependencies} | further


def test_a_crate_comes_after_those_that_it_depends_on():
    packages = [package("a", "b", "elsewhere"), package("b", "c"), package("d", publish=[]), package("c")]
    assert publish.order(packages) == ["c", "b", "a"]


def test_a_crate_cannot_depend_on_one_that_is_not_published():
    with pytest.raises(ValueError, match="a depends on b, which is not published"):
        publish.order([package("a", "b"), package("b", publish=[])])


def test_a_dependency_for_tests_may_be_unpublished():
    tests = {"name": "b", "kind": "dev", "req": "*"}
    assert publish.order([package("a", dependencies=[tests]), package("b", publish=[])]) == ["a"]


def test_this_workspace():
    packages = publish.workspace()
    names = publish.order(packages)
    assert names == [
        "pairbond-core",
        "pairbond-macros",
        "pairbond-value",
        "pairbond-dynamic",
        "pairbond-tree",
        "pairbond-plugin",
        "pairbond-serial",
        "pairbond-python",
        "pairbond",
        "pairbond-tape",
    ]
    for it in packages:
        if it["name"] in names:
            assert not publish.lacking(it, publish.files(it["name"])), it["name"]


def test_what_a_package_lacks():
    empty = dict.fromkeys(publish.REQUIRED_FIELDS, "x") | {"keywords": []}
    assert publish.lacking(empty, ["LICENSE-MIT"]) == ["keywords", "LICENSE-APACHE", "README.md"]


def toml(name):
    return tomllib.loads((ROOT / name).read_text())


def test_versions_agree():
    version = toml("Cargo.toml")["workspace"]["package"]["version"]
    assert f'__version__ = "{version}"' in (ROOT / "python/pairbond/__init__.py").read_text()
    for name, dependency in toml("Cargo.toml")["workspace"]["dependencies"].items():
        if "path" in dependency:
            assert dependency["version"] == f"={version}", name
    major, minor, _ = version.split(".")
    for library in ("pairbond-ir", "pairbond-autograd"):
        wanted = [f"pairbond>={major}.{minor},<{major}.{int(minor) + 1}"]
        assert toml(f"libs/{library}/pyproject.toml")["project"]["dependencies"] == wanted


def test_new_projects_use_the_newest_pyo3_that_pairbond_accepts():
    """A program can contain one pyo3-ffi only; all crates accept the same range, and tests/pyo3 has both ends of it."""
    accepted = toml("crates/pairbond-python/Cargo.toml")["dependencies"]["pyo3-ffi"]
    assert toml("crates/pairbond-native/Cargo.toml")["dependencies"]["pyo3-ffi"] == accepted
    for crate in ("pairbond-core", "pairbond-value", "pairbond"):
        assert toml(f"crates/{crate}/Cargo.toml")["dependencies"]["pyo3"]["version"] == accepted
    oldest, above = re.fullmatch(r">=0\.(\d+), <0\.(\d+)", accepted).groups()
    newest = re.search(r'^PYO3 = "0\.(.*)"', (ROOT / "python/pairbond/_new/__init__.py").read_text(), flags=re.M)[1]
    assert int(newest) == int(above) - 1
    assert toml("tests/pyo3/oldest/Cargo.toml")["dependencies"]["pyo3"] == f"=0.{oldest}.0"
    assert toml("tests/pyo3/mixed/Cargo.toml")["dependencies"]["pyo3"] == f"0.{newest}"


def test_deny_toml_allows_the_licences_of_all_dependencies():
    """cargo-deny checks this, too, where it is installed."""
    allowed = set(toml("deny.toml")["licenses"]["allow"])
    command = ["cargo", "metadata", "--format-version=1", "--all-features", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)["packages"]

    def permitted(expression):
        alternatives = [re.split(r" AND ", it.strip("() ")) for it in re.split(r" OR |/", expression)]
        return any(all(it.strip("() ") in allowed for it in alternative) for alternative in alternatives)

    licenses = toml("deny.toml")["licenses"]
    excepted = {(it["crate"], license) for it in licenses["exceptions"] for license in it["allow"]}
    found = {(it["name"], it["license"]) for it in packages if not permitted(it["license"])}
    assert found == excepted
    assert not permitted("GPL-3.0")
    assert not permitted("MIT AND GPL-3.0")


def test_what_is_published_already_is_left_out(tmp_path, monkeypatch, capsys):
    """Publication goes on where it failed."""
    fake = tmp_path / "cargo"
    fake.write_text(
        f"""#!/bin/sh
        case "$*" in
            "info --quiet pairbond-macros@"*) exit 0 ;;
            info*) exit 101 ;;
            publish*) echo "$*" >> {tmp_path}/published ;;
            *) exec cargo "$@" ;;
        esac
        """
    )
    fake.chmod(0o755)
    monkeypatch.setattr(publish, "CARGO", str(fake))
    monkeypatch.setattr("sys.argv", ["publish.py"])
    publish.main()
    assert "is published already" in capsys.readouterr().out
    crates = [
        "pairbond-core",
        "pairbond-value",
        "pairbond-dynamic",
        "pairbond-tree",
        "pairbond-plugin",
        "pairbond-serial",
        "pairbond-python",
        "pairbond",
        "pairbond-tape",
    ]
    wanted = [f"publish --locked --package={crate}" for crate in crates]
    assert (tmp_path / "published").read_text().splitlines() == wanted
