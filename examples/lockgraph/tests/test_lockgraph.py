"""The example as its users see it."""

import gc
import inspect
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pairbond
import pytest
from lockgraph import Lock, Package, parse, read

OWN = Path(__file__).resolve().parents[3] / "Cargo.lock"

SMALL = """\
version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "base 2.0.0",
 "left",
]

[[package]]
name = "base"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "0e2e1de4e1e4ad8e6a4d5a9cfe8f5b2d5c1d0bc1d3de1ea1d4e5a7cb03a7bb7c"

[[package]]
name = "base"
version = "2.0.0"

[[package]]
name = "left"
version = "1.0.0"
dependencies = [
 "base 1.0.0",
]
"""


@pytest.fixture
def small():
    return parse(SMALL)


def names(packages):
    return [f"{package.name} {package.version}" for package in packages]


def test_packages(small):
    assert names(small) == ["app 0.1.0", "base 1.0.0", "base 2.0.0", "left 1.0.0"]
    base = small["base 1.0.0"]
    assert base.source == "registry+https://github.com/rust-lang/crates.io-index"
    assert base.checksum.startswith("0e2e1de4")
    assert repr(base) == "<Package base 1.0.0>"
    assert names(base.dependents) == ["left 1.0.0"]
    assert names(small["app"].dependencies) == ["base 2.0.0", "left 1.0.0"]
    app = small["app"]
    assert (app.source, app.checksum, app.note) == (None, None, None)
    app.note = "mine"
    assert small["app"].note == "mine"
    with pytest.raises(AttributeError):
        app.name = "other"


def test_lock(small):
    assert (len(small), small.path, small.format) == (4, None, 4)
    assert repr(small) == "<Lock of a text: 4 packages>"
    assert names(small.by_name("base")) == ["base 1.0.0", "base 2.0.0"]
    assert small.by_name("none") == []
    assert names(small.roots()) == ["app 0.1.0"]
    assert small.duplicates() == {"base": ["1.0.0", "2.0.0"]}
    best, direct, in_all = small.most_depended(1)[0]
    assert (names([best]), direct, in_all) == (["base 1.0.0"], 1, 2)
    assert len(small.most_depended()) == 4
    assert isinstance(small, Lock)


def test_keys(small):
    assert small["left"] is small["left 1.0.0"] is small.packages[3]
    assert "left" in small
    assert "base 3.0.0" not in small
    assert "right" not in small
    assert small["left"] in small
    assert Package("left", "1.0.0") not in small
    assert 3 not in small
    with pytest.raises(KeyError, match="no package right"):
        small["right"]
    with pytest.raises(KeyError, match=r"base is ambiguous: base 1\.0\.0 \(registry.*\), base 2\.0\.0"):
        small["base"]
    with pytest.raises(TypeError, match="int"):
        small[0]


def test_paths(small):
    app, base = small["app"], small["base 1.0.0"]
    assert app.path_to(base) == [app, small["left"], base]
    assert base.path_to(app) is None
    assert app.path_to(app) == [app]
    assert app.closure() == [small["base 2.0.0"], small["left"], base]
    assert base.needed_by() == [small["left"], app]
    with pytest.raises(TypeError, match=r"path_to.*other.*lockgraph\.Package.*str"):
        app.path_to("base")


def test_made_in_python(small):
    mine = Package("mine", version="3")
    mine.depend_on(small["left"])
    mine.depend_on(small["left"])
    small["base 2.0.0"].depend_on(mine)
    assert len(mine.dependencies) == 1
    assert small["left"].dependents[1] is mine
    assert names(small["app"].path_to(mine)) == ["app 0.1.0", "base 2.0.0", "mine 3"]
    assert Package("x").version == "0.0.0"
    with pytest.raises(TypeError, match="name"):
        Package()


def test_an_iterator_shows_what_was_there(small):
    packages = iter(small)
    assert iter(packages) is packages
    small.packages.append(Package("late"))
    assert len(list(packages)) == 4
    assert list(packages) == []
    assert len(list(small)) == 5


def test_documented():
    assert inspect.signature(Package).parameters.keys() == {"name", "version", "source", "checksum"}
    assert str(inspect.signature(read)) == "(path)"
    for item in (Package, Package.closure, Package.dependencies, Lock.most_depended, read, parse):
        assert inspect.getdoc(item), item
    assert (Package.__module__, Package.__qualname__) == ("lockgraph", "Package")


def test_reads_its_own():
    lock = read(OWN)
    assert lock.path == str(OWN)
    assert lock["pairbond"] in lock["lockgraph"].dependencies
    assert lock["lockgraph"] in lock["pairbond"].dependents
    assert read(str(OWN))["pairbond"] is not lock["pairbond"]


def test_nothing_stays():
    gc.collect()
    before = pairbond.live_objects()
    lock = read(OWN)
    for package in lock:
        package.lock = lock
    seen = [weakref.ref(package) for package in lock]
    assert all(ref() is not None for ref in seen)
    del lock, package
    for _ in range(3):
        gc.collect()
    assert [ref for ref in seen if ref() is not None] == []
    assert pairbond.live_objects() == before


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("not toml", "1:5: key with no value"),
        ("", "1:1: no [[package]] here"),
        ("[package]\nname = 'x'\n", "1:1: invalid type"),
        (SMALL[: SMALL.index('"left"') + 3], "8:5: unclosed array"),
        (SMALL[: SMALL.index('version = "2.0.0"')], "17:1: missing field `version`"),
        (SMALL[: SMALL.rindex("[[package]]")], "8:3: app 0.1.0 depends on left, which is not in the file"),
        (SMALL.replace('"base 1.0.0"', '"base 3.0.0"'), "25:3: left 1.0.0 depends on base 3.0.0, which is not"),
        (SMALL.replace('"0.1.0"', '"nought"'), "5:11: unexpected character 'n'"),
        ("version = 77\n", "invalid Cargo.lock format version: `77`"),
    ],
)
def test_bad_files(tmp_path, text, place):
    file = tmp_path / "Cargo.lock"
    file.write_text(text)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read(file)
    separator = ":" if place[0].isdigit() else ": "
    assert str(error.value).startswith(f"{file}{separator}{place}")
    with pytest.raises(ValueError) as error:  # noqa: PT011
        parse(text)
    assert str(error.value).startswith(f"<text>{separator}{place}")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        read(tmp_path / "none.lock")
    assert str(tmp_path / "none.lock") in str(error.value)
    with pytest.raises(IsADirectoryError) as error:
        read(tmp_path)
    assert str(tmp_path) in str(error.value)
    (tmp_path / "bytes.lock").write_bytes(b"version = 4\n# \xff\n")
    with pytest.raises(ValueError, match=r"bytes\.lock:2:3: not UTF-8"):
        read(tmp_path / "bytes.lock")
    with pytest.raises(TypeError, match=r"read\(\).*path.*int"):
        read(3)


def demonstrate(*arguments):
    command = [sys.executable, "-X", "faulthandler", "-m", "lockgraph", *map(str, arguments)]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300)


def test_demonstration():
    run = demonstrate(OWN)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stderr == ""
    assert "✗" not in run.stdout
    assert run.stdout.count("✓") >= 12
    assert "\n12 checks hold, 0 do not\n" in run.stdout
    assert len(run.stdout.splitlines()) <= 60


def test_demonstration_of_a_bad_file(tmp_path):
    run = demonstrate(tmp_path / "none.lock")
    assert run.returncode == 2
    assert "none.lock" in run.stderr
    assert "Traceback" not in run.stderr


def test_demonstration_of_a_small_file(tmp_path):
    file = tmp_path / "Cargo.lock"
    file.write_text('version = 4\n[[package]]\nname = "alone"\nversion = "1.0.0"\n')
    run = demonstrate(file, "--top", 3)
    assert run.returncode == 0, run.stdout + run.stderr
