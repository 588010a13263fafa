"""Imports between the modules of a crate."""

import module_graph
import pytest


@pytest.fixture
def crate(tmp_path):
    """A crate whose `upper` imports `lower`."""
    (tmp_path / "upper").mkdir()
    (tmp_path / "upper" / "mod.rs").write_text("use crate::{lower::{Inner, other}, Error};\n")
    lower = "// crate::upper\npub struct Inner;\n#[cfg(test)]\nmod tests { use crate::upper; }\n"
    (tmp_path / "lower.rs").write_text(lower)
    (tmp_path / "lib.rs").write_text("mod lower; mod upper;")
    return tmp_path


def test_imports_are_found_and_comments_and_tests_left_out(crate):
    assert module_graph.graph(crate) == {"upper": {"lower"}, "lower": set()}
    assert module_graph.cycles(module_graph.graph(crate)) == []


def test_a_new_import_is_refused_and_a_cycle_named(crate):
    listed = module_graph.graph(crate)
    with (crate / "upper" / "mod.rs").open("a") as file:
        file.write("mod deep;\n")
    (crate / "lower.rs").write_text("fn f() { crate::upper::g() }\n")
    edges = module_graph.graph(crate)
    assert module_graph.differences("c", edges, listed) == [
        "c: lower imports upper, which module_graph.toml does not allow"
    ]
    assert module_graph.cycles(edges) == [["lower", "upper"]]
    # Also if somebody has the list written anew.
    assert module_graph.in_cycles("c", edges) == ["c: these modules import each other in a cycle: lower upper"]


def test_names_at_the_root_are_those_of_their_modules(crate):
    (crate / "lib.rs").write_text("mod lower; mod upper;\npub use upper::{Shown, inner::Deep as Known};\n")
    for name in ("Shown", "Known"):
        (crate / "lower.rs").write_text(f"fn f() {{ crate::{name}::new() }}\n")
        assert module_graph.graph(crate)["lower"] == {"upper"}
    (crate / "lower.rs").write_text("fn f() { crate::Elsewhere::new() }\n")
    assert module_graph.graph(crate)["lower"] == set()


def test_files_of_tests_are_left_out(crate):
    (crate / "lower").mkdir()
    (crate / "lower" / "checks.rs").write_text("use crate::upper;\n")
    (crate / "lower.rs").write_text("mod checks;\n")
    assert module_graph.graph(crate)["lower"] == {"upper"}
    (crate / "lower.rs").write_text("#[cfg(all(test, not(loom)))]\n#[allow(unsafe_code)]\nmod checks;\n")
    assert module_graph.graph(crate)["lower"] == set()


def test_imports_below_a_module_of_tests_count(crate):
    (crate / "lower.rs").write_text("#[cfg(test)]\nmod checks;\n#[cfg(test)]\nuse crate::more;\nuse crate::upper::g;\n")
    assert module_graph.graph(crate)["lower"] == {"upper"}


def test_the_list_only_shrinks(crate):
    listed = {"upper": {"lower", "gone"}}
    assert module_graph.differences("c", module_graph.graph(crate), listed) == [
        "c: upper no longer imports gone: module_graph.py --write"
    ]


def test_names_in_braces():
    assert module_graph.imports("use crate::{a, b::{c, d}, e::f};") == {"a", "b", "e"}
    assert module_graph.imports("use crate::{\n    a::{self},\n};\nuse crate::g::h;") == {"a", "g"}


def test_the_list_is_that_of_the_sources():
    assert module_graph.problems() == []
    assert module_graph.ALLOWED.read_text() == module_graph.written()
