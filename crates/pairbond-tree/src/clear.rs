//! Children of a node that dies or is garbage.

use std::ptr;

use super::edit::{Left, make_root, note_first_taken, unlink_node};
use super::head::Head;
use super::keep::counted_reference;
use super::links::flag;
use super::lock::lock_trees;
use super::node::{Bare, Node};
use super::weight;
use pairbond_core::object::{ErasedRef, Header, Object, destroy_object};

/// So many nodes are taken out of a list before others get the lock.
const AT_ONCE: usize = 32;

/// Nodes without handles that were taken out of a list, and are to be destroyed outside of the
/// lock. Each has the next one where it had its neighbour: no other thread can reach them.
struct Asleep(*mut Header);

impl Asleep {
    fn take_next(&mut self) -> Option<Node> {
        // SAFETY: nodes that this thread is to destroy, of which nothing else knows.
        unsafe {
            let node = Node::from_ptr(self.0)?;
            self.0 = std::mem::replace(&mut (*node.place_ptr()).next, ptr::null_mut());
            Some(node)
        }
    }

    /// Destroys them, also when a destructor panics.
    fn destroy_all(self) {
        struct Rest(Asleep);
        impl Drop for Rest {
            #[cold]
            fn drop(&mut self) {
                Asleep(self.0.0).destroy_all();
            }
        }
        let mut rest = Rest(self);
        while let Some(node) = rest.0.take_next() {
            // SAFETY: a root that is asleep cannot be reached any more.
            unsafe { destroy_object(node.as_non_null()) };
        }
        std::mem::forget(rest);
    }
}

/// Nodes taken out of a list, and references on account of their places, which are to be dropped
/// outside of the lock.
struct Taken {
    asleep: Asleep,
    /// The node behind them, if that has handles.
    _awake: Option<(ErasedRef, Left)>,
    /// Whether there may be more.
    more: bool,
}

/// Takes the nodes without handles that a list begins with, and the one behind them if it has
/// some.
///
/// # Safety
/// The list of an object that is alive until this returns.
unsafe fn take_asleep(list: *mut Head) -> Taken {
    let mut taken = Taken {
        asleep: Asleep(ptr::null_mut()),
        _awake: None,
        more: false,
    };
    let _locked = lock_trees();
    // SAFETY: the lock is held; children are alive, and have their parent.
    unsafe {
        let Some((first, last)) = (*list).first().zip((*list).last()) else {
            return taken;
        };
        let parent = first.parent().expect("a child has a parent");
        let (mut left, mut count, mut end) = (Some(first), 0, first);
        while let Some(node) = left.filter(|node| count < AT_ONCE && is_asleep(*node)) {
            left = node.next();
            make_root(node);
            match count {
                0 => taken.asleep.0 = node.as_ptr(),
                _ => (*end.place_ptr()).next = node.as_ptr(),
            }
            (count, end) = (count + 1, node);
        }
        if count > 0 {
            note_first_taken(parent, list, count, left.map(|first| (first, last)));
        }
        if let Some(node) = left.filter(|_| count < AT_ONCE) {
            node.header().custody().wake_node(node.has_bits(flag::AWAKE));
            taken._awake = Some((counted_reference(node), unlink_node(node, parent)));
        }
        taken.more = left.is_some();
    }
    taken
}

fn is_asleep(node: Node) -> bool {
    !node.has_bits(flag::AWAKE) && node.header().custody().state().strong() == 0
}

/// Empties a list: its nodes are roots then, and those without handles die. They are not taken for
/// that: a weak reference would find a part of a tree whose root is gone.
///
/// # Safety
/// The list of an object that is alive until this returns, or dies.
unsafe fn empty_list(list: *mut Head) {
    loop {
        // SAFETY: passed on.
        let taken = unsafe { take_asleep(list) };
        taken.asleep.destroy_all();
        if !taken.more {
            return;
        }
    }
}

/// The step before a value is dropped, whose lists are at these places: its children are not its
/// own any more. Not in the lists' own `drop`, whose `&mut self` would be a claim to exclusive
/// access.
///
/// # Safety
/// A living value that only the collector and its children still refer to; the places are those of
/// all its lists.
pub(super) unsafe fn leave_lists(value: *mut u8, lists: &[usize]) {
    for at in lists {
        // SAFETY: the caller's places. No thread is left that could put a first child into one.
        unsafe {
            let list = value.add(*at).cast::<Head>();
            if (*list).first().is_some() {
                empty_list(list);
            }
        }
    }
}

/// What [`Trace::clear`](pairbond_core::trace::Trace::clear) does for a node that is garbage:
/// nothing stands below it afterwards, and it does not own itself.
pub fn clear_node<T: Object>(value: &T) {
    if let Some(bare) = Bare::from_value(value) {
        clear_bare(&bare);
    }
}

/// As [`clear_node`], for a node of any type.
pub(super) fn clear_bare(bare: &Bare<'_>) {
    {
        let _locked = lock_trees();
        if bare.is_alone() {
            return;
        }
    }
    let node = bare.node();
    for number in 0..node.list_count() {
        // SAFETY: the thread that clears holds a reference.
        unsafe { empty_list(node.list_ptr(number)) };
    }
    let itself = {
        let _locked = lock_trees();
        weight::owned_itself(node.links())
    };
    if itself {
        drop(counted_reference(node));
    }
}
