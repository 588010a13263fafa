"""What counts as an interpreter, and how it is called."""

import os
import sys
from pathlib import Path

import pytest
import pythons


def facts(version, prefix, free_threaded=False, debug=False, headers=True):
    return {
        "implementation": "cpython",
        "version": version,
        "path": f"{prefix}/bin/python3",
        "prefix": prefix,
        "free_threaded": free_threaded,
        "debug": debug,
        "headers": headers,
        "suffix": ".so",
    }


def executable(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_this_interpreter_is_found_with_its_own_facts():
    (found,) = pythons.find([sys.executable])
    assert found.version == sys.version_info[:3]
    assert found.prefix == os.path.realpath(sys.base_prefix)


def test_an_interpreter_is_counted_once(tmp_path):
    link = tmp_path / "python3"
    link.symlink_to(sys.executable)
    assert len(pythons.find([sys.executable, str(link), sys.executable])) == 1


def test_a_pyenv_shim_is_no_interpreter(tmp_path):
    shim = executable(tmp_path / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    assert pythons.probe(shim) is not None, "the shim starts an interpreter"
    assert pythons.find([shim]) == []


def test_what_does_not_answer_is_no_interpreter(tmp_path):
    assert pythons.find([executable(tmp_path / "python3", "\x7fELF"), str(tmp_path / "missing")]) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": [3, 10, 13]}, ""),
        ({"implementation": "pypy"}, ""),
        ({"headers": False}, "has no Python.h"),
    ],
)
def test_builds_that_are_left_out(monkeypatch, capsys, change, message):
    monkeypatch.setattr(pythons, "probe", lambda path: facts([3, 12, 1], "/a") | change)
    assert pythons.find([sys.executable]) == []
    assert message in capsys.readouterr().err


def test_names_are_unique_and_the_newest_has_the_short_one():
    builds = [
        facts([3, 11, 2], "/usr"),
        facts([3, 11, 7], "/b"),
        facts([3, 11, 2], "/c"),
        facts([3, 14, 7], "/t", free_threaded=True),
        facts([3, 14, 7], "/td", free_threaded=True, debug=True),
        facts([3, 14, 4], "/t4", free_threaded=True),
    ]
    expected = {
        "/b": "3.11",
        "/c": "3.11.2",
        "/usr": "3.11.2-2",
        "/t": "3.14t",
        "/t4": "3.14.4t",
        "/td": "3.14td",
    }
    for order in (builds, builds[::-1]):
        assert {it.prefix: it.name for it in pythons.named(order)} == expected


def test_a_wish_that_fits_nothing_is_an_error():
    found = pythons.named([facts([3, 12, 1], "/a")])
    assert pythons.restrict(found, ["3.12"]) == found
    with pytest.raises(SystemExit, match=r"3\.13"):
        pythons.restrict(found, ["3.12", "3.13"])


def test_the_default_is_python3_if_that_is_an_ordinary_build(monkeypatch):
    old, new = facts([3, 12, 1], "/old"), facts([3, 13, 0], "/new")
    odd = facts([3, 14, 7], "/odd", free_threaded=True)
    found = pythons.named([old, new, odd])
    for python3, expected in ((old, "3.12"), (new, "3.13"), (odd, "3.13"), (None, "3.13")):
        monkeypatch.setattr(pythons, "probe", lambda path, answer=python3: answer)
        assert pythons.default(found).name == expected
    assert pythons.default(pythons.named([odd])).name == "3.14t"
    assert pythons.default([]) is None


def test_folders_are_sorted_as_numbers():
    assert sorted(["a/3.11", "a/3.9"], key=pythons.natural) == ["a/3.9", "a/3.11"]
