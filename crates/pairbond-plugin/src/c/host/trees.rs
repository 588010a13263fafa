//! Trees: the places and children of nodes, edits, and walks.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::c::Text;
use crate::c::errors::{Problem, done, guard, quiet};
use pairbond_core::error::Error;
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, Ref, Root};
use pairbond_tree::{
    Ancestors, Descendants, NodeList, Place, TreeNode, any_node, is_erased, place_of, reason,
};

/// A walk that was begun: `pb_walk`.
pub(super) enum Walk {
    Up(Ancestors),
    Down(Descendants),
}

/// An object that the caller keeps.
///
/// # Errors
/// It is null.
///
/// # Safety
/// A living object or null.
unsafe fn object<'a>(object: *const Header) -> Result<ErasedBorrow<'a>, Error> {
    match NonNull::new(object.cast_mut()) {
        // SAFETY: the caller's object.
        Some(object) => Ok(unsafe { ErasedBorrow::from_header(object) }),
        None => Err(Error::value_error("NULL is no node")),
    }
}

/// # Errors
/// As [`object`]; it is no node.
///
/// # Safety
/// As [`object`].
unsafe fn node(node: *const Header) -> Result<Ref<Root>, Error> {
    // SAFETY: the caller's object.
    any_node(unsafe { object(node) }?)
}

/// An owned reference for C, or null.
fn given(found: Option<ErasedRef>) -> *mut Header {
    found.map_or(std::ptr::null_mut(), |found| found.into_raw().as_ptr())
}

/// Returns a node beside another, or null where there is none or the object is no node.
///
/// # Safety
/// A living object or null.
unsafe fn beside(start: *const Header, find: impl FnOnce(&Ref<Root>) -> Option<ErasedRef>) -> *mut Header {
    // SAFETY: the caller's object.
    quiet(|| given(unsafe { node(start) }.ok().as_ref().and_then(find))).unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C" fn parent(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { beside(node, TreeNode::parent) }
}

pub(super) unsafe extern "C" fn root(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { beside(node, |node| Some(TreeNode::root(node))) }
}

pub(super) unsafe extern "C" fn next(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { beside(node, |node| node.next_sibling().map(Ref::into_erased)) }
}

pub(super) unsafe extern "C" fn previous(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { beside(node, |node| node.previous_sibling().map(Ref::into_erased)) }
}

/// The place in the list that a node stands in; false for one that stands in none.
pub(super) unsafe extern "C" fn place(start: *const Header, out: *mut usize) -> bool {
    quiet(|| {
        // SAFETY: a living object; the caller's place.
        let found = unsafe { node(start) }.ok().as_ref().and_then(place_of);
        if let Some(found) = found {
            // SAFETY: the caller's place.
            unsafe { out.write(found) };
        }
        found.is_some()
    })
    .unwrap_or(false)
}

/// Whether a node is another one, or stands somewhere below it.
pub(super) unsafe extern "C" fn is_in(start: *const Header, above: *const Header) -> bool {
    // SAFETY: living objects.
    let both = || unsafe { Ok::<_, Error>((node(start)?, node(above)?)) };
    quiet(|| both().is_ok_and(|(node, above)| node.is_in(&above))).unwrap_or(false)
}

pub(super) unsafe extern "C" fn erased(node: *const Header) -> bool {
    // SAFETY: a living object.
    is_erased(unsafe { &*node })
}

pub(super) unsafe extern "C" fn check(node: *const Header, problem: Problem) -> bool {
    // SAFETY: a living object; a place for an error.
    unsafe { done(problem, || pairbond_tree::check_object(object(node)?.header())) }
}

pub(super) unsafe extern "C" fn detach(start: *const Header, problem: Problem) -> bool {
    // SAFETY: a living object; a place for an error.
    unsafe { done(problem, || node(start)?.detach()) }
}

/// Without a reason: that of the scope, or `erase()`.
pub(super) unsafe extern "C" fn erase(start: *const Header, why: Text, problem: Problem) -> bool {
    // SAFETY: a living object; a text; a place for an error.
    unsafe {
        done(problem, || {
            let (node, why) = (node(start)?, why.get()?);
            let _scope = (!why.is_empty()).then(|| reason(why));
            node.erase()
        })
    }
}

/// Runs `work` with a list of a node.
///
/// # Safety
/// A living object; a list that its type has, by its field; a place for an error. What `work` uses
/// is good for the call.
unsafe fn with_list(
    owner: *const Header,
    list: *const c_void,
    problem: Problem,
    work: impl FnOnce(&NodeList) -> Result<(), Error>,
) -> bool {
    // SAFETY: the caller's object, list and place.
    unsafe { done(problem, || work(&NodeList::find(object(owner)?, list)?)) }
}

pub(super) unsafe extern "C" fn size(
    owner: *const Header,
    list: *const c_void,
    out: *mut usize,
    problem: Problem,
) -> bool {
    // SAFETY: a living object; places for the result and an error. (The same below.)
    unsafe {
        with_list(owner, list, problem, |list| {
            out.write(list.list().len());
            Ok(())
        })
    }
}

/// The node at a place, owned; null where there is none.
pub(super) unsafe extern "C" fn get(
    owner: *const Header,
    list: *const c_void,
    index: usize,
    out: *mut *mut Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`.
    unsafe {
        with_list(owner, list, problem, |list| {
            out.write(given(list.list().get(index).map(Ref::into_erased)));
            Ok(())
        })
    }
}

/// Puts a root to a place, or to the end.
pub(super) unsafe extern "C" fn insert(
    owner: *const Header,
    list: *const c_void,
    index: usize,
    child: *const Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`; another living object.
    unsafe {
        with_list(owner, list, problem, |list| {
            let child = list.element(object(child)?)?;
            if index == usize::MAX {
                list.list().push(&child)
            } else {
                list.list().insert(index, &child)
            }
        })
    }
}

/// Puts a root before a node of the list.
pub(super) unsafe extern "C" fn insert_before(
    owner: *const Header,
    list: *const c_void,
    at: *const Header,
    child: *const Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`; other living objects.
    unsafe {
        with_list(owner, list, problem, |list| {
            let child = list.element(object(child)?)?;
            list.list().insert_before(&node(at)?, &child)
        })
    }
}

/// Moves nodes that stand side by side before a node of the list, or to its end.
pub(super) unsafe extern "C" fn splice(
    owner: *const Header,
    list: *const c_void,
    before: *const Header,
    first: *const Header,
    last: *const Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`; other living objects, the first of which may be null.
    unsafe {
        with_list(owner, list, problem, |list| {
            let before = if before.is_null() {
                None
            } else {
                Some(node(before)?)
            };
            list.splice(before.as_ref(), &node(first)?, &node(last)?)
        })
    }
}

/// The next node of an iteration, lent by its place; null at the end.
pub(super) unsafe extern "C" fn advance(
    owner: *const Header,
    list: *const c_void,
    cursor: *mut Place,
    out: *mut *mut Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`; the caller's place, which no other thread uses.
    unsafe {
        with_list(owner, list, problem, |list| {
            out.write(list.advance(&mut *cursor)?);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn end(cursor: *mut Place) {
    // SAFETY: the caller's place, which no other thread uses.
    quiet(|| unsafe { (*cursor).end() });
}

/// Begins a walk: to the nodes above, or to those below.
pub(super) unsafe extern "C" fn walk(start: *const Header, up: bool, problem: Problem) -> *mut Walk {
    // SAFETY: a living object; a place for an error.
    unsafe {
        guard(problem, || {
            let start = object(start)?.to_ref();
            let walk = if up {
                Walk::Up(Ancestors::of_object(start)?)
            } else {
                Walk::Down(Descendants::of_object(start)?)
            };
            Ok(Box::into_raw(Box::new(walk)))
        })
        .unwrap_or(std::ptr::null_mut())
    }
}

/// The next node, owned; null at the end.
pub(super) unsafe extern "C" fn walk_next(walk: *mut Walk) -> *mut Header {
    // SAFETY: made by `walk`; no other thread uses it.
    let step = || match unsafe { &mut *walk } {
        Walk::Up(walk) => walk.next(),
        Walk::Down(walk) => walk.next(),
    };
    quiet(|| given(step())).unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C" fn walk_free(walk: *mut Walk) {
    if !walk.is_null() {
        // SAFETY: made by `walk`, and given away.
        quiet(|| drop(unsafe { Box::from_raw(walk) }));
    }
}
