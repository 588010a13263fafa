//! Children of a node that dies or is garbage.

use super::children::Head;
use super::edit::unlink;
use super::keep::reference;
use super::links::flag;
use super::lock::lock;
use super::node::{Bare, Node};
use crate::object::Object;

/// Empties a list: its nodes are roots then, and those that nobody holds die.
///
/// # Safety
/// The list of an object that is alive until this returns, or dies.
pub(super) unsafe fn shed(list: *mut Head) {
    loop {
        let left = {
            let _locked = lock();
            // SAFETY: the lock is held; children are alive, and have their parent.
            unsafe {
                let Some(child) = Node::from_ptr((*list).first) else {
                    return;
                };
                let parent = child.parent().expect("a child has a parent");
                child.header().custody().wake(child.has(flag::AWAKE));
                (reference(child), unlink(child, parent))
            }
        };
        drop(left);
    }
}

/// What [`Trace::clear`](crate::trace::Trace::clear) does for a node that is garbage: nothing stands below it afterwards, and it does not own itself.
pub fn clear<T: Object>(value: &T) {
    let Some(bare) = Bare::of(value) else { return };
    {
        let _locked = lock();
        if bare.is_alone() {
            return;
        }
    }
    let node = bare.node();
    for number in 0..node.lists() {
        // SAFETY: whoever clears holds a reference.
        unsafe { shed(node.list(number)) };
    }
    let itself = {
        let _locked = lock();
        node.links().unset(flag::SELF)
    };
    if itself {
        drop(reference(node));
    }
}
