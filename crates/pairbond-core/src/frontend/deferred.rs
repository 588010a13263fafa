//! References that are to be released by a thread that is attached: a lock-free stack that any
//! thread pushes on, and attached threads take whole.

use std::ffi::c_void;

use crate::alloc::try_box;
use crate::sync::atomic::{AtomicPtr, Ordering};

struct Node {
    object: *mut c_void,
    next: *mut Node,
}

/// A queue of deferred releases. Nothing is lost and nothing handed out twice; the order is kept
/// within one [`take_all`](Self::take_all).
pub struct Deferred {
    head: AtomicPtr<Node>,
}

// SAFETY: nodes are owned by the stack; the pointers in them are opaque.
unsafe impl Send for Deferred {}
// SAFETY: nodes are owned by the stack; the pointers in them are opaque.
unsafe impl Sync for Deferred {}

impl Deferred {
    /// An empty queue.
    #[cfg(not(loom))]
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Deferred {
            head: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// An empty queue.
    #[cfg(loom)]
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Deferred {
            head: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Adds a reference. `None`: there is no memory for that. `Some(true)`: the queue was empty, so
    /// that someone should be told.
    pub fn push(&self, object: *mut c_void) -> Option<bool> {
        let node = Box::into_raw(try_box(Node {
            object,
            next: std::ptr::null_mut(),
        })?);
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            // SAFETY: the node is ours until it is published.
            unsafe { (*node).next = head };
            match self
                .head
                .compare_exchange_weak(head, node, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return Some(head.is_null()),
                Err(other) => head = other,
            }
        }
    }

    /// Whether nothing waits.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.load(Ordering::Relaxed).is_null()
    }

    /// Takes everything, oldest first. It takes no memory.
    #[must_use]
    pub fn take_all(&self) -> Taken {
        let mut node = self.head.swap(std::ptr::null_mut(), Ordering::Acquire);
        let mut taken = Taken {
            next: std::ptr::null_mut(),
            len: 0,
        };
        while !node.is_null() {
            // SAFETY: the swap made the whole chain ours.
            let after = unsafe { std::mem::replace(&mut (*node).next, taken.next) };
            taken.next = node;
            taken.len += 1;
            node = after;
        }
        taken
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        let _leaked = self.take_all();
    }
}

/// The references of a queue, oldest first. Those that are not taken out are leaked.
pub struct Taken {
    next: *mut Node,
    len: usize,
}

impl Iterator for Taken {
    type Item = *mut c_void;

    fn next(&mut self) -> Option<*mut c_void> {
        if self.next.is_null() {
            return None;
        }
        // SAFETY: made by `push`; the chain is ours.
        let node = unsafe { Box::from_raw(self.next) };
        self.next = node.next;
        self.len -= 1;
        Some(node.object)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl ExactSizeIterator for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}
