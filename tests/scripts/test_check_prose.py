"""What counts as prose to be rewritten."""

import check_prose
import pytest


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("/// What is asked for, by whoever asks.", "phrases"),
        ("    // SAFETY: promised.", "empty"),
        ("// SAFETY: as above. It stays.", "empty"),
        ("// SAFETY: promised by the caller.", "empty"),
        ("// SAFETY: the caller's contract.", "empty"),
        ("// SAFETY: passed on to the caller.", "empty"),
        ("// " + "x " * 60, "wide"),
    ],
)
def test_places_that_count(line, kind):
    assert {it[1] for it in check_prose.places(f"fn f() {{}}\n{line}\n")} == {kind}


def test_what_does_not_count():
    text = 'let x = "what is";\n// SAFETY: the caller keeps the object.\n/// Returns the wrapper.\n'
    assert not [*check_prose.places(text)]
    assert not [*check_prose.places("//! | " + "x " * 60 + "|\n")]  # a row of a table cannot be broken


def test_unsafe_functions_say_what_their_caller_must_ensure():
    text = """
/// Returns it.
unsafe fn bare() {}

/// # Safety
/// The caller keeps it.
#[inline]
pub(crate) unsafe fn described() {}

unsafe extern "C" fn callback() {}

impl Drop for X {
    unsafe fn of_a_trait() {}
}

impl X {
    unsafe fn method() {}
}
"""
    assert [it[0] for it in check_prose.without_contract(text)] == [3, 17]


def test_counts_may_neither_grow_nor_be_out_of_date():
    listed = {"crates/a": {"phrases": 2}}
    assert check_prose.differences({"crates/a": {"phrases": 2, "wide": 0}}, listed) == []
    assert check_prose.differences({"crates/a": {"phrases": 3}}, listed)[0].startswith(
        "crates/a: 3 phrases, where 2 are allowed"
    )
    assert check_prose.differences({"crates/a": {"phrases": 1}}, listed)[0].startswith(
        "crates/a: 1 phrases, where 2 are listed"
    )
    assert check_prose.differences({"crates/new": {"wide": 1}}, listed)[0].startswith(
        "crates/new: 1 wide, where 0 are allowed"
    )
