"""Which results of tests hold after a change: kept.py, and what test_rust.py and test_python.py keep."""

import json

import kept
import pytest
import suites
import test_python
import test_rust

FILES = {
    "Cargo.lock": "",
    "docs/page.md": "import shapes_py",
    "benches/run.py": "",
    "crates/core/src/lib.rs": "",
    "crates/core/README.md": "",
    "crates/pairbond-native/src/lib.rs": "",
    "libs/shapes/src/lib.rs": "",
    "libs/shapes/tests/conftest.py": "",
    "libs/shapes/tests/square.py": "import lines_of_squares",
    "libs/shapes/tests/lines_of_squares.py": "",
    "libs/shapes/tests/test_area.py": "from square import area",
    "libs/shapes/tests/test_names.py": "",
    "tests/python/conftest.py": "",
    "tests/python/promises.py": "",
    "tests/python/test_identity.py": "import promises, other",
    "tests/python/test_pages.py": "# reads docs",
    "tests/python/test_again.py": 'f"test_{name}.py"; "identity"',
    "tests/c/shapes.c": "",
}
CRATES = {
    "core": kept.Crate("crates/core", (), None),
    "pairbond-native": kept.Crate("crates/pairbond-native", ("core",), "pairbond"),
    "shapes": kept.Crate("libs/shapes", ("core",), "shapes_py"),
    "other": kept.Crate("examples/other", (), "other"),
}
TESTS = [file for file in FILES if kept.is_test(file)]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return lambda **changes: kept.Checkout(dict.fromkeys(FILES, "before") | changes.pop("files", {}), CRATES, **changes)


def changed_by(checkout, file):
    """The crates and the test files that have to run again."""
    before, after = checkout(), checkout(files={file: "after"})
    crates = {name for name in CRATES if before.of_crate(name) != after.of_crate(name)}
    return crates | {test for test in TESTS if before.of_tests(test) != after.of_tests(test)}


LIBRARY = {"libs/shapes/tests/test_area.py", "libs/shapes/tests/test_names.py"}
PAGES = "tests/python/test_pages.py"


@pytest.mark.parametrize(
    ("file", "again"),
    [
        ("Cargo.lock", {*CRATES, *TESTS}),
        ("tests/c/shapes.c", {*CRATES, *TESTS}),
        ("benches/run.py", set()),
        ("docs/page.md", {PAGES}),
        ("crates/core/src/lib.rs", {"core", "pairbond-native", "shapes", *TESTS}),
        ("crates/core/README.md", {PAGES}),
        ("crates/pairbond-native/src/lib.rs", {"pairbond-native", *TESTS}),
        ("libs/shapes/src/lib.rs", {"shapes", PAGES, *LIBRARY}),
        ("examples/other/src/lib.rs", {"other", PAGES, "tests/python/test_identity.py"}),
        ("libs/shapes/tests/square.py", {"libs/shapes/tests/test_area.py", PAGES}),
        ("libs/shapes/tests/lines_of_squares.py", {"libs/shapes/tests/test_area.py", PAGES}),
        ("libs/shapes/tests/conftest.py", {PAGES, *LIBRARY}),
        ("libs/shapes/tests/test_names.py", {"libs/shapes/tests/test_names.py"}),
        ("tests/python/conftest.py", set(TESTS)),
        ("tests/python/promises.py", {"tests/python/test_identity.py"}),
        ("tests/python/test_identity.py", {"tests/python/test_identity.py", "tests/python/test_again.py"}),
        ("tests/python/test_again.py", {"tests/python/test_again.py"}),
    ],
)
def test_what_runs_again_after_a_change(checkout, file, again):
    assert changed_by(checkout, file) == again


def test_tools_and_arguments_count(checkout):
    before, other = checkout(), checkout(tools="rustc 2")
    assert len({before.of_crate("core"), before.of_crate("core", "-x"), other.of_crate("core")}) == 3


def test_the_checkout_is_read():
    """This one, as git lists it."""
    checkout = kept.checkout()
    if checkout is None:
        pytest.skip("git does not list the files of this folder")
    assert {"Cargo.toml", "tests/scripts/test_kept.py"} <= checkout.files.keys()
    assert "pairbond-core" in checkout.made_of(["pairbond-native"])
    assert checkout.owners["crates/pairbond-core/src/lib.rs"] == "pairbond-core"
    assert checkout.crates["pairbond-native"].module == "pairbond"
    assert checkout.crates["pairbond-test-library"].module == "libpairbond_testlib"
    assert "rustc" in checkout.tools


def test_results_are_kept_while_the_digest_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    results = kept.Results.of("rust")
    results.keep("core", "one", 12)
    results.write()
    again = kept.Results.of("rust")
    assert again.kept("core", "one") == 12
    assert again.kept("core", "two") is again.kept("other", "one") is None
    again.path.write_text("[damaged")
    assert kept.Results.of("rust").kept("core", "one") is None


def test_crates_with_a_failure_are_not_kept(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text(
        '<testsuites><testsuite name="core"><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>'
        '<testsuite name="core::deep"><testcase name="c"/></testsuite>'
        '<testsuite name="shapes::area"><testcase name="d"/><testcase name="e"><failure/></testcase></testsuite>'
        "</testsuites>"
    )
    assert test_rust.passed_by_crate(report) == ({"core": 2, "shapes": 1}, {"shapes"})


@pytest.mark.parametrize("all_passed", [True, False])
def test_files_with_a_failure_or_a_skip_are_not_kept(tmp_path, monkeypatch, all_passed):
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    cases = {"a": "", "b": "", "b.TestOfCPython": "<failure/>", "c": "<skipped/>", "d.Test": "", "left": ""}
    report = tmp_path / "pytest.xml"
    lines = [f'<testcase file="inherited.py" classname="x-y.{name}">{it}</testcase>' for name, it in cases.items()]
    report.write_text(f"<r>{''.join(lines)}</r>")
    a, b, c, d, _, without = files = [f"x-y/{it}.py" for it in ("a", "b", "c", "d", "left", "without")]
    digests = dict.fromkeys(files, "one")
    known = test_python.Known(kept.Results.of("python"), "-m large", ["-m", "large"], digests)
    known.keep(report, [a, b, c, d, without], all_passed)
    expected = {a, d} | ({without} if all_passed else set())
    assert set(json.loads((tmp_path / "target/kept/python.json").read_text())) == {f"{it} -m large" for it in expected}
    rest, before = known.divided()
    assert set(rest[2:]) == set(files) - expected
    assert before == 2


def test_the_tests_of_scripts_run_again_after_a_change_of_a_page_and_not_of_rust_code():
    is_read = suites.DEPENDS["scripts"]
    assert [is_read(it) for it in ("scripts/kept.py", "docs/page.md", "Cargo.toml")] == [True] * 3
    assert not is_read("crates/core/src/lib.rs")
