//! Python's values for the core: containers, attributes, and values that its library makes.

use std::ffi::c_void;

use pairbond_core::any::RawAny;
use pairbond_core::error::Error;
use pairbond_core::memory::try_push;
use pairbond_value::convert::{Mismatch, Part, Request, Source};
use pairbond_value::value::{Any, List};

use crate::convert::{PySource, parts as library};
use crate::interp::attach::run_attached;

/// Leaves a failure where the core finds it.
///
/// # Safety
/// The caller's place for a result.
pub(super) unsafe fn write_failure(error: Error, out: *mut RawAny) {
    // SAFETY: the caller's place for a result: the caller ensures it.
    unsafe { out.write(RawAny::from_error(error)) }
}

/// Leaves a value, nothing or a failure where the core finds it. Returns whether there is a value.
///
/// # Safety
/// The caller's place for a result, which has a value.
pub(super) unsafe fn write_result(result: Result<Option<Any>, Error>, out: *mut RawAny) -> bool {
    match result {
        Ok(Some(value)) => {
            // SAFETY: the caller's place for a result.
            unsafe { out.write(RawAny::new(value)) };
            true
        }
        Ok(None) => false,
        Err(error) => {
            // SAFETY: the caller's place for a result.
            unsafe { write_failure(error, out) };
            false
        }
    }
}

pub(super) fn raised_error(mismatch: Mismatch) -> Error {
    mismatch.into_error(
        || "the result of a Python method".into(),
        "any object",
        || "another".into(),
    )
}

pub(super) unsafe extern "C" fn frontend_unfold(
    context: *mut c_void,
    object: *mut c_void,
    mapping: bool,
    out: *mut RawAny,
) -> bool {
    let result = run_attached(context, || {
        // SAFETY: as the table's contract says: a living object of this interpreter, the caller's
        // place.
        let source = unsafe { PySource::new(object.cast()) };
        let mut all = Vec::new();
        let done = if mapping {
            source.read_mapping(|key, value| {
                try_push(&mut all, key.read_any()?).map_err(Error::from)?;
                try_push(&mut all, value.read_any()?).map_err(Error::from)?;
                Ok(())
            })
        } else {
            source
                .read_sequence(|_, item| {
                    try_push(&mut all, item.read_any()?).map_err(Error::from)?;
                    Ok(())
                })
                .map(drop)
        };
        found_parts(done.map(|()| all))
    });
    // SAFETY: the caller's place.
    unsafe { write_result(result.map(as_list), out) }
}

fn as_list(all: Option<Vec<Any>>) -> Option<Any> {
    all.map(|all| Any::from(List::<Any>::from_iter(all)))
}

/// `None` for an object of another type.
fn found_parts(read: Result<Vec<Any>, Mismatch>) -> Result<Option<Vec<Any>>, Error> {
    match read {
        Ok(all) => Ok(Some(all)),
        Err(Mismatch::Type) => Ok(None),
        Err(other) => Err(raised_error(other)),
    }
}

pub(super) unsafe extern "C" fn frontend_parts(
    context: *mut c_void,
    object: *mut c_void,
    request: *const c_void,
    out: *mut RawAny,
) -> bool {
    // SAFETY: as the table's contract says: a living object of this interpreter, a request, the
    // caller's place.
    unsafe {
        let request = &*request.cast::<Request<'_>>();
        let read = || found_parts(library::read_parts(object.cast(), request.class, request.names));
        write_result(run_attached(context, read).map(as_list), out)
    }
}

pub(super) unsafe extern "C" fn frontend_construct(
    context: *mut c_void,
    value: *const c_void,
    out: *mut RawAny,
) -> bool {
    // SAFETY: as the table's contract says: a value for the time of the call, the caller's place;
    // the object is alive while it is read.
    unsafe {
        let made = run_attached(context, || {
            let made = library::make_part(&*value.cast::<Part<'_>>())?;
            PySource::new(made.as_ptr()).read_any().map_err(raised_error)
        });
        write_result(made.map(Some), out)
    }
}
