//! Destructors that panic.
//!
//! On a thread that is attached to an interpreter a destructor may run because Python dropped a reference, between any two lines of a Python
//! program, in a function of C that cannot unwind. So a panic is caught where the destructor was compiled (no other binary can catch it) and reported
//! as what it is in Python's terms: an exception that nobody can catch, as one in `__del__`. On other threads, and without any interpreter, it
//! unwinds like every panic in a destructor.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::slots::attached;
use crate::error::panics;

/// Runs destructors of an object of type `key`.
#[inline]
pub(crate) fn contain(key: &str, destructors: impl FnOnce()) {
    // What a panic leaves half-done is the destructor's.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(destructors)) {
        panicked(key, payload);
    }
}

#[cold]
#[inline(never)]
fn panicked(key: &str, payload: Box<dyn Any + Send>) {
    let Some(frontend) = attached() else {
        resume_unwind(payload)
    };
    frontend.report(&format!(
        "the destructor of {key} panicked: {}",
        panics::text(&*payload).unwrap_or("without a message")
    ));
    panics::forget(payload);
}
