//! [`search_nodes`]: nodes that fit, looked at in place, some under one lock; [`Traversal`]: nodes
//! with their beginnings and ends.

use super::guard::{Found, with_lock};
use super::node::Node;
use super::order::{first_from, is_below, next_below};
use super::walk::{Descendants, Leftover, node_of_ref};
use pairbond_core::memory::or_unwind;
use pairbond_core::object::{ErasedRef, Object, Ref};

/// How many nodes are looked at before others get the lock.
const AT_ONCE: usize = 256;

/// The nodes of a walk that are a `U` and fit, `limit` at most if there is one. See
/// [`TreeNode::search`](super::TreeNode::search).
pub(super) fn search_nodes<U: Object + Send + Sync, S>(
    mut walk: Descendants,
    limit: Option<usize>,
    begin: impl Fn() -> S,
    mut fits: impl FnMut(&mut S, Found<'_, U>) -> bool,
) -> Vec<Ref<U>> {
    // References are dropped when trees are not held still.
    let (mut found, mut left) = (Vec::new(), Leftover::new());
    let limit = limit.unwrap_or(usize::MAX);
    let mut more = limit > 0;
    while more {
        let mut state = begin();
        with_lock(|guard| {
            for _ in 0..AT_ONCE {
                match walk.step_locked(&mut left).map(ErasedRef::downcast::<U>) {
                    Some(Ok(node)) => {
                        if fits(&mut state, guard.found(&node)) {
                            found.push(node.clone());
                        }
                        left.push(node.into_erased());
                    }
                    Some(Err(other)) => left.push(other),
                    None => more = false,
                }
                more = more && found.len() < limit;
                if !more {
                    return;
                }
            }
        });
        left.clear();
    }
    found
}

/// How many nodes [`nodes_below`] visits before it releases the lock for the first time. The number
/// doubles each time, because it then climbs from the last node to check where that is.
const FIRST: usize = 1024;

/// Returns the results of `make` for all descendants, in order. `make` is called under the lock, so
/// it must drop no reference.
///
/// The tree may be edited whenever the lock is free. If the last node has been removed by then, the
/// traversal restarts and holds the lock to its end.
pub(super) fn nodes_below<R>(top: Node, make: impl Fn(Node) -> Option<R>) -> Vec<R> {
    let (mut found, mut last) = (Vec::new(), None::<ErasedRef>);
    let mut limit = FIRST;
    loop {
        // Dropped when the lock is free.
        let (before, mut stale) = (last.take(), Vec::new());
        with_lock(|_| {
            let mut at = match before.as_ref().map(node_of_ref) {
                Some(node) if is_below(node, top) => next_below(node, top),
                before => {
                    if before.is_some() {
                        (stale, limit) = (std::mem::take(&mut found), usize::MAX);
                    }
                    first_from(top, 0)
                }
            };
            let mut left = limit;
            while let Some(node) = at {
                if found.len() == found.capacity() {
                    or_unwind(found.try_reserve(1));
                }
                found.extend(make(node));
                left -= 1;
                if left == 0 {
                    last = Some(node.to_ref());
                    return;
                }
                at = next_below(node, top);
            }
        });
        drop((before, stale));
        if last.is_none() {
            return found;
        }
        limit = limit.saturating_mul(2);
    }
}

/// A step of a [`Traversal`].
#[derive(Debug)]
pub enum Visit<T: Object> {
    /// A node, before those that stand in it.
    Enter(Ref<T>),
    /// The same node, after those that stand in it.
    Leave(Ref<T>),
}

/// A node and all below it that are a `T`, each with its beginning and its end: see
/// [`TreeNode::traverse`](super::TreeNode::traverse).
pub struct Traversal<T: Object> {
    walk: Descendants,
    /// The nodes that were entered and not left, from the top, each with its depth.
    open: Vec<(Ref<T>, usize)>,
    /// The next node to enter, with its depth: after all of no smaller depth were left.
    next: Option<(ErasedRef, usize)>,
    /// The walk is at its end.
    done: bool,
}

impl<T: Object + Send + Sync> Traversal<T> {
    pub(super) fn new(walk: Descendants, top: ErasedRef) -> Self {
        Traversal {
            walk,
            open: Vec::new(),
            next: Some((top, 0)),
            done: false,
        }
    }
}

impl<T: Object + Send + Sync> Iterator for Traversal<T> {
    type Item = Visit<T>;

    fn next(&mut self) -> Option<Visit<T>> {
        loop {
            if self.next.is_none() && !self.done {
                self.next = self.walk.next().map(|node| (node, self.walk.depth()));
                self.done = self.next.is_none();
            }
            let depth = self.next.as_ref().map_or(0, |(_, depth)| *depth);
            if let Some((node, _)) = self.open.pop_if(|(_, open)| *open >= depth) {
                return Some(Visit::Leave(node));
            }
            let (node, depth) = self.next.take()?;
            if let Ok(node) = node.downcast::<T>() {
                self.open.push((node.clone(), depth));
                return Some(Visit::Enter(node));
            }
        }
    }
}
