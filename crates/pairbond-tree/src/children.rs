//! [`Children`]: the field that is a list of children; [`List`]: what can be done with it.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;

use super::cursor::Iter;
use super::error::Refused;
use super::head::Head;
use super::lock::lock_trees;
use super::node::{Node, node_of};
use super::{child_index, edit};
use pairbond_core::error::Error;
use pairbond_core::memory::or_unwind;
use pairbond_core::object::{ErasedRef, Object, Ref};
use pairbond_core::trace::{Reach, Trace, Tracer};

/// An ordered list of children: a field of a type marked `tree`. It is read and changed through a
/// handle to its object, with [`TreeNode::list`](super::TreeNode::list).
#[repr(transparent)]
pub struct Children<T> {
    head: UnsafeCell<Head>,
    _children: PhantomData<fn() -> T>,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Children<pairbond_core::object::Header>>() == 16);

// SAFETY: touched under the lock of all trees only; its elements are thread-safe (`List::insert`
// demands it).
unsafe impl<T> Send for Children<T> {}
// SAFETY: touched under the lock of all trees only; its elements are thread-safe (`List::insert`
// demands it).
unsafe impl<T> Sync for Children<T> {}

impl<T> Children<T> {
    /// No children.
    #[must_use]
    pub const fn new() -> Self {
        Children {
            head: UnsafeCell::new(Head::new()),
            _children: PhantomData,
        }
    }

    /// All of them. The caller has a handle to their parent.
    pub(super) fn child_refs(&self) -> Vec<Ref<T>>
    where
        T: Object,
    {
        let _locked = lock_trees();
        // SAFETY: the lock is held, and children are alive.
        unsafe {
            let list = self.head();
            let mut all = Vec::new();
            or_unwind(all.try_reserve_exact((*list).len()));
            let first = (*list).first();
            all.extend(std::iter::successors(first, |node| node.next()).map(|node| child_as(node.to_ref())));
            all
        }
    }

    pub(super) fn head(&self) -> *mut Head {
        self.head.get()
    }
}

impl<T> Default for Children<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Children<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Children")
    }
}

// SAFETY: its elements are shown by `crate::trace`, which the expansion calls for the object.
unsafe impl<T: Object> Trace for Children<T> {
    const TRACED: bool = true;
    fn trace(&self, _: &mut Tracer<'_>) {}
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
}

/// A list of children of one node, for the time of a borrow of a handle to it.
pub struct List<'a, T> {
    pub(super) node: Node,
    pub(super) number: usize,
    _borrowed: PhantomData<&'a T>,
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List({} of {})", self.number, self.node.header().info().key())
    }
}

impl<'a, T: Object + Send + Sync> List<'a, T> {
    /// The list with a number of a node, for as long as a reference to that is borrowed. Its
    /// elements are `T`s.
    pub(super) fn new(node: Node, number: usize) -> Self {
        List {
            node,
            number,
            _borrowed: PhantomData,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        let _locked = lock_trees();
        // SAFETY: the lock is held.
        unsafe { (*self.node.list_ptr(self.number)).len() }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The child at a place.
    #[must_use]
    pub fn get(self, place: usize) -> Option<Ref<T>> {
        self.find_child(|list| child_index::child_at(list, place))
    }

    /// The first.
    #[must_use]
    pub fn first(self) -> Option<Ref<T>> {
        // SAFETY: the lock is held, and children are alive.
        self.find_child(|list| unsafe { (*list).first() })
    }

    /// The last.
    #[must_use]
    pub fn last(self) -> Option<Ref<T>> {
        // SAFETY: the lock is held, and children are alive.
        self.find_child(|list| unsafe { (*list).last() })
    }

    fn find_child(self, find: impl FnOnce(*mut Head) -> Option<Node>) -> Option<Ref<T>> {
        let found = {
            let _locked = lock_trees();
            find(self.node.list_ptr(self.number)).map(Node::to_ref)
        };
        found.map(child_as)
    }

    /// The place of a child; `None` when it does not stand in this list.
    #[must_use]
    pub fn index_of(self, child: &Ref<T>) -> Option<usize> {
        let _locked = lock_trees();
        let child = node_of(child);
        self.contains_node(child)
            .then(|| child_index::place_of_child(self.node.list_ptr(self.number), child))
    }

    /// Whether a node stands in this list.
    #[must_use]
    pub fn contains(self, child: &Ref<T>) -> bool {
        let _locked = lock_trees();
        self.contains_node(node_of(child))
    }

    /// Under the lock.
    pub(super) fn contains_node(self, child: Node) -> bool {
        child.parent() == Some(self.node) && child.list_number() == self.number
    }

    /// Puts a root to the end.
    ///
    /// # Errors
    /// It has a parent; it is this node or one above it; either was erased.
    pub fn push(self, child: &Ref<T>) -> Result<(), Error> {
        Ok(edit::attach_root(self, child, |_| Ok(None))?)
    }

    /// Puts a root to the end, and drops the handle. If that is the only one, the node is asleep at
    /// once, which is quicker than to wake its parent for it.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_owned(self, child: Ref<T>) -> Result<(), Error> {
        edit::attach_owned(self, child).map_err(|(refused, _child)| refused.into())
    }

    /// Puts a root to the beginning.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_front(self, child: &Ref<T>) -> Result<(), Error> {
        let first = |list: *mut Head| {
            // SAFETY: under the lock.
            unsafe { (*list).first() }
        };
        Ok(edit::attach_root(self, child, |list| Ok(first(list)))?)
    }

    /// Puts a root to a place, or to the end.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn insert(self, place: usize, child: &Ref<T>) -> Result<(), Error> {
        Ok(edit::attach_root(self, child, |list| {
            Ok(child_index::child_at(list, place))
        })?)
    }

    /// Puts a root before one that stands in this list.
    ///
    /// # Errors
    /// As [`push`](Self::push), and if `at` does not stand here.
    pub fn insert_before(self, at: &Ref<T>, child: &Ref<T>) -> Result<(), Error> {
        Ok(edit::attach_root(self, child, |_| {
            self.check_in_list(node_of(at)).map(Some)
        })?)
    }

    /// Puts a root after one that stands in this list.
    ///
    /// # Errors
    /// As [`insert_before`](Self::insert_before).
    pub fn insert_after(self, at: &Ref<T>, child: &Ref<T>) -> Result<(), Error> {
        Ok(edit::attach_root(self, child, |_| {
            Ok(self.check_in_list(node_of(at))?.next())
        })?)
    }

    pub(super) fn check_in_list(self, node: Node) -> Result<Node, Refused> {
        node.check_not_erased()?;
        if self.contains_node(node) {
            Ok(node)
        } else {
            Err(Refused::Elsewhere(node, self.node))
        }
    }

    /// Moves a node, which may be a root, before one that stands in this list, or to the end; one
    /// step for other threads. Before itself it stays in its place.
    ///
    /// # Errors
    /// It is this node or one above it; `before` does not stand here; one was erased. Nothing is
    /// changed then.
    pub fn adopt(self, before: Option<&Ref<T>>, child: Ref<T>) -> Result<(), Error> {
        if before.is_some() {
            return Ok(edit::insert_or_move(self, before.map(node_of), node_of(&child))?);
        }
        // Mostly a root that comes to the end.
        match edit::attach_owned(self, child) {
            Ok(()) => Ok(()),
            Err((Refused::Owned(node), _child)) => Ok(edit::insert_or_move(self, None, node)?),
            Err((refused, _child)) => Err(refused.into()),
        }
    }

    /// Moves all nodes of another list to the end, one step for other threads.
    ///
    /// # Errors
    /// This node stands below one of them; either was erased. Nothing is changed then.
    pub fn append(self, other: List<'_, T>) -> Result<(), Error> {
        Ok(edit::append_all(self, other)?)
    }

    /// Makes all children roots of trees of their own.
    ///
    /// # Errors
    /// The node was erased.
    pub fn detach_all(self) -> Result<(), Error> {
        for child in self.to_vec() {
            edit::detach_node(node_of(&child)).or_else(|refused| match refused {
                Refused::Erased(node) if node == self.node => Err(refused),
                // Another thread was quicker.
                _ => Ok(()),
            })?;
        }
        Ok(self.node.check_not_erased()?)
    }

    /// Moves the nodes from `first` to `last`, which stand in one list of any node, before one that
    /// stands in this list, or to the end.
    ///
    /// # Errors
    /// They do not stand so; one of them is no `T`; this node is one of them or below one of them;
    /// one was erased. Nothing is changed then.
    pub fn splice(self, before: Option<&Ref<T>>, first: &Ref<T>, last: &Ref<T>) -> Result<(), Error> {
        Ok(edit::move_range(
            self,
            before.map(node_of),
            node_of(first),
            node_of(last),
            T::info(),
        )?)
    }

    /// All of them as they stand now, under one lock. Unwinds with a `MemoryError` where there is
    /// no memory for them.
    #[must_use]
    pub fn to_vec(self) -> Vec<Ref<T>> {
        let _locked = lock_trees();
        // SAFETY: the lock is held, and children are alive.
        unsafe {
            let list = self.node.list_ptr(self.number);
            let mut all = Vec::new();
            or_unwind(all.try_reserve_exact((*list).len()));
            let first = (*list).first();
            all.extend(std::iter::successors(first, |node| node.next()).map(|node| child_as(node.to_ref())));
            all
        }
    }

    /// All, one after the other, while they may be edited: a child that is inserted behind the
    /// current one is seen, and the current one may be removed, or moved within the list, where the
    /// iteration goes on. It ends when the current one and the next were both removed.
    #[must_use]
    pub fn iter(self) -> Iter<'a, T> {
        Iter::from_list(self)
    }
}

impl<'a, T: Object + Send + Sync> IntoIterator for List<'a, T> {
    type Item = Ref<T>;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Casts a child: nodes in a list of `Children<T>` are `T`s, and so is a node that was checked.
pub(super) fn child_as<T: Object>(child: ErasedRef) -> Ref<T> {
    debug_assert!(child.header().is::<T>());
    // SAFETY: `attach` and `splice` take nothing else, or the caller has checked it.
    unsafe { Ref::from_raw(child.into_raw()) }
}
