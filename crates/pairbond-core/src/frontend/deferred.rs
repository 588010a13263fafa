//! References that are to be released by a thread that is attached: a lock-free stack that any
//! thread pushes on, and attached threads take whole.

use std::ffi::c_void;

use crate::sync::atomic::{AtomicPtr, Ordering};

struct Node {
    object: *mut c_void,
    next: *mut Node,
}

/// A queue of deferred releases. Nothing is lost and nothing handed out twice; the order is kept
/// within one [`take`](Self::take).
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

    /// Adds a reference. `true`: the queue was empty, so that someone should be told.
    pub fn push(&self, object: *mut c_void) -> bool {
        let node = Box::into_raw(Box::new(Node {
            object,
            next: std::ptr::null_mut(),
        }));
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            // SAFETY: the node is ours until it is published.
            unsafe { (*node).next = head };
            match self
                .head
                .compare_exchange_weak(head, node, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return head.is_null(),
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

    /// Takes everything, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<*mut c_void> {
        let mut all = Vec::new();
        let mut node = self.head.swap(std::ptr::null_mut(), Ordering::Acquire);
        while !node.is_null() {
            // SAFETY: the swap made the whole chain ours.
            let taken = unsafe { Box::from_raw(node) };
            all.push(taken.object);
            node = taken.next;
        }
        all.reverse();
        all
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        let _leaked = self.take();
    }
}
