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
//! * The structure is told when a wrapper was made for a node, and given back ([`on_wrapped`],
//!   [`on_unwrapped`]): it may keep references because of it.
//! * The references that its place in the structure stands for are shown to collectors by the
//!   type's [`Trace`](crate::trace::Trace) under [one lock](super::structure_lock).

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::object_layout::Object;
use crate::custody::Header;
use crate::error::Error;
use crate::raw::ErasedRef;
use crate::types::{NodeType, ShowFn};

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

/// Returns what erased an object, if it is a node that was erased, in a few words.
#[must_use]
pub fn erased_by(object: &Header) -> Option<&'static str> {
    let node = type_if(object, |node| node.refused)?;
    // SAFETY: the type of the object; alive during the call.
    Some(unsafe { (node.hooks().cause)(object) })
}

/// Tells the structure of a node that a wrapper was made for it; the caller has a native reference.
/// `given`: the structure may have that reference. Returns whether it has taken it.
#[inline]
pub fn on_wrapped(object: &Header, given: bool) -> bool {
    let Some(node) = object.info().node() else {
        return false;
    };
    // SAFETY: the type of the object; alive by the caller's reference.
    unsafe { (node.hooks().wrapped)(object, given) }
}

/// Tells the structure of a node that its wrapper was given back; the object is alive. Returns a
/// reference that the structure had because of it, to be dropped where foreign code may run.
#[inline]
#[must_use]
pub fn on_unwrapped(object: &Header) -> Option<ErasedRef> {
    let node = object.info().node()?;
    // SAFETY: the type of the object; alive during the call.
    unsafe { (node.hooks().unwrapped)(object) }
}

/// Returns whether a collection would free less than half of the heap, because the structure of
/// `object`, which the caller holds, has at least half of `traced` objects and all that wait for a
/// collection.
#[must_use]
pub fn is_mostly_alive(object: &Header, traced: usize) -> bool {
    let node = object.info().node();
    // SAFETY: the type of the object; alive by the caller's reference.
    node.is_some_and(|node| unsafe { (node.hooks().is_mostly_alive)(object, traced) })
}

/// Shows the name that the type of a node has for it, if it has one, to a function. It is the
/// type's code that says so: no lock is held.
#[inline]
pub fn with_name<R>(object: &Header, show: impl FnOnce(&str) -> R) -> Option<R> {
    struct Wanted<R, F>(Option<F>, Option<std::thread::Result<R>>);
    unsafe extern "C-unwind" fn show_to<R, F: FnOnce(&str) -> R>(
        context: *mut c_void,
        name: *const u8,
        len: usize,
    ) {
        // SAFETY: the wanted value below, which is not shared, and a text.
        unsafe {
            let wanted = &mut *context.cast::<Wanted<R, F>>();
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
            if let Some(show) = wanted.0.take() {
                // A panic of ours passes no frame of the type's binary.
                wanted.1 = Some(catch_unwind(AssertUnwindSafe(|| show(name))));
            }
        }
    }
    fn show_fn_of<R, F: FnOnce(&str) -> R>(_: &Wanted<R, F>) -> ShowFn {
        show_to::<R, F>
    }
    let node = object.info().node()?;
    // SAFETY: the structure's table for the type.
    let name = unsafe { (node.hooks().name_fn)(node.table()) }?;
    let mut wanted = Wanted(Some(show), None);
    let show = show_fn_of(&wanted);
    // SAFETY: a living value of the type that the table is for, which what extends it begins with.
    unsafe { name(object.value_ptr(), (&raw mut wanted).cast(), show) };
    wanted
        .1
        .map(|shown| shown.unwrap_or_else(|panic| resume_unwind(panic)))
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
