//! [`Head`]: what a node has of a list of its children. Under the lock.
//!
//! Two words, since most lists have one node or none: the first node, and the length. The last is
//! the one before the first ([`Place::previous`] (super::links::Place) goes round). Only a list
//! that was asked by place has more, in a box of its own.

use std::ptr;

use super::child_index::Known;
use super::node::Node;
use pairbond_core::memory::try_box;
use pairbond_core::object::Header;

/// See the head of this file.
pub(super) struct Head {
    first: *mut Header,
    /// The length, doubled and one; or a box of [`Long`].
    rest: *mut Long,
}

/// The index of a list in which children were looked up by place.
struct Long {
    len: usize,
    known: Known,
}

impl Head {
    pub(super) const fn new() -> Self {
        Head {
            first: ptr::null_mut(),
            rest: Self::encode_short_len(0),
        }
    }

    const fn encode_short_len(len: usize) -> *mut Long {
        ptr::without_provenance_mut(len << 1 | 1)
    }

    /// The contents of the box, if there is one.
    fn long_contents(&self) -> Option<*mut Long> {
        (self.rest.addr() & 1 == 0).then_some(self.rest)
    }

    pub(super) fn len(&self) -> usize {
        match self.long_contents() {
            // SAFETY: the box is ours.
            Some(long) => unsafe { (*long).len },
            None => self.rest.addr() >> 1,
        }
    }

    /// There are so many more, or fewer.
    pub(super) fn add(&mut self, more: isize) {
        let len = self.len().wrapping_add_signed(more);
        match self.long_contents() {
            // SAFETY: the box is ours.
            Some(long) => unsafe { (*long).len = len },
            None => self.rest = Self::encode_short_len(len),
        }
    }

    pub(super) fn first(&self) -> Option<Node> {
        // SAFETY: the lock is held, and children are alive.
        unsafe { Node::from_ptr(self.first) }
    }

    pub(super) fn set_first(&mut self, first: Option<Node>) {
        self.first = first.map_or(ptr::null_mut(), Node::as_ptr);
    }

    pub(super) fn last(&self) -> Option<Node> {
        // SAFETY: as above; the first one knows the last.
        self.first()
            .and_then(|first| unsafe { Node::from_ptr((*first.place_ptr()).previous) })
    }

    /// The nodes at the first places, after a lookup.
    pub(super) fn existing_index(&mut self) -> Option<&mut Known> {
        // SAFETY: the box is ours, and stays as long as we are borrowed.
        self.long_contents().map(|long| unsafe { &mut (*long).known })
    }

    /// The same, made when it is asked for; `None` where there is no memory for it.
    pub(super) fn get_or_build_index(&mut self) -> Option<&mut Known> {
        if self.long_contents().is_none() {
            let (len, known) = (self.len(), Known::default());
            self.rest = Box::into_raw(try_box(Long { len, known })?);
        }
        self.existing_index()
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        if let Some(long) = self.long_contents() {
            // SAFETY: a box that was taken apart in `ask`.
            drop(unsafe { Box::from_raw(long) });
        }
    }
}
