//! Children of a node that dies or is garbage.

use super::edit::{Left, unlink};
use super::head::Head;
use super::keep::reference;
use super::links::flag;
use super::lock::lock;
use super::node::{Bare, Node};
use super::weight;
use crate::object::{ErasedRef, Object, destroy};

/// Takes the first child out of a list. Outside of the lock, nothing of the place it had is left
/// but references to be dropped.
enum First {
    /// It has no handle.
    Asleep(Node),
    Awake(ErasedRef, Left),
}

impl First {
    /// # Safety
    /// The list of an object that is alive until this returns.
    unsafe fn take(list: *mut Head) -> Option<Self> {
        let _locked = lock();
        // SAFETY: the lock is held; children are alive, and have their parent.
        unsafe {
            let child = (*list).first()?;
            let parent = child.parent().expect("a child has a parent");
            let awake = child.has(flag::AWAKE);
            if !awake && child.header().custody().state().strong() == 0 {
                unlink(child, parent);
                return Some(First::Asleep(child));
            }
            child.header().custody().wake(awake);
            Some(First::Awake(reference(child), unlink(child, parent)))
        }
    }
}

/// Empties a list: its nodes are roots then, and those without handles die. They are not taken for
/// that: a weak reference would find a part of a tree whose root is gone.
///
/// # Safety
/// The list of an object that is alive until this returns, or dies.
unsafe fn shed(list: *mut Head) {
    // SAFETY: passed on. Who is asleep and a root now cannot be got at any more.
    unsafe {
        while let Some(first) = First::take(list) {
            match first {
                First::Asleep(child) => destroy(child.as_non_null()),
                First::Awake(child, left) => drop((child, left)),
            }
        }
    }
}

/// The step before a value is dropped: its children are not its own any more. Not in the lists' own
/// `drop`, whose `&mut self` would be a claim to exclusive access.
///
/// # Safety
/// A living value of `T` that only the collector and its children still refer to.
pub(crate) unsafe fn leave_children<T: Object>(value: *mut u8) {
    // SAFETY: the table of the type; the caller's value.
    unsafe { leave_lists(value, T::TREE.map_or(&[][..], |table| table.lists)) }
}

/// As [`leave_children`], for lists at these places of a value.
///
/// # Safety
/// As there; the places are those of all its lists.
pub(super) unsafe fn leave_lists(value: *mut u8, lists: &[usize]) {
    for at in lists {
        // SAFETY: the caller's places. No thread is left that could put a first child into one.
        unsafe {
            let list = value.add(*at).cast::<Head>();
            if (*list).first().is_some() {
                shed(list);
            }
        }
    }
}

/// What [`Trace::clear`](crate::trace::Trace::clear) does for a node that is garbage: nothing
/// stands below it afterwards, and it does not own itself.
pub fn clear<T: Object>(value: &T) {
    if let Some(bare) = Bare::of(value) {
        clear_bare(&bare);
    }
}

/// As [`clear`], for a node of any type.
pub(super) fn clear_bare(bare: &Bare<'_>) {
    {
        let _locked = lock();
        if bare.is_alone() {
            return;
        }
    }
    let node = bare.node();
    for number in 0..node.lists() {
        // SAFETY: the thread that clears holds a reference.
        unsafe { shed(node.list(number)) };
    }
    let itself = {
        let _locked = lock();
        weight::owned_itself(node.links())
    };
    if itself {
        drop(reference(node));
    }
}
