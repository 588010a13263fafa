"""Every example of README.md and docs/ runs: those in Python here, those in Rust as doc tests of the crate pairbond."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import docs_examples
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)(.*)$", flags=re.M)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_PYTHON = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_python(page: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-W", "error::ResourceWarning", docs_examples.__file__, str(page)]
    run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    count = int(run.stdout.split()[-2])
    left_out = run.stdout.count("left out")
    assert count + left_out == page.read_text(encoding="utf-8").count("```python\n")


def test_rust_is_run_by_the_crate() -> None:
    """A page with Rust examples is included by one of these files, and the crate's doc tests run them."""
    files = ("crates/pairbond/src/lib.rs", "libs/pairbond-tape/src/lib.rs")
    source = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    source = source.replace('include_str!("../README.md")', "")  # of a crate, which is no page
    included = {path.removeprefix("../../../") for path in re.findall(r'include_str!\("([^"]*)"\)', source)}
    pages = {name(page) for page in PAGES if "```rust" in page.read_text(encoding="utf-8")}
    assert pages == included


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_example_is_left_out(page: Path) -> None:
    for language, rest in FENCE.findall(page.read_text(encoding="utf-8"))[::2]:
        # Those in C++ are compiled by tests/scripts/test_c_headers.py.
        assert language in ("rust", "python", "cpp", "cmake", "sh", "text", "toml"), f"```{language}{rest}"
        assert rest in ("", ",no_run") if language == "rust" else rest == "", f"```{language}{rest}"


def test_pictures_are_what_draws_them() -> None:
    """graph.svg excepted, which needs what places its nodes: scripts/test_docs.py."""
    command = [sys.executable, str(ROOT / "scripts" / "draw_pictures.py"), "--check"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""


class TestTheRunner:
    """It fails where an example does not do what its page says."""

    def page(self, tmp_path: Path, code: str) -> Path:
        page = tmp_path / "page.md"
        page.write_text(f"# Page\n\n{code}\n")
        return page

    def test_right(self, tmp_path: Path) -> None:
        text = "<!-- setup: x = 1 -->\n```python\nx + 1  # → 2\nint('x')  # ValueError: invalid literal\n```"
        assert docs_examples.run_page(self.page(tmp_path, text)) == 1

    @pytest.mark.parametrize(
        "code", ["1 + 1  # → 3", "int('1')  # ValueError", "int('x')  # ValueError: other", "x = 1  # → 1", "1 / 0"]
    )
    def test_wrong(self, tmp_path: Path, code: str) -> None:
        with pytest.raises((docs_examples.Wrong, ZeroDivisionError)) as raised:
            docs_examples.run_page(self.page(tmp_path, f"```python\n{code}\n```"))
        assert "page.md, line 4" in raised.value.__notes__[0]

    def test_needs(self, tmp_path: Path) -> None:
        text = "<!-- needs: no_such.module -->\n```python\n1 / 0\n```\n```python\n1  # → 1\n```"
        assert docs_examples.run_page(self.page(tmp_path, text)) == 1


def test_tests_that_pages_name_exist() -> None:
    """The table of features names the tests that show them: `test_values.py::test_uuids`, `test_decimals`."""
    page = (ROOT / "docs/explanation/from-pyo3.md").read_text(encoding="utf-8")
    named = 0
    for line in page.splitlines():
        tests = ""
        for file, test in re.findall(r"`((?:tests/\w+/)?test_\w+\.py)?(?:::)?(test_\w+)?`", line):
            if file:
                tests = (ROOT / (file if "/" in file else f"tests/python/{file}")).read_text(encoding="utf-8")
            if test:
                named += 1
                assert f"def {test}(" in tests, f"there is no {test}: {line}"
    assert named > 60
    for file in re.findall(r"`((?:crates|scripts|tests)/[\w/]+(?:\.\w+)?)`", page):
        assert (ROOT / file).exists(), file


def test_every_feature_names_its_tests() -> None:
    page = (ROOT / "docs/explanation/from-pyo3.md").read_text(encoding="utf-8")
    table = page.partition("## Feature by feature")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 40
    for feature, ours, shown in rows:
        assert "`" in shown, (feature, ours)


def test_the_table_of_lockgraph_is_that_of_the_benchmarks() -> None:
    page = (ROOT / "docs/explanation/from-pyo3.md").read_text(encoding="utf-8")
    table = page.partition("<!-- begin lockgraph -->")[2].partition("<!-- end lockgraph -->")[0].strip()
    assert table.count("\n") > 10
    assert table in (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
