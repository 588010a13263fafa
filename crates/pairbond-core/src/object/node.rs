//! [`NodeType`]: objects that a structure keeps, besides references to them.
//!
//! Nodes of trees are such objects. The core knows of them what is in this file: a word of flags in
//! each value, and functions of the structure. It knows nothing else of structures.
//!
//! * A node may be *refused*: the structure has given it up, and it must not be used any more.
//!   Every access from a frontend asks ([`check_node`]). Types of objects that are no nodes pay
//!   nothing for that, for the type says it as a constant.
//! * Without references a node lives on if its structure lives ([`NodeHooks::released`]), and can
//!   be had by a weak reference ([`NodeHooks::upgrade`]).
//! * The references that its place in the structure stands for are shown to collectors by the
//!   type's [`Trace`](crate::trace::Trace) under [one lock](super::structure_lock).

use super::object_layout::Object;
use crate::custody::Header;
use crate::error::Error;
use crate::types::NodeType;

/// Checks that an object may be used, if it is a node: one load and one comparison, and nothing at
/// all for other types.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn check_node<T: Object>(value: &T, object: &Header) -> Result<(), Error> {
    if let Some(node) = const { T::NODE } {
        // SAFETY: a value of the type, and the object that has it.
        unsafe {
            if node.has_flags(std::ptr::from_ref(value).cast(), node.refused) {
                return Err((node.hooks().refuse)(object));
            }
        }
    }
    Ok(())
}

/// Returns what a function finds out about an object, if that is not erased then: another thread
/// may erase it meanwhile, and there may be less to find than there was before. The function is
/// called in any case.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn read_unless_erased<T: Object, R>(
    value: &T,
    object: &Header,
    find: impl FnOnce() -> R,
) -> Result<R, Error> {
    let found = find();
    check_node(value, object).map(|()| found)
}

/// As [`check_node`], for an object of any type.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline]
pub fn check_object(object: &Header) -> Result<(), Error> {
    match type_if(object, |node| node.refused) {
        // SAFETY: the type of the object; alive during the call.
        Some(node) => Err(unsafe { (node.hooks().refuse)(object) }),
        None => Ok(()),
    }
}

/// Returns whether an object of any type is a node that was erased.
#[inline]
#[must_use]
pub fn is_erased(object: &Header) -> bool {
    type_if(object, |node| node.refused).is_some()
}

/// Returns whether the object is a node whose structure shows a reference to it that its count does
/// not know. Under the structures' lock, which a survey has.
#[inline]
pub(crate) fn is_owned(object: &Header) -> bool {
    type_if(object, |node| node.owned).is_some()
}

/// Returns the type of nodes that an object is of, if it is one and has one of these flags.
#[inline(always)]
fn type_if(object: &Header, flags: impl Fn(&NodeType) -> u32) -> Option<&'static NodeType> {
    let node = object.info().node()?;
    // SAFETY: the type of the object, which is alive during the call.
    unsafe { node.has_flags(object.value_ptr(), flags(node)) }.then_some(node)
}
