"""What test_python.py builds, and what it hands to pytest."""

import sys
from pathlib import Path

import build_ext
import pytest
import pythons
import test_python

NATIVE = build_ext.Extension("pairbond-native", "1", "pairbond._pairbond", None, None)
EXAMPLE = build_ext.Extension("lockgraph", "2", "lockgraph._lockgraph", None, Path("/example/tests"), ("3.11", "3.14t"))
INTERPRETER = pythons.Interpreter("3.14t", "/bin/python", (3, 14, 0), True, False, "/", ".so")
OTHER = pythons.Interpreter("3.14", "/bin/python", (3, 14, 0), False, False, "/", ".so")
ESSENTIALS = [f"tests/python/{name}" for name in test_python.ESSENTIALS]


def named(name):
    return pythons.Interpreter(name, "/bin/python", (3, 11, 2), False, False, "/", ".so")


@pytest.fixture
def plan(monkeypatch):
    monkeypatch.setattr(build_ext, "extensions", lambda: [NATIVE, EXAMPLE])

    def made(*arguments):
        monkeypatch.setattr(sys, "argv", ["test_python.py", *arguments])
        return test_python.plan(*test_python.parse(), live=True)

    return made


def test_everything_is_built_and_tested(plan):
    everything = plan()
    assert everything.wanted == [NATIVE, EXAMPLE]
    assert everything.tests_on(INTERPRETER) == ["tests/python", "/example/tests"]
    assert everything.tests_on(OTHER) == ["tests/python"]
    assert (everything.release, everything.arguments) == (False, [])


def test_pytest_gets_what_it_alone_knows(plan):
    chosen = plan("--release", "-k", "a and not b", "-x", "--durations=5")
    assert chosen.release
    assert chosen.arguments == ["-k", "a and not b", "-x", "--durations=5"]


def test_some_crates_and_files(plan):
    some = plan("--crate=pairbond-native", "--file=a.py", "--file=b.py")
    assert some.wanted == [NATIVE]
    assert some.tests_on(INTERPRETER) == ["a.py", "b.py"]
    assert plan("--essentials").tests_on(INTERPRETER) == ESSENTIALS


def test_besides_another_interpreter(plan):
    besides = plan("--besides=3.11")
    assert besides.tests_on(named("3.11")) == ["tests/python", "/example/tests"]
    assert besides.tests_on(INTERPRETER) == ["-m", "not large or threads", "tests/python", "/example/tests"]
    assert besides.tests_on(OTHER) == ["-m", "not large", "tests/python"]
    assert besides.tests_on(named("3.11.2")) == ESSENTIALS
    assert plan().tests_on(named("3.11.2")) == ["tests/python", "/example/tests"]


def test_free_threaded_builds_run_few_files_at_once(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(test_python, "ROOT", tmp_path)
    monkeypatch.setattr(build_ext, "extensions", lambda: [NATIVE])
    for name in ["__init__.py", *(f"test_{i:02}.py" for i in range(10))]:
        (tmp_path / "tests" / "python" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / "python" / name).touch()
    files = [f"tests/python/test_{i:02}.py" for i in range(10)]
    some = ["-m", "not large or threads"]
    assert plan("--besides=3.11").runs_on(INTERPRETER) == [[*some, *files[:8]], [*some, *files[8:]]]
    assert plan("--workers=2").runs_on(INTERPRETER) == [files]
    assert plan("--besides=3.11").runs_on(OTHER) == [["-m", "not large", "tests/python"]]
    assert plan("--file=a.py").runs_on(INTERPRETER) == [["a.py"]]


def test_outcomes_are_added_up():
    none, skipped = (
        test_python.Outcome(failed=1, skipped=n, trouble=why) for n, why in [(0, "no tests"), (2, "no test ran")]
    )
    passed, crashed = test_python.Outcome(passed=3), test_python.Outcome(failed=1, trouble="crashed: SIGSEGV")
    assert none + none == none
    assert none + skipped == skipped + none == skipped
    assert none + skipped + passed == passed + none + skipped == test_python.Outcome(passed=3, skipped=2)
    assert passed + crashed == test_python.Outcome(passed=3, failed=1, trouble="crashed: SIGSEGV")


def test_the_essentials_exist():
    assert [path for path in ESSENTIALS if not (build_ext.ROOT / path).exists()] == []


def test_workers_divide_files_and_end_when_they_hang(plan):
    assert plan("--workers=1").arguments == []
    assert "--dist=loadfile" in plan("--workers=2").arguments
    assert "--override-ini=faulthandler_exit_on_timeout=true" in plan("--workers=2").arguments


def test_a_crate_that_does_not_exist_is_a_failure(plan, capsys):
    with pytest.raises(SystemExit):
        plan("--crate=pairbond-nativ")
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"
