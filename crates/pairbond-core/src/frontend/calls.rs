//! Calls of one object in a row, [`CallEach`], and how they cross to a frontend.

use std::any::Any as Payload;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::handle::Frontend;
use super::table::Calls;
use crate::error::Error;
use crate::value::Any;

/// The arguments of repeated calls of a function, and the consumer of their results
/// ([`Function::call_each`](crate::value::Function::call_each)).
pub trait CallEach {
    /// Puts the argument of the next call to a place, where the one before was or nothing is.
    /// `false`: there is none left.
    ///
    /// It is built in place, as one that is handed on is copied, and each copy waits for writes
    /// made before.
    fn next_argument(&mut self, place: &mut Any) -> bool;

    /// What a call returned. Whether to go on.
    ///
    /// # Errors
    /// Ends the calls with this error.
    fn done(&mut self, result: &Any) -> Result<bool, Error>;
}

/// The calls, and what ended them.
struct Crossing<'a, C> {
    calls: &'a mut C,
    error: Option<Error>,
    panic: Option<Box<dyn Payload + Send>>,
}

impl<C: CallEach> Crossing<'_, C> {
    /// A panic must not go through a frontend: it goes on behind it.
    #[inline]
    fn guarded<R>(&mut self, run: impl FnOnce(&mut C) -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(|| run(self.calls))) {
            Ok(result) => Some(result),
            Err(panic) => {
                self.panic = Some(panic);
                None
            }
        }
    }

    unsafe extern "C" fn next(data: *mut c_void, place: *mut Any) -> bool {
        // SAFETY: as `call_each` made it; the frontend has no other reference to it, and lends a
        // value.
        let (this, place) = unsafe { (&mut *data.cast::<Self>(), &mut *place) };
        this.guarded(|calls| calls.next_argument(place)).unwrap_or(false)
    }

    unsafe extern "C" fn done(data: *mut c_void, result: *const Any) -> bool {
        // SAFETY: as above; the result is the caller's.
        let (this, result) = unsafe { (&mut *data.cast::<Self>(), &*result) };
        match this.guarded(|calls| calls.done(result)) {
            Some(Ok(go_on)) => go_on,
            Some(Err(error)) => {
                this.error = Some(error);
                false
            }
            None => false,
        }
    }
}

impl Frontend {
    /// Calls an object with each argument that there is.
    ///
    /// # Errors
    /// What a call raised, or that the interpreter is closed; what `calls` says.
    ///
    /// # Safety
    /// `callable` is alive and of this frontend.
    pub unsafe fn call_each<C: CallEach>(self, callable: *mut c_void, calls: &mut C) -> Result<(), Error> {
        let mut crossing = Crossing {
            calls,
            error: None,
            panic: None,
        };
        let mut table = Calls {
            data: std::ptr::from_mut(&mut crossing).cast(),
            next: Crossing::<C>::next,
            done: Crossing::<C>::done,
        };
        let mut out = Any::None;
        // SAFETY: passed on; the calls are alive.
        let fine = unsafe { self.run_calls(callable, &mut table, &mut out) };
        if let Some(panic) = crossing.panic {
            resume_unwind(panic);
        }
        self.outcome(fine, out)?;
        crossing.error.map_or(Ok(()), Err)
    }
}
