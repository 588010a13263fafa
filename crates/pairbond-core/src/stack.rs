//! [`Anchor`]: whether the calling code runs inside a frame that this thread has marked.
//!
//! Deaths and other recursions are bounded by doing nested work in the outermost frame, so a thread
//! must know whether it is inside of one. A pointer to that frame is not enough: greenlets (and
//! gevent on top of them) suspend code by copying its part of the stack away and running other code
//! in the same memory. A thread that finds its pointer then would use memory that belongs to other
//! frames.
//!
//! # Invariants
//! 1. Nothing that is needed lies in a marked frame. A thread keeps its lists beside the anchor, so
//!    that they are there whichever frames are on the stack.
//! 2. A frame is the caller's if it is further up the stack and still holds the number that its
//!    mark was given, which no other mark of the thread has. Memory of a suspended frame may still
//!    hold it by accident: then nested work waits until one of the thread's marked frames ends. It
//!    is never lost, and never touches that memory.
//! 3. [`unmark_frame`](Anchor::unmark_frame) forgets whichever frame is marked. A frame that was
//!    marked before, and is resumed, then marks itself anew when it matters: that costs one more
//!    level of recursion for each switch.

use std::cell::Cell;
use std::ptr;

/// What a thread knows of the frame that it has marked.
#[derive(Debug)]
pub struct Anchor {
    frame: Cell<*const Cell<usize>>,
    number: Cell<usize>,
}

/// The mark in a frame. It must not be moved between [`Anchor::mark_frame`] and
/// [`Anchor::unmark_frame`].
#[derive(Debug)]
pub struct Mark(Cell<usize>);

impl Mark {
    /// A mark that no anchor knows.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        Mark(Cell::new(0))
    }
}

impl Default for Mark {
    fn default() -> Self {
        Self::new()
    }
}

impl Anchor {
    /// No frame is marked.
    #[must_use]
    pub const fn new() -> Self {
        Anchor {
            frame: Cell::new(ptr::null()),
            number: Cell::new(0),
        }
    }

    /// Marks the frame that `mark` is in.
    ///
    /// # Safety
    /// The caller calls [`unmark_frame`](Self::unmark_frame) before that frame ends, and does not
    /// move the mark before.
    #[inline(always)]
    pub unsafe fn mark_frame(&self, mark: &Mark) {
        let number = self.number.get().wrapping_add(1);
        self.number.set(number);
        mark.0.set(number);
        self.frame.set(&raw const mark.0);
    }

    /// No frame is marked any more.
    #[inline(always)]
    pub fn unmark_frame(&self) {
        self.frame.set(ptr::null());
    }

    /// Whether the calling code runs inside the marked frame.
    #[inline(always)]
    #[must_use]
    pub fn is_inside(&self) -> bool {
        let frame = self.frame.get();
        !frame.is_null() && self.is_above(frame)
    }

    #[inline]
    fn is_above(&self, frame: *const Cell<usize>) -> bool {
        let here = 0_u8;
        // Miri's stack has no order, nor have the stacks of loom's threads, of which there are
        // several.
        let ordered = cfg!(not(any(miri, loom)));
        if ordered && (&raw const here).addr() > frame.addr() {
            return false;
        }
        // SAFETY: `frame` is memory of this thread's stack, which stays mapped: its owner takes it
        // back before the frame ends. Other code may have been put there meanwhile, so it is read
        // as a number that may be any.
        unsafe { frame.cast::<usize>().read_volatile() == self.number.get() }
    }
}

impl Default for Anchor {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_known_from_inside_only() {
        let anchor = Anchor::new();
        assert!(!anchor.is_inside());
        let mark = Mark::new();
        // SAFETY: left below, in this frame.
        unsafe { anchor.mark_frame(&mark) };
        assert!(anchor.is_inside());
        #[inline(never)]
        fn is_deeper(anchor: &Anchor) -> bool {
            anchor.is_inside()
        }
        assert!(is_deeper(&anchor));
        // As when another greenlet's frames are where this one was.
        let number = mark.0.replace(0);
        assert!(!anchor.is_inside());
        mark.0.set(number);
        assert!(anchor.is_inside());
        anchor.unmark_frame();
        assert!(!anchor.is_inside());
    }

    #[test]
    fn a_number_that_was_given_before_is_no_mark() {
        let anchor = Anchor::new();
        let (first, second) = (Mark::new(), Mark::new());
        // SAFETY: left below, in this frame.
        unsafe { anchor.mark_frame(&first) };
        anchor.unmark_frame();
        // SAFETY: left below, in this frame.
        unsafe { anchor.mark_frame(&second) };
        second.0.set(first.0.get());
        assert!(!anchor.is_inside());
        anchor.unmark_frame();
    }
}
