//! Attaching, detaching, moving.

use super::child_index;
use super::children::List;
use super::error::Refused;
use super::head::Head;
use super::keep::{counted_reference, own_itself};
use super::links::{Place, flag};
use super::lock::lock_trees;
use super::node::{Node, node_of};
use super::order::{first_from, next_in_order};
use super::weight;
use pairbond_core::object::{ErasedRef, Object, Ref, Released, run_release_action};
use pairbond_core::types::TypeInfo;

/// Puts a root into a list, before the node that `find` finds.
pub(super) fn attach_root<T: Object + Send + Sync>(
    list: List<'_, T>,
    child: &Ref<T>,
    find: impl FnOnce(*mut Head) -> Result<Option<Node>, Refused>,
) -> Result<(), Refused> {
    let _locked = lock_trees();
    attach_locked(list, node_of(child), find)?;
    stay_awake(list.node, node_of(child));
    Ok(())
}

/// Puts a root to the end of a list, and drops the handle to it; or gives it back, for the refusal
/// tells of its node.
pub(super) fn attach_owned<T: Object + Send + Sync>(
    list: List<'_, T>,
    child: Ref<T>,
) -> Result<(), (Refused, Ref<T>)> {
    let node = node_of(&child);
    let left = {
        let _locked = lock_trees();
        if let Err(refused) = attach_locked(list, node, |_| Ok(None)) {
            return Err((refused, child));
        }
        let custody = node.header().custody();
        if custody.pair().wrapper().is_null() {
            std::mem::forget(child);
            let duty = custody.release();
            if duty == Released::Destroy {
                // It has no handle: it is asleep, and was never awake here.
                return Ok(());
            }
            stay_awake(list.node, node);
            Err(duty)
        } else {
            stay_awake(list.node, node);
            Ok(child)
        }
    };
    if let Err(duty) = left {
        // SAFETY: from a transition of this object.
        unsafe { run_release_action(node.as_non_null(), duty) };
    }
    Ok(())
}

/// Under the lock. The node has the place then, and is asleep as yet.
pub(super) fn attach_locked<T: Object + Send + Sync>(
    list: List<'_, T>,
    child: Node,
    find: impl FnOnce(*mut Head) -> Result<Option<Node>, Refused>,
) -> Result<(), Refused> {
    let (parent, links) = (list.node, child.links());
    parent.check_not_erased()?;
    if links.has_bits(flag::ERASED | flag::ATTACHED) {
        child.check_not_erased()?;
        return Err(Refused::Owned(child));
    }
    if is_within(parent, child, child) {
        return Err(Refused::Cycle(child, parent));
    }
    let before = find(parent.list_ptr(list.number))?;
    // SAFETY: the lock is held. A root that the caller has a handle to; the place is one of the
    // list's.
    unsafe {
        match before {
            None => link_last(parent, parent.list_ptr(list.number), child),
            before => link_chain(parent, list.number, child, child, 1, before),
        }
        settle_below(parent, list.number, child);
    }
    Ok(())
}

/// Says where a node stands that was just linked into a list.
///
/// # Safety
/// The caller holds the lock of trees, and both nodes are alive.
unsafe fn settle_below(parent: Node, number: usize, child: Node) {
    // SAFETY: the lock is held.
    unsafe { (*child.place_ptr()).parent = parent.as_ptr() };
    child
        .links()
        .set_bits(flag::ATTACHED | (number as u32) << flag::LIST);
    weight::note_attached(1);
}

/// Appends a node that no other thread can reach yet, and that has no handle. The caller holds the
/// lock, and calls [`weight::note_attached`] once for all nodes that it appends.
///
/// # Safety
/// The list is that of this number of `parent`, which was not erased, and the child a `T` that
/// stands nowhere.
#[inline]
pub(super) unsafe fn append_unshared<T: Object>(parent: Node, list: *mut Head, number: usize, child: Node) {
    // SAFETY: the lock is held; the place is one of the list's. A node that no other thread
    // can reach is above none that another thread can reach.
    unsafe {
        let links = child.links_of::<T>();
        let (list, place) = (&mut *list, &mut *links.place_ptr());
        place.previous = child.as_ptr();
        match list.first() {
            None => {
                list.set_first(Some(child));
                parent.links().set_bits(flag::PARENT);
            }
            Some(first) => {
                let first = first.links_of::<T>().place_ptr();
                let end = std::mem::replace(&mut (*first).previous, child.as_ptr());
                place.previous = end;
                if let Some(end) = Node::from_ptr(end) {
                    (*end.links_of::<T>().place_ptr()).next = child.as_ptr();
                }
            }
        }
        list.add(1);
        place.parent = parent.as_ptr();
        links.set_bits(flag::ATTACHED | (number as u32) << flag::LIST);
    }
}

/// A node that was just attached has handles, or a self.
pub(super) fn stay_awake(parent: Node, child: Node) {
    child.links().set_bits(flag::AWAKE);
    parent.header().custody().acquire();
    own_itself(child);
}

/// Whether a node is one of a range of siblings, or stands below one of them; a range of one may be
/// a root. Under the lock.
///
/// It walks up from the node and through the range in turn, so it takes as many steps as the
/// shorter way has: a new part is small, however deep the place is where it is attached.
fn is_within(node: Node, first: Node, last: Node) -> bool {
    let around = first.parent();
    let mut up = node;
    let mut down = first;
    loop {
        if up.parent() == around {
            // Nothing above stands in the range; a root is alone.
            let siblings = std::iter::successors(Some(first), |at| at.next().filter(|_| *at != last));
            return match around {
                Some(_) if up.list_number() != first.list_number() => false,
                Some(_) => siblings.into_iter().any(|at| at == up),
                None => up == first,
            };
        }
        let Some(above) = up.parent() else { return false };
        up = above;
        if down == node {
            return true;
        }
        // Back at a node of the range that is not the last: continue with the next of the range.
        match first_from(down, 0).or_else(|| next_in_order(down, last)) {
            Some(next) => down = next,
            None => return false,
        }
    }
}

/// As [`link_chain`], for a single node and the end of the list, where most go.
///
/// # Safety
/// The caller holds the lock of trees; `list` is that of `parent`, which is alive, and `node` is
/// alive and in no list.
unsafe fn link_last(parent: Node, list: *mut Head, node: Node) {
    // SAFETY: the lock is held. The place of a node that stands in no list is empty.
    unsafe {
        let list = &mut *list;
        match list.first() {
            None => {
                list.set_first(Some(node));
                parent.links().set_bits(flag::PARENT);
                (*node.place_ptr()).previous = node.as_ptr();
            }
            Some(first) => {
                let end = std::mem::replace(&mut (*first.place_ptr()).previous, node.as_ptr());
                (*node.place_ptr()).previous = end;
                if let Some(end) = Node::from_ptr(end) {
                    (*end.place_ptr()).next = node.as_ptr();
                }
            }
        }
        list.add(1);
    }
}

/// Links a chain of `len` nodes that stands in no list into one.
///
/// # Safety
/// The caller holds the lock of trees; all nodes are alive, and those of the chain are in no list.
unsafe fn link_chain(parent: Node, number: usize, first: Node, last: Node, len: usize, before: Option<Node>) {
    // SAFETY: the lock is held.
    unsafe {
        let list = &mut *parent.list_ptr(number);
        child_index::note_entered(list, first, len, before);
        let end = list.last();
        let behind = before.map_or(end, Node::previous);
        // Who is before the first one is the last one.
        (*first.place_ptr()).previous = header_or_null(behind.or(end));
        (*last.place_ptr()).next = header_or_null(before);
        match behind {
            Some(behind) => (*behind.place_ptr()).next = first.as_ptr(),
            None => {
                list.set_first(Some(first));
                parent.links().set_bits(flag::PARENT);
            }
        }
        if let Some(after) = before.or(list.first()) {
            (*after.place_ptr()).previous = last.as_ptr();
        }
        list.add(len as isize);
    }
}

/// Takes a chain of `len` nodes out of the list that it stands in.
///
/// # Safety
/// The caller holds the lock of trees, and the chain is in that list of `parent`.
pub(super) unsafe fn unlink_chain(parent: Node, number: usize, first: Node, last: Node, len: usize) {
    // SAFETY: the lock is held.
    unsafe {
        let list = &mut *parent.list_ptr(number);
        child_index::note_left(list, first, len);
        let (behind, before) = (first.previous(), last.next());
        match behind {
            Some(behind) => (*behind.place_ptr()).next = header_or_null(before),
            None => list.set_first(before),
        }
        if let Some(after) = before.or(list.first()) {
            (*after.place_ptr()).previous = (*first.place_ptr()).previous;
        }
        list.add(-(len as isize));
        (*first.place_ptr()).previous = std::ptr::null_mut();
        (*last.place_ptr()).next = std::ptr::null_mut();
        if list.first().is_none() {
            settle_childless(parent);
        }
    }
}

fn header_or_null(node: Option<Node>) -> *mut pairbond_core::object::Header {
    node.map_or(std::ptr::null_mut(), Node::as_ptr)
}

/// References that a node owned on account of its place, to be dropped outside of the lock.
pub(super) struct Left {
    _parent: Option<ErasedRef>,
    _itself: Option<ErasedRef>,
}

/// Takes a node out of its list and makes it a root. The caller holds a reference to it.
///
/// # Safety
/// The caller holds the lock of trees, and `parent` is the node's parent.
pub(super) unsafe fn unlink_node(node: Node, parent: Node) -> Left {
    // SAFETY: the lock is held, and this is the parent.
    unsafe {
        unlink_chain(parent, node.list_number(), node, node, 1);
        (*node.place_ptr()).parent = std::ptr::null_mut();
    }
    weight::note_attached(-1);
    let (awake, itself) = (node.has_bits(flag::AWAKE), weight::owned_itself(node.links()));
    node.links().clear_bits(!flag::PARENT);
    Left {
        _parent: awake.then(|| counted_reference(parent)),
        _itself: itself.then(|| counted_reference(node)),
    }
}

/// Makes a node without handles a root, whose list is [told](behead) of it.
///
/// # Safety
/// The caller holds the lock of trees, and the node stands in a list.
pub(super) unsafe fn make_root(node: Node) {
    let links = node.links();
    // SAFETY: the lock is held.
    unsafe { *links.place_ptr() = Place::NONE };
    links.clear_bits(!flag::PARENT);
}

/// Updates a list of which the first `len` nodes were [taken](uproot). `left`: its first node and
/// its last, if there are any.
///
/// # Safety
/// The caller holds the lock of trees; a list of `parent`.
pub(super) unsafe fn note_first_taken(parent: Node, list: *mut Head, len: usize, left: Option<(Node, Node)>) {
    // SAFETY: the lock is held.
    unsafe {
        let list = &mut *list;
        child_index::forget_places(list);
        list.add(-(len as isize));
        list.set_first(left.map(|(first, _)| first));
        match left {
            Some((first, last)) => (*first.place_ptr()).previous = last.as_ptr(),
            None => settle_childless(parent),
        }
    }
    weight::note_attached(-(len as isize));
}

/// Says of a node of which a list became empty whether it is a parent. Under the lock.
fn settle_childless(parent: Node) {
    if (0..parent.list_count()).all(|list| parent.first_child(list).is_none()) {
        parent.links().clear_bits(flag::PARENT);
    }
}

pub(super) fn detach_node(node: Node) -> Result<(), Refused> {
    let left = {
        let _locked = lock_trees();
        node.check_not_erased()?;
        let Some(parent) = node.parent() else {
            return Ok(());
        };
        // SAFETY: the lock is held; the caller has a handle.
        unsafe { unlink_node(node, parent) }
    };
    drop(left);
    Ok(())
}

/// Puts a root into a list before a node of it, or moves a node there.
pub(super) fn insert_or_move<T: Object + Send + Sync>(
    list: List<'_, T>,
    before: Option<Node>,
    child: Node,
) -> Result<(), Refused> {
    let moved = {
        let _locked = lock_trees();
        let before = before.map(|before| list.check_in_list(before)).transpose()?;
        if before == Some(child) {
            return Ok(());
        }
        if child.parent().is_none() {
            attach_locked(list, child, |_| Ok(before))?;
            stay_awake(list.node, child);
            return Ok(());
        }
        move_range_locked(list, before, child, child, T::info())?
    };
    moved.finish();
    Ok(())
}

/// Moves all nodes of another list to the end of one.
pub(super) fn append_all<T: Object + Send + Sync>(
    list: List<'_, T>,
    other: List<'_, T>,
) -> Result<(), Refused> {
    let moved = {
        let _locked = lock_trees();
        list.node.check_not_erased()?;
        other.node.check_not_erased()?;
        // SAFETY: the lock is held, and children are alive.
        let (first, last) = unsafe {
            let list = &*other.node.list_ptr(other.number);
            (list.first(), list.last())
        };
        match first.zip(last) {
            Some((first, last)) => move_range_locked(list, None, first, last, T::info())?,
            None => return Ok(()),
        }
    };
    moved.finish();
    Ok(())
}

/// References to a former parent, to be dropped outside of the lock.
struct Moved(Option<(Node, usize)>);

impl Moved {
    fn finish(self) {
        if let Some((from, awake)) = self.0 {
            for _ in 0..awake {
                drop(counted_reference(from));
            }
        }
    }
}

/// Moves a range of one list before a node of another, or of the same, whose nodes are of the type
/// `element`. The list that the range stands in may have others between its ends.
pub(super) fn move_range<T: Object + Send + Sync>(
    list: List<'_, T>,
    before: Option<Node>,
    first: Node,
    last: Node,
    element: &'static TypeInfo,
) -> Result<(), Refused> {
    let moved = {
        let _locked = lock_trees();
        move_range_locked(list, before, first, last, element)?
    };
    moved.finish();
    Ok(())
}

/// Under the lock.
fn move_range_locked<T: Object + Send + Sync>(
    list: List<'_, T>,
    before: Option<Node>,
    first: Node,
    last: Node,
    element: &'static TypeInfo,
) -> Result<Moved, Refused> {
    let to = list.node;
    let (from, awake) = {
        to.check_not_erased()?;
        first.check_not_erased()?;
        last.check_not_erased()?;
        let before = before.map(|before| list.check_in_list(before)).transpose()?;
        let Some(from) = first.parent() else {
            return Err(Refused::Elsewhere(first, to));
        };
        let (mut len, mut awake, mut at) = (0, 0, first);
        loop {
            if Some(at) == before {
                return Err(Refused::OutOfOrder);
            }
            if !at.header().info().is_a(element) {
                return Err(Refused::Type(at.header().info(), element));
            }
            len += 1;
            awake += usize::from(at.has_bits(flag::AWAKE));
            if at == last {
                break;
            }
            at = at.next().ok_or(Refused::OutOfOrder)?;
        }
        if from != to && is_within(to, first, last) {
            return Err(Refused::Cycle(first, to));
        }
        // SAFETY: the lock is held; a range of one list, and a place that is not within it.
        unsafe {
            unlink_chain(from, first.list_number(), first, last, len);
            let mut at = Some(first);
            while let Some(node) = at {
                (*node.place_ptr()).parent = to.as_ptr();
                node.links().clear_bits(u32::MAX << flag::LIST);
                node.links().set_bits((list.number as u32) << flag::LIST);
                at = node.next();
            }
            link_chain(to, list.number, first, last, len, before);
        }
        if from == to {
            return Ok(Moved(None));
        }
        for _ in 0..awake {
            to.header().custody().acquire();
        }
        (from, awake)
    };
    Ok(Moved(Some((from, awake))))
}
