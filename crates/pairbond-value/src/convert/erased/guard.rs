//! Panics, which must not leave the binary that they happened in: its standard library is the only
//! one that can catch them.
//!
//! They become errors of the call ([`panics`]). The hook is installed when a library joins.

use std::cell::Cell;

use super::wire;
use crate::convert::Mismatch;
use crate::error::{Error, panics};
use crate::value::Any;

thread_local! {
    /// How many guarded calls this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Installs the hook, once in this binary.
pub fn install_hook() {
    panics::install_hook(|| DEPTH.try_with(Cell::get).unwrap_or(0) != 0);
}

fn catch_counted<T, E: From<Error>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
    let result = panics::catch_panic(run);
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
    result
}

/// The place for a result of `()`.
pub const NOTHING: *mut () = std::ptr::NonNull::dangling().as_ptr();

/// Runs `run` for another binary: `true`, and `out` is written; or `false`, and `problem` is.
///
/// # Safety
/// Both are the caller's places.
pub unsafe fn run_guarded<T>(out: *mut T, problem: *mut Any, run: impl FnOnce() -> Result<T, Error>) -> bool {
    // SAFETY: both are the caller's places: the caller ensures it.
    unsafe {
        match catch_counted(run) {
            Ok(value) => out.write(value),
            Err(error) => {
                problem.write(wire::pack_error(&error));
                return false;
            }
        }
    }
    true
}

/// As [`run_guarded`], for reading values.
///
/// # Safety
/// Both are the caller's places.
pub unsafe fn run_guarded_read<T>(
    out: *mut T,
    problem: *mut Any,
    run: impl FnOnce() -> Result<T, Mismatch>,
) -> bool {
    // SAFETY: `out` and `problem` are the caller's places.
    unsafe {
        match catch_counted(run) {
            Ok(value) => out.write(value),
            Err(mismatch) => {
                problem.write(wire::pack_mismatch(mismatch));
                return false;
            }
        }
    }
    true
}

/// The other side of [`run_guarded`]: what `call` writes.
///
/// # Errors
/// The error that it writes as the problem.
///
/// # Safety
/// `call` writes its first place if it returns `true`.
pub unsafe fn call_guarded<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Error> {
    // SAFETY: the caller's function.
    unsafe { call_with_raw_problem(call) }.map_err(|problem| wire::unpack_error(&problem))
}

/// The other side of [`run_guarded_read`].
///
/// # Errors
/// The mismatch that it writes as the problem.
///
/// # Safety
/// As for [`call_guarded`].
pub unsafe fn call_guarded_read<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Mismatch> {
    // SAFETY: the caller's function.
    unsafe { call_with_raw_problem(call) }.map_err(|problem| wire::unpack_mismatch(&problem))
}

/// As [`call_guarded`], with the problem as it was written.
///
/// # Errors
/// The problem.
///
/// # Safety
/// As for [`call_guarded`].
pub unsafe fn call_with_raw_problem<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Any> {
    let mut out = std::mem::MaybeUninit::<T>::uninit();
    let mut problem = Any::None;
    if call(out.as_mut_ptr(), &raw mut problem) {
        // SAFETY: the callee writes the one or the other.
        Ok(unsafe { out.assume_init() })
    } else {
        Err(problem)
    }
}
