//! What goes wrong with trees, in words.

use super::reason::Reason;
use crate::error::{Error, ErrorKind};
use crate::object::Header;

/// The object was erased.
#[cold]
#[inline(never)]
pub(super) fn erased(object: &Header, reason: Option<&'static Reason>) -> Error {
    let key = object.info().key();
    let by = reason.map_or("erase()", Reason::name);
    Error::new(
        ErrorKind::Invalidated,
        format!(
            "this {key} was erased, by {by}: it is part of no tree any more. Get the one that took its place from the tree, and what you still \
             need of an object before it is erased"
        ),
    )
}

#[cold]
pub(super) fn owned(object: &Header) -> Error {
    Error::value_error(format!(
        "this {} has a parent already: detach it first, or move it",
        object.info().key()
    ))
}

#[cold]
pub(super) fn cycle(object: &Header, parent: &Header) -> Error {
    let (object, parent) = (object.info().key(), parent.info().key());
    Error::value_error(format!(
        "this {object} cannot stand below a {parent} that stands below it, or is it: trees have no cycles"
    ))
}

#[cold]
pub(super) fn elsewhere(object: &Header, parent: &Header) -> Error {
    let (object, parent) = (object.info().key(), parent.info().key());
    Error::value_error(format!(
        "this {object} does not stand in that list of the {parent}"
    ))
}

#[cold]
pub(super) fn out_of_order() -> Error {
    Error::value_error(
        "the last node of a range stands before the first, or the place to move it to is within it",
    )
}
