"""Whether a test run is judged rightly: what the runners print, crashes, and runs without a test."""

import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import parts
import pytest
import test_python


@pytest.mark.parametrize(
    ("reads", "line", "expected"),
    [
        ("cargo", "  Summary [   0.010s] 3 tests run: 2 passed (1 slow), 1 failed, 4 skipped", (2, 1)),
        (
            "cargo",
            "  Summary [   9.0s] 5/9 tests run: 2 passed, 1 failed, 1 timed out, 1 exec failed",
            (2, 3),
        ),
        ("cargo", "  Summary [   0.001s] 1 test run: 1 passed, 0 skipped", (1, 0)),
        ("cargo", "test result: FAILED. 7 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out", (7, 2)),
        ("cargo", "running 3 tests", (0, 0)),
        ("cargo", "6 passed, 1 failed", (0, 0)),
        ("pytest", "2 failed, 5 passed, 1 skipped, 3 errors in 1.02s", (5, 5)),
        ("pytest", "1 error in 0.10s", (0, 1)),
        ("total", "6 passed, 1 failed", (6, 1)),
        ("total", "1 passed, 0 failed\n6 passed, 1 failed", (6, 1)),
        ("total", "===== 2 passed, 1 skipped in 0.41s =====", (0, 0)),
    ],
)
def test_summary_lines(reads, line, expected):
    assert parts.count(f"before\n{line}\nafter\n", reads) == expected


@pytest.fixture(autouse=True)
def no_tally(monkeypatch):
    """What these tests run is not to be counted."""
    monkeypatch.delenv("PAIRBOND_TALLY", raising=False)


def part(code, **options):
    return parts.Part(**{"name": "a part", "command": [sys.executable, "-c", code], "reads": "total"} | options)


@pytest.mark.parametrize(
    ("code", "options", "passed", "failed"),
    [
        ("print('3 passed, 0 failed')", {}, 3, 0),
        ("print('3 passed, 2 failed'); exit(1)", {}, 3, 2),
        ("print('3 passed, 0 failed'); exit(1)", {}, 3, 1),
        ("print('0 passed, 0 failed')", {}, 0, 1),
        ("print('0 passed, 0 failed')", {"may_be_empty": True}, 0, 0),
        ("print('no tests ran in 0.01s'); exit(5)", {"reads": "pytest"}, 0, 1),
        ("print('no tests ran in 0.01s'); exit(5)", {"reads": "pytest", "may_be_empty": True}, 0, 0),
        ("print('1 failed in 0.01s'); exit(1)", {"reads": "pytest", "may_be_empty": True}, 0, 1),
        ("pass", {"reads": "nothing"}, 1, 0),
        ("exit(1)", {"reads": "nothing"}, 0, 1),
        ("import os; os.abort()", {}, 0, 1),
        ("import time; print('1 passed, 0 failed', flush=True); time.sleep(60)", {"minutes": 0.05}, 1, 1),
    ],
)
def test_parts(code, options, passed, failed):
    result = parts.run(part(code, **options))
    assert (result.passed, result.failed) == (passed, failed)


def test_the_time_of_a_part_is_measured_with_that_of_its_children():
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}]); print('1 passed, 0 failed')"
    result = parts.run(part(code))
    assert result.cpu >= 0.3
    assert result.seconds >= 0.3


def meeting(folder, name, other):
    """A part that says so when another one runs at the same time, and ends after two seconds without one."""
    code = f"""if True:
        import pathlib, time
        folder = pathlib.Path({str(folder)!r})
        (folder / {name!r}).touch()
        end = time.monotonic() + {1 if other is None else 30}
        while time.monotonic() < end and not (met := (folder / {other or "nobody"!r}).exists()): time.sleep(0.01)
        print("{name} is there"); print("1 passed, 0 failed" if met else "0 passed, 1 failed")
        time.sleep(0.2 if met else 0); (folder / {name!r}).unlink()"""
    return part(code, shares=True, name=name)


def test_parts_that_share_run_at_once_and_show_their_output_apart(tmp_path, capfd):
    results = parts.run_all([meeting(tmp_path, "a", "b"), meeting(tmp_path, "b", "a")], at_once=2)
    assert [(it.name, it.passed, it.failed) for it in results] == [("a", 1, 0), ("b", 1, 0)]
    lines = capfd.readouterr().out.splitlines()
    for name in "ab":
        (shown,) = (at for at, line in enumerate(lines) if line == f"{name} is there")
        assert lines[shown + 1 : shown + 3] == ["1 passed, 0 failed", f"=== {name} has ended"]


def test_a_part_that_does_not_share_runs_alone(tmp_path):
    def looking(name, shares):
        look = f"import pathlib; print(sum(1 for _ in pathlib.Path({str(tmp_path)!r}).iterdir()), 'passed, 1 failed')"
        return part(look, shares=shares, name=name)

    alone = looking("alone", False)
    results = parts.run_all([meeting(tmp_path, "a", None), alone, meeting(tmp_path, "b", None)], at_once=2)
    assert [(it.name, it.passed) for it in results] == [("a", 0), ("alone", 0), ("b", 0)]


def test_stopping_a_run_stops_all_its_parts(tmp_path):
    code = f"""if True:
        import parts, sys
        def part(name):
            text = f"open({str(tmp_path)!r} + '/{{name}}', 'w').close(); import time; time.sleep(60)"
            return parts.Part(name, [sys.executable, "-c", text], shares=True)
        parts.run_all([part("a"), part("b"), part("c")], at_once=2)"""
    env = os.environ | {"PYTHONPATH": str(parts.ROOT / "scripts")}
    process = subprocess.Popen([sys.executable, "-c", code], env=env)
    end = time.monotonic() + 30
    while len([*tmp_path.iterdir()]) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM
    assert {it.name for it in tmp_path.iterdir()} == {"a", "b"}


@pytest.mark.parametrize(
    ("minutes", "code", "passed", "failed", "note"),
    [
        (0, "print('1 passed, 0 failed')", 0, 0, "NOT RUN: no time was left"),
        (0.03, "print('2 passed, 0 failed', flush=True); time.sleep(60)", 2, 0, "NOT RUN to its end: no time was left"),
        (0.03, "print('2 passed, 1 failed', flush=True); time.sleep(60)", 2, 1, "NOT RUN to its end: no time was left"),
        (60, "print('1 passed, 0 failed')", 1, 0, ""),
    ],
)
@pytest.mark.parametrize("shares", [False, True])
def test_what_there_is_no_time_for(monkeypatch, tmp_path, shares, minutes, code, passed, failed, note):
    """It is neither a failure nor a success; the table says so."""
    monkeypatch.setattr(parts, "STARTED", time.monotonic())
    monkeypatch.setenv("PAIRBOND_TALLY", str(tmp_path / "tally"))
    (result,) = parts.run_all([part(f"import time; {code}", shares=shares)], minutes=minutes)
    assert (result.passed, result.failed, result.note) == (passed, failed, note)
    assert f"| {note} |" in (tmp_path / "tally").read_text()


def test_a_command_that_is_missing_is_a_failure():
    assert parts.run(parts.Part("missing", ["./no-such-command"])).failed == 1


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("test a::b ... ok\ntest a::c ... FAILED\n\nfailures:\n    a::c", ["test a::c ... FAILED"]),
        ("   TIMEOUT [ 60.0s] core::x y\n   FAIL [ 1.0s] z", ["TIMEOUT [ 60.0s] core::x y", "FAIL [ 1.0s] z"]),
        ("   FAIL [ 1.0s] z\n   FAIL [ 1.0s] z", ["FAIL [ 1.0s] z"]),
        ("FAILED t/test_a.py::test_b[1] - assert 1 == 2\n1 failed", ["FAILED t/test_a.py::test_b[1] - assert 1 == 2"]),
        (
            "3.11   3.11.7   12   0   0\n3.14t     3.14.7          0       1        0  crashed: SIGSEGV",
            ["3.14t     3.14.7          0       1        0  crashed: SIGSEGV"],
        ),
        ("+ stubs a\nFAILED types::pairbond stubs a\n1 passed, 1 failed", ["FAILED types::pairbond stubs a"]),
        ("one\n\ntwo", ["one", "two"]),
    ],
)
def test_what_failed_is_named(output, shown):
    assert parts.failures(output) == shown


def test_what_was_stopped_says_where_it_was():
    code = "import time; print('test one ... ok'); print('test two ...', flush=True); time.sleep(60)"
    result = parts.run(part(code, minutes=0.05))
    assert result.failures[-1] == "test two ..."


@pytest.mark.parametrize("failed", [0, 2])
def test_the_total_comes_last_and_decides(capsys, failed):
    with pytest.raises(SystemExit) as exit:
        parts.close(
            [parts.Result("a", 3, 0), parts.Result("b", 1, failed, failures=["why"] if failed else [])],
            [("miri", "no nightly")],
        )
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == f"4 passed, {failed} failed"
    assert "NOT RUN: no nightly" in out
    assert bool(exit.value.code) == bool(failed)


def test_a_part_is_in_the_tally_as_soon_as_it_ends(monkeypatch, tmp_path):
    monkeypatch.setenv("PAIRBOND_TALLY", str(tmp_path / "tally"))
    parts.run(part("print('3 passed, 0 failed')"))
    parts.run(part("print('1 passed, 2 failed'); exit(1)"))
    passed, row, failed, other, why = (tmp_path / "tally").read_text().splitlines()
    assert (passed, failed, why) == ("3 0", "1 2", "- a part: 1 passed, 2 failed")
    assert row.startswith("| a part | 3 | 0 | ")
    assert row.endswith(" s |  |")
    assert other.startswith("| a part | 1 | 2 | ")


def test_junit_counting():
    report = """<testsuites><testsuite>
        <testcase/><testcase/><testcase><skipped/></testcase>
        <testcase><failure/><error/></testcase><testcase><error/></testcase>
    </testsuite></testsuites>"""
    outcome = test_python.count(ElementTree.fromstring(report))
    assert (outcome.passed, outcome.failed, outcome.skipped) == (2, 2, 1)


@pytest.mark.parametrize(
    ("status", "report", "trouble"),
    [
        (-11, None, "crashed: SIGSEGV"),
        (5, "<testsuites/>", "no tests"),
        (2, "<testsuites/>", "pytest ended with 2"),
        (0, None, "pytest ended with 0"),
        (0, "<testsuites><testcase><skipped/></testcase></testsuites>", "no test ran"),
        (1, "<testsuites><testcase/></testsuites>", "pytest ended with 1"),
    ],
)
def test_a_run_that_tested_nothing_is_a_failure(tmp_path, status, report, trouble):
    file = tmp_path / "pytest.xml"
    if report is not None:
        file.write_text(report)
    outcome = test_python.judge(status, file)
    assert (outcome.failed, outcome.trouble) == (1, trouble)
