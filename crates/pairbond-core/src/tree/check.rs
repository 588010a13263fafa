//! Whether a node was erased, as every access from a frontend asks.

use super::error::{self, Refused};
use super::links::{Links, flag};
use super::node::Node;
use crate::error::Error;
use crate::object::{Header, Object};

/// Whether an object of a type of nodes may be used: one load and one comparison, and nothing at
/// all for other types.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn check<T: Object>(value: &T, object: &Header) -> Result<(), Error> {
    if let Some(table) = T::TREE {
        // SAFETY: the table of `T` says where its links are.
        let links = unsafe {
            &*std::ptr::from_ref(value)
                .cast::<u8>()
                .add(table.links)
                .cast::<Links>()
        };
        if links.has(flag::ERASED) {
            return Err(error::erased(object, links.reason()));
        }
    }
    Ok(())
}

/// What a function finds out about an object, if it is not erased then: another thread may erase it
/// meanwhile, and there may be less to find than there was before. It is called in any case.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn read<T: Object, R>(value: &T, object: &Header, find: impl FnOnce() -> R) -> Result<R, Error> {
    let found = find();
    check(value, object).map(|()| found)
}

/// As [`check`], for an object of any type.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline]
pub fn check_object(object: &Header) -> Result<(), Error> {
    if is_erased(object) {
        // SAFETY: only nodes are erased; alive during the call.
        return Err(Refused::Erased(unsafe { Node::of(object) }).into());
    }
    Ok(())
}

/// What erased an object, if it is a node of a tree that was erased: the [reason](super::reason),
/// or `erase()`.
#[must_use]
pub fn erased_by(object: &Header) -> Option<&'static str> {
    if !is_erased(object) {
        return None;
    }
    // SAFETY: only nodes are erased; alive during the call.
    let reason = unsafe { Node::of(object) }.links().reason();
    Some(reason.map_or("erase()", super::Reason::name))
}

/// Whether an object of any type is a node of a tree that was erased.
#[inline]
#[must_use]
pub fn is_erased(object: &Header) -> bool {
    // SAFETY: a type of nodes; alive during the call.
    object.info().is_tree() && unsafe { Node::of(object) }.has(flag::ERASED)
}
