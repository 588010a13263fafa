//! The arguments of a call as values of any kind, for callees that bind them themselves.

use pairbond_core::error::Error;
use pairbond_core::memory::try_push;
use pairbond_value::convert::{Mismatch, Source};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use crate::convert::PySource;

/// Arguments that are converted on the stack.
const FEW: usize = 4;

/// Runs `run` with the arguments of a vectorcall and the names of the last.
///
/// # Errors
/// An argument or a name that does not convert, or what `run` returns.
///
/// # Safety
/// Attached; `arguments` are `count` positional ones, then one for each of the tuple `keywords` (or
/// null).
pub(crate) unsafe fn with_anys<R>(
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
    run: impl FnOnce(&[Any], &[&str]) -> Result<R, Error>,
) -> Result<R, Error> {
    if count == 0 && keywords.is_null() {
        return run(&[], &[]);
    }
    // SAFETY: attached; `arguments` are `count` positional ones, then one for each of the tuple
    // `keywords` (or null): the caller ensures it. A name's text lives as long as the name, which
    // the tuple keeps.
    unsafe {
        let mut names = Vec::new();
        if !keywords.is_null() {
            for at in 0..py::PyTuple_GET_SIZE(keywords) {
                let name = PySource::new(py::PyTuple_GET_ITEM(keywords, at));
                try_push(&mut names, name.read_str().map_err(plain_error)?)?;
            }
        }
        let all = count + names.len();
        let (mut few, mut many) = ([const { Any::None }; FEW], Vec::new());
        let values = if all <= FEW {
            &mut few[..all]
        } else {
            many.try_reserve_exact(all)?;
            many.resize_with(all, Any::default);
            &mut many[..]
        };
        for (at, place) in values.iter_mut().enumerate() {
            *place = PySource::new(*arguments.add(at))
                .read_any()
                .map_err(plain_error)?;
        }
        run(values, &names)
    }
}

fn plain_error(mismatch: Mismatch) -> Error {
    mismatch.into_error(|| "an argument".into(), "any object", || "another".into())
}
