//! Many nodes under one lock: looked at without handles ([`with_lock`]), and let go together
//! ([`drop_all`]).

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;

use super::children::Children;
use super::hooks::table_of;
use super::keep::put_down;
use super::links::flag;
use super::lock::{Locked, lock_trees};
use super::node::{Node, node_of};
use super::weak::root_of;
use pairbond_core::object::{Borrow, Header, Object, Ref, Shape, Weak, run_release_action};
use pairbond_core::{CACHE_LINE, prefetch_all};

/// The lock of all trees of the process: none is edited meanwhile. See [`with_lock`].
pub struct TreeGuard {
    locked: Locked,
    /// The first node of the list that was looked at before.
    first: Cell<*mut Header>,
}

/// Looks at nodes where they stand, without handles. It holds the lock of all trees: the function
/// is short, and calls nothing of this module, drops no reference and runs no foreign code, as if
/// it were in [`Cell::with`](pairbond_value::value::Cell::with).
///
/// ```
/// # use pairbond_tree::Children;
/// # use pairbond_core::object::{Object, Ref};
/// fn count<B, O>(block: &Ref<B>, list: impl Fn(&B) -> &Children<O>) -> usize
/// where
///     B: Object,
///     O: Object + Send + Sync,
/// {
///     pairbond_tree::with_lock(|guard| guard.children(list(block)).count())
/// }
/// ```
pub fn with_lock<R>(work: impl FnOnce(&TreeGuard) -> R) -> R {
    work(&TreeGuard::lock_tree())
}

impl TreeGuard {
    /// Takes the lock.
    pub(super) fn lock_tree() -> Self {
        TreeGuard {
            locked: lock_trees(),
            first: Cell::new(ptr::null_mut()),
        }
    }

    pub(super) fn is_held(&self) -> bool {
        self.locked.is_held()
    }

    /// The nodes of a list. The first one is prefetched: where its memory is far away, this comes
    /// before what else there is to do. And so is that of the first ones of lists that may be
    /// looked at later: of neighbours these mostly lie at equal distances, too.
    #[inline]
    pub fn children<'a, T: Object + Send + Sync>(&'a self, list: &'a Children<T>) -> Siblings<'a, T> {
        // SAFETY: the lock is held.
        let next = unsafe { (*list.head()).first() };
        if let Some(first) = next {
            let first = first.as_ptr();
            prefetch_node::<T>(first);
            prefetch_ahead(self.first.replace(first), first, size_of_node::<T>());
        }
        self.from(next)
    }

    /// The last node of a list.
    pub fn last<'a, T: Object + Send + Sync>(&'a self, list: &'a Children<T>) -> Option<Found<'a, T>> {
        // SAFETY: the lock is held.
        self.from(unsafe { (*list.head()).last() }).next()
    }

    /// A node and those that come behind it in its list; none if it stands in no list. In a list of
    /// what `T` extends, those that are no `T` are passed over.
    pub fn siblings_from<'a, T: Object + Send + Sync>(&'a self, node: &'a Ref<T>) -> Siblings<'a, T> {
        let checked = table_of::<T::Base>().is_some();
        let all = self.from(Some(node_of(node)).filter(|node| node.parent().is_some()));
        Siblings { checked, ..all }
    }

    /// A node that one has a handle to.
    pub fn found<'a, T: Object + Send + Sync>(&'a self, node: &'a Ref<T>) -> Found<'a, T> {
        let (node, _still) = (node_of(node), PhantomData);
        Found { node, _still }
    }

    /// What a weak reference leads to, if it stands in a list. A root is not found so: it may be
    /// dying.
    pub fn upgrade_ref<'a, T: Object + Send + Sync>(&'a self, weak: &'a Weak<T>) -> Option<Found<'a, T>> {
        // SAFETY: a type of nodes, as all of `T`. The weak reference keeps the memory, and a node
        // loses its place before its value dies.
        let node = unsafe { Node::new(weak.as_non_null()) };
        let _still = PhantomData;
        // SAFETY: a type of nodes, as all of `T`. The weak reference keeps the memory, and a node
        // loses its place before its value dies.
        let stands = || unsafe { node.links_of::<T>() }.has_bits(flag::ATTACHED);
        (table_of::<T>().is_some() && stands()).then_some(Found { node, _still })
    }

    /// The node that a node stands below, if it is of that type.
    pub fn parent<'a, T: Object, U: Object>(&'a self, of: Found<'a, T>) -> Option<Found<'a, U>> {
        let (node, _still) = (of.node.parent()?, PhantomData);
        node.header().is::<U>().then_some(Found { node, _still })
    }

    /// The next node of the same list, if it is of that type.
    pub fn next<'a, T: Object, U: Object>(&'a self, of: Found<'a, T>) -> Option<Found<'a, U>> {
        found_node(of.node.parent().and_then(|_| of.node.next()))
    }

    /// The node before it in the same list, if it is of that type.
    pub fn previous<'a, T: Object, U: Object>(&'a self, of: Found<'a, T>) -> Option<Found<'a, U>> {
        found_node(of.node.parent().and_then(|_| of.node.previous()))
    }

    fn from<T: Object>(&self, next: Option<Node>) -> Siblings<'_, T> {
        debug_assert!(self.locked.is_held());
        let (prefetched, checked, _still) = (WHOLE, false, PhantomData);
        Siblings {
            next,
            prefetched,
            checked,
            _still,
        }
    }

    /// A handle to a node, to be dropped after the lock is released; `None` if there is no handle
    /// that is sure to keep its tree, since `by` is of another. Upgrade a [`Found::weak`] after the
    /// lock is released in that case.
    #[must_use]
    pub fn handle<T: Object + Send + Sync, U: Object>(
        &self,
        found: Found<'_, T>,
        by: &Ref<U>,
    ) -> Option<Ref<T>> {
        let (node, by) = (found.node, node_of(by));
        // SAFETY: what stands in a list of `T` is a `T`; the lock is held.
        let (links, below) = unsafe {
            let links = node.links_of::<T>();
            (
                links,
                links.has_bits(flag::ATTACHED) && (*links.place_ptr()).parent == by.as_ptr(),
            )
        };
        if below && links.has_bits(flag::SELF) {
            // Mostly: it owns itself, so this is not its first reference.
            node.header().custody().acquire();
            // SAFETY: counted just now.
            return Some(unsafe { Ref::from_raw(node.as_non_null()) });
        }
        // SAFETY: what stands in a list of `T` is a `T`. All above what has a handle is awake, so
        // the root is held natively.
        let handle = || unsafe { Ref::from_raw(node.to_ref().into_raw()) };
        (below || is_one_tree(node, by)).then(handle)
    }
}

impl TreeGuard {
    /// As [`handle`](Self::handle), by the wrapper of a node through which a frontend called,
    /// without a handle to that. `None` also if nothing native keeps that node: then one takes a
    /// handle to it first.
    #[must_use]
    pub fn handle_beside<T: Object + Send + Sync, U: Object>(
        &self,
        found: Found<'_, T>,
        by: Borrow<'_, U>,
    ) -> Option<Ref<T>> {
        // SAFETY: a type of nodes, or there is no handle; the borrow keeps it.
        let by = table_of::<U>()
            .is_some()
            .then(|| unsafe { Node::from_header(by.header()) })?;
        // SAFETY: a type of nodes, or there is no handle; the borrow keeps it. A node that owns
        // itself is held natively as long as the lock is, and so is the root.
        let handle = || unsafe { Ref::from_raw(found.node.to_ref().into_raw()) };
        (by.has_bits(flag::SELF) && is_one_tree(found.node, by)).then(handle)
    }
}

fn found_node<'a, U: Object>(node: Option<Node>) -> Option<Found<'a, U>> {
    let (node, _still) = (node?, PhantomData);
    node.header().is::<U>().then_some(Found { node, _still })
}

/// Whether two nodes are of one tree. Mostly one is below the other, both are below the same, or
/// one stands beside what the other is below.
fn is_one_tree(node: Node, other: Node) -> bool {
    let parent = node.parent();
    if parent == Some(other) {
        return true;
    }
    let above = other.parent();
    let both = |a: Option<Node>, b: Option<Node>| a.is_some() && a == b;
    both(parent, above)
        || both(parent, above.and_then(Node::parent))
        || both(parent.and_then(Node::parent), above)
        || root_of(node) == root_of(other)
}

/// A node that was found in its place.
pub struct Found<'a, T> {
    node: Node,
    _still: PhantomData<&'a T>,
}

impl fmt::Debug for TreeGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeGuard")
    }
}

impl<T> fmt::Debug for Found<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Found({:p})", self.node.as_ptr())
    }
}

impl<T> Clone for Found<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Found<'_, T> {}

impl<'a, T: Object> Found<'a, T> {
    /// Its value.
    #[must_use]
    pub fn get(self) -> &'a T {
        let value = self.node.as_ptr().cast::<u8>();
        // SAFETY: a living `T`, whose value begins at the offset of its alignment: nodes stay as
        // they are as long as the lock is held, which the lifetime is of.
        unsafe { &*value.add(Shape::<T>::OFFSET).cast::<T>() }
    }

    /// The node that it stands below, if that is a `U`.
    #[must_use]
    pub fn parent<U: Object>(self) -> Option<Found<'a, U>> {
        found_node(self.node.parent())
    }

    /// The next node of the same list, if it is a `U`.
    #[must_use]
    pub fn next<U: Object>(self) -> Option<Found<'a, U>> {
        found_node(self.node.parent().and_then(|_| self.node.next()))
    }

    /// The node before it in the same list, if it is a `U`.
    #[must_use]
    pub fn previous<U: Object>(self) -> Option<Found<'a, U>> {
        found_node(self.node.parent().and_then(|_| self.node.previous()))
    }

    /// The nodes behind it in its list, up to the first that is no `U`.
    pub fn following<U: Object>(self) -> impl Iterator<Item = Found<'a, U>> {
        std::iter::successors(self.next(), |node: &Found<'a, U>| node.next())
    }

    /// The nodes before it in its list, the nearest first, up to the first that is no `U`.
    pub fn preceding<U: Object>(self) -> impl Iterator<Item = Found<'a, U>> {
        std::iter::successors(self.previous(), |node: &Found<'a, U>| node.previous())
    }

    /// The nodes of one of its lists.
    #[must_use]
    pub fn children<U: Object + Send + Sync>(self, list: &'a Children<U>) -> Siblings<'a, U> {
        // SAFETY: the lock is held, as long as the lifetime lasts.
        let next = unsafe { (*list.head()).first() };
        let (prefetched, checked, _still) = (WHOLE, false, PhantomData);
        Siblings {
            next,
            prefetched,
            checked,
            _still,
        }
    }

    /// The same node as another type, if it is one.
    #[must_use]
    pub fn downcast<U: Object>(self) -> Option<Found<'a, U>> {
        found_node(Some(self.node))
    }

    /// Whether it was erased.
    #[must_use]
    pub fn is_erased(self) -> bool {
        self.node.has_bits(flag::ERASED)
    }

    /// A weak reference to it.
    #[must_use]
    pub fn weak(self) -> Weak<T> {
        // SAFETY: found under the lock, which keeps it; a `T`.
        unsafe { Weak::from_header(self.node.as_non_null()) }
    }

    /// The number of [`Weak::addr`](pairbond_core::object::Weak::addr).
    #[must_use]
    pub fn addr(self) -> usize {
        self.node.as_ptr().addr()
    }
}

impl<T: Object> Deref for Found<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.get()
    }
}

/// Nodes of one list. See [`TreeGuard::children`].
pub struct Siblings<'a, T> {
    next: Option<Node>,
    /// How many bytes of each node are prefetched.
    prefetched: usize,
    /// The list may be one of what `T` extends.
    checked: bool,
    _still: PhantomData<&'a T>,
}

impl<T> Clone for Siblings<'_, T> {
    fn clone(&self) -> Self {
        Siblings { ..*self }
    }
}

impl<T> Siblings<'_, T> {
    /// The same for callers that look at little more than the order of the nodes, or take handles
    /// to them: only the head of each node is prefetched.
    #[must_use]
    pub fn without_prefetch(self) -> Self {
        let prefetched = 2 * CACHE_LINE;
        Siblings { prefetched, ..self }
    }
}

impl<'a, T: Object> Iterator for Siblings<'a, T> {
    type Item = Found<'a, T>;

    fn next(&mut self) -> Option<Found<'a, T>> {
        let (mut node, _still) = (self.next?, PhantomData);
        while self.checked && !node.header().is::<T>() {
            node = node.next()?;
        }
        // SAFETY: a list of `T`, or checked just now; the lock is held.
        let next = unsafe { (*node.links_of::<T>().place_ptr()).next };
        // The caller looks at this node while the next one is being fetched.
        if !next.is_null() {
            if self.prefetched == WHOLE {
                prefetch_node::<T>(next);
            }
            prefetch_ahead(node.as_ptr(), next, self.prefetched);
        }
        // SAFETY: the lock is held, and neighbours are alive.
        self.next = unsafe { Node::from_ptr(next) };
        Some(Found { node, _still })
    }
}

/// Nodes that lie farther apart were made for themselves.
const WHOLE: usize = 512;

/// Asks for the memory of a node.
#[inline(always)]
fn prefetch_node<T: Object>(node: *mut Header) {
    prefetch_all(node.cast(), size_of_node::<T>());
}

const fn size_of_node<T: Object>() -> usize {
    Shape::<T>::END + 1
}

/// Prefetches a node some places further on, and its other allocations: nodes that were made one
/// after the other mostly lie at equal distances.
#[inline(always)]
fn prefetch_ahead(node: *mut Header, next: *mut Header, prefetched: usize) {
    // Who looks at little goes on to the next one soon.
    let places = if prefetched == WHOLE { 4 } else { 16 };
    let distance = next.addr().wrapping_sub(node.addr());
    if distance <= WHOLE {
        let ahead = next.cast::<u8>().wrapping_add(distance * places);
        prefetch_all(ahead, distance.min(prefetched));
    }
}

/// How many handles go before others get the lock.
const AT_ONCE: usize = 64;

/// Drops handles, which for many nodes of a tree is quicker than one by one.
pub fn drop_all<T: Object + Send + Sync>(handles: Vec<Ref<T>>) {
    let mut handles = handles.into_iter();
    let mut left = Vec::new();
    while handles.len() > 0 {
        {
            let _locked = lock_trees();
            let some = handles.by_ref().take(AT_ONCE).map(|handle| {
                let node = node_of(&handle);
                std::mem::forget(handle);
                node
            });
            left.extend(some.filter_map(put_down));
        }
        for (node, duty) in left.drain(..) {
            // SAFETY: from a transition of this object.
            unsafe { run_release_action(node.as_non_null(), duty) };
        }
    }
}
