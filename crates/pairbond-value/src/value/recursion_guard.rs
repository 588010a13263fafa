//! A bound for what goes through containers that lie in one another: hashing, comparing, putting
//! them into words. That takes stack, of which threads have little, and a language's own bound
//! (CPython 3.12 and 3.13 count to 10,000) is for smaller frames than ours.

use std::cell::Cell;

use crate::error::{Error, ErrorKind};
use crate::stack::{Anchor, Mark};

/// How deep containers may lie in one another.
const DEEPEST: u32 = 500;

/// Runs `run` one level with_recursion_guard, counted through foreign code too.
///
/// # Errors
/// That of `run`; `RecursionError` when it is too deep.
pub fn with_recursion_guard<R>(run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
        /// The frame from which `DEPTH` counts. Without it, levels of suspended greenlets would
        /// count for others.
        static OUTERMOST: Anchor = const { Anchor::new() };
    }
    struct Leave(u32);
    impl Drop for Leave {
        fn drop(&mut self) {
            DEPTH.set(self.0);
            if self.0 == 0 {
                OUTERMOST.with(Anchor::unmark_frame);
            }
        }
    }
    let mark = Mark::new();
    OUTERMOST.with(|outermost| {
        let before = if outermost.is_inside() { DEPTH.get() } else { 0 };
        if before == DEEPEST {
            return Err(too_deep());
        }
        let _leave = Leave(before);
        DEPTH.set(before + 1);
        if before == 0 {
            // SAFETY: left when `_leave`, which is of depth 0 then, is dropped; the mark outlives
            // it.
            unsafe { outermost.mark_frame(&mark) };
        }
        run()
    })
}

#[cold]
fn too_deep() -> Error {
    Error::new(
        ErrorKind::Custom("builtins.RecursionError".into()),
        format!("maximum recursion depth exceeded: more than {DEEPEST} containers in one another"),
    )
}
