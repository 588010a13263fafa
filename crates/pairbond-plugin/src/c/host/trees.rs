//! Trees: the places and children of nodes, edits, and walks.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::c::Text;
use crate::c::errors::{Problem, catch_errors, catch_errors_as_bool, catch_silently};
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
unsafe fn borrow_object<'a>(object: *const Header) -> Result<ErasedBorrow<'a>, Error> {
    match NonNull::new(object.cast_mut()) {
        // SAFETY: the caller's object.
        Some(object) => Ok(unsafe { ErasedBorrow::from_header(object) }),
        None => Err(Error::value_error("NULL is no node")),
    }
}

/// # Errors
/// As [`borrow_object`]; it is no node.
///
/// # Safety
/// As [`borrow_object`].
unsafe fn node_ref(node: *const Header) -> Result<Ref<Root>, Error> {
    // SAFETY: the caller's object.
    any_node(unsafe { borrow_object(node) }?)
}

/// An owned reference for C, or null.
fn owned_or_null(found: Option<ErasedRef>) -> *mut Header {
    found.map_or(std::ptr::null_mut(), |found| found.into_raw().as_ptr())
}

/// Returns a node beside another, or null where there is none or the object is no node.
///
/// # Safety
/// A living object or null.
unsafe fn node_beside(
    start: *const Header,
    find: impl FnOnce(&Ref<Root>) -> Option<ErasedRef>,
) -> *mut Header {
    // SAFETY: the caller's object.
    catch_silently(|| owned_or_null(unsafe { node_ref(start) }.ok().as_ref().and_then(find)))
        .unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C" fn node_parent(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { node_beside(node, TreeNode::parent) }
}

pub(super) unsafe extern "C" fn node_root(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { node_beside(node, |node| Some(TreeNode::root(node))) }
}

pub(super) unsafe extern "C" fn next_node(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { node_beside(node, |node| node.next_sibling().map(Ref::into_erased)) }
}

pub(super) unsafe extern "C" fn previous_node(node: *const Header) -> *mut Header {
    // SAFETY: a living object.
    unsafe { node_beside(node, |node| node.previous_sibling().map(Ref::into_erased)) }
}

/// The place in the list that a node stands in; false for one that stands in none.
pub(super) unsafe extern "C" fn node_place(start: *const Header, out: *mut usize) -> bool {
    catch_silently(|| {
        // SAFETY: a living object; the caller's place.
        let found = unsafe { node_ref(start) }.ok().as_ref().and_then(place_of);
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
    let both = || unsafe { Ok::<_, Error>((node_ref(start)?, node_ref(above)?)) };
    catch_silently(|| both().is_ok_and(|(node, above)| node.is_in(&above))).unwrap_or(false)
}

pub(super) unsafe extern "C" fn node_is_erased(node: *const Header) -> bool {
    // SAFETY: a living object.
    is_erased(unsafe { &*node })
}

pub(super) unsafe extern "C" fn check_node(node: *const Header, problem: Problem) -> bool {
    // SAFETY: a living object; a place for an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            pairbond_tree::check_object(borrow_object(node)?.header())
        })
    }
}

pub(super) unsafe extern "C" fn detach_node(start: *const Header, problem: Problem) -> bool {
    // SAFETY: a living object; a place for an error.
    unsafe { catch_errors_as_bool(problem, || node_ref(start)?.detach()) }
}

/// Without a reason: that of the scope, or `erase()`.
pub(super) unsafe extern "C" fn erase_node(start: *const Header, why: Text, problem: Problem) -> bool {
    // SAFETY: a living object; a text; a place for an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let (node, why) = (node_ref(start)?, why.get()?);
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
    unsafe {
        catch_errors_as_bool(problem, || {
            work(&NodeList::at_place(borrow_object(owner)?, list)?)
        })
    }
}

pub(super) unsafe extern "C" fn list_size(
    owner: *const Header,
    list: *const c_void,
    out: *mut usize,
    problem: Problem,
) -> bool {
    // SAFETY: a living object; places for the result and an error. (The same below.)
    unsafe {
        with_list(owner, list, problem, |list| {
            out.write(list.as_list().len());
            Ok(())
        })
    }
}

/// The node at a place, owned; null where there is none.
pub(super) unsafe extern "C" fn list_get(
    owner: *const Header,
    list: *const c_void,
    index: usize,
    out: *mut *mut Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`.
    unsafe {
        with_list(owner, list, problem, |list| {
            out.write(owned_or_null(list.as_list().get(index).map(Ref::into_erased)));
            Ok(())
        })
    }
}

/// Puts a root to a place, or to the end.
pub(super) unsafe extern "C" fn list_insert(
    owner: *const Header,
    list: *const c_void,
    index: usize,
    child: *const Header,
    problem: Problem,
) -> bool {
    // SAFETY: as `size`; another living object.
    unsafe {
        with_list(owner, list, problem, |list| {
            let child = list.check_element(borrow_object(child)?)?;
            if index == usize::MAX {
                list.as_list().push(&child)
            } else {
                list.as_list().insert(index, &child)
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
            let child = list.check_element(borrow_object(child)?)?;
            list.as_list().insert_before(&node_ref(at)?, &child)
        })
    }
}

/// Moves nodes that stand side by side before a node of the list, or to its end.
pub(super) unsafe extern "C" fn list_splice(
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
                Some(node_ref(before)?)
            };
            list.splice(before.as_ref(), &node_ref(first)?, &node_ref(last)?)
        })
    }
}

/// The next node of an iteration, lent by its place; null at the end.
pub(super) unsafe extern "C" fn advance_cursor(
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

pub(super) unsafe extern "C" fn end_cursor(cursor: *mut Place) {
    // SAFETY: the caller's place, which no other thread uses.
    catch_silently(|| unsafe { (*cursor).end_iteration() });
}

/// Begins a walk: to the nodes above, or to those below.
pub(super) unsafe extern "C" fn begin_walk(start: *const Header, up: bool, problem: Problem) -> *mut Walk {
    // SAFETY: a living object; a place for an error.
    unsafe {
        catch_errors(problem, || {
            let start = node_ref(start)?.into_erased();
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
    catch_silently(|| owned_or_null(step())).unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C" fn walk_free(walk: *mut Walk) {
    if !walk.is_null() {
        // SAFETY: made by `walk`, and given away.
        catch_silently(|| drop(unsafe { Box::from_raw(walk) }));
    }
}
