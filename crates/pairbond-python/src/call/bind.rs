//! Positional and keyword arguments onto parameters.
//!
//! Keywords are compared by their text: CPython hands interned strings over, whose UTF-8 form is at hand, and names of our own to compare by address
//! would have to be kept for each interpreter.

use std::mem::MaybeUninit;

use pairbond_core::class::{Callable, ParameterKind, Signature};
use pairbond_core::error::Error;
use pyo3_ffi as py;

use super::args::Bound;
use super::complain;
use crate::convert::owned;
use crate::owned::Owned;

/// Parameters that are bound on the stack; functions with more allocate.
const FEW: usize = 12;

/// A call from Python: `$run` with `$args` in whichever form needs the least work.
macro_rules! with_arguments {
    ($callable:ty, $receiver:expr, $arguments:expr, $count:expr, $keywords:expr, |$args:ident| $run:expr) => {{
        let (receiver, arguments, count, keywords) = ($receiver, $arguments, $count, $keywords);
        if $crate::call::is_exact::<$callable>(count, keywords) {
            let $args = &$crate::call::Exact::new(receiver, arguments);
            $run
        } else if $crate::call::is_partial::<$callable>(count, keywords) {
            let $args = &$crate::call::Partial::new::<$callable>(receiver, arguments, count);
            $run
        } else {
            let signature = const { &<$callable as pairbond_core::class::Callable>::SIGNATURE };
            $crate::call::bound(signature, receiver, arguments, count, keywords, |$args| $run)
        }
    }};
}
pub(crate) use with_arguments;

/// Whether a call needs no binding: every parameter has its argument, by position.
#[inline(always)]
pub(crate) fn is_exact<M: Callable>(count: usize, keywords: *mut py::PyObject) -> bool {
    let (simple, parameters) = const { (M::SIGNATURE.is_simple(), M::SIGNATURE.parameters.len()) };
    simple && count == parameters && keywords.is_null()
}

/// Binds the arguments of a vectorcall and runs `run` with them.
///
/// # Errors
/// Arguments that do not fit the parameters (`TypeError`, in CPython's words), or what `run` returns.
///
/// # Safety
/// Attached; `arguments` are `count` positional ones, then one for each of the tuple `keywords` (or null).
#[inline(never)]
pub(crate) unsafe fn bound<R>(
    signature: &'static Signature,
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
    run: impl FnOnce(&Bound<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let len = signature.parameters.len();
    let mut few = [MaybeUninit::<*mut py::PyObject>::uninit(); FEW];
    let mut many: Vec<MaybeUninit<*mut py::PyObject>>;
    let places = if len <= FEW {
        &mut few[..len]
    } else {
        many = vec![MaybeUninit::uninit(); len];
        &mut many[..]
    };
    places.fill(MaybeUninit::new(std::ptr::null_mut()));
    // SAFETY: all were just written.
    let parameters = unsafe { &mut *(std::ptr::from_mut(places) as *mut [*mut py::PyObject]) };
    let positional = if count == 0 {
        &[]
    } else {
        // SAFETY: promised; an array of no arguments may be null.
        unsafe { std::slice::from_raw_parts(arguments, count) }
    };
    let rest = by_position(signature, positional, parameters)?;
    if !keywords.is_null() {
        // SAFETY: promised: a tuple, and that many arguments behind the positional ones.
        unsafe {
            let names = (0..py::PyTuple_GET_SIZE(keywords)).map(|at| py::PyTuple_GET_ITEM(keywords, at));
            for (at, name) in names.enumerate() {
                by_keyword(signature, name, *arguments.add(count + at), parameters)?;
            }
        }
    }
    let missing = |at: usize| {
        parameters[at].is_null() && signature.parameters[at].default.is_none() && !is_rest(signature, at)
    };
    if (0..len).any(missing) {
        return Err(complain::missing(signature, missing));
    }
    run(&Bound {
        receiver,
        parameters,
        rest,
    })
}

fn is_rest(signature: &Signature, index: usize) -> bool {
    matches!(signature.parameters[index].kind, ParameterKind::Rest)
}

/// Fills the leading parameters; what is left over belongs to `*args`, if there is one.
fn by_position<'a>(
    signature: &Signature,
    given: &'a [*mut py::PyObject],
    parameters: &mut [*mut py::PyObject],
) -> Result<&'a [*mut py::PyObject], Error> {
    let positional = signature.positional();
    let (first, rest) = given.split_at(given.len().min(positional));
    parameters[..first.len()].copy_from_slice(first);
    if !rest.is_empty() && !(0..signature.parameters.len()).any(|at| is_rest(signature, at)) {
        return Err(complain::too_many(signature, given.len()));
    }
    Ok(rest)
}

/// # Safety
/// A living name and argument.
unsafe fn by_keyword(
    signature: &Signature,
    name: *mut py::PyObject,
    argument: *mut py::PyObject,
    parameters: &mut [*mut py::PyObject],
) -> Result<(), Error> {
    // SAFETY: attached; a living object. A name that is no UTF-8 is nobody's.
    let text = unsafe {
        let mut len: py::Py_ssize_t = 0;
        let start = py::PyUnicode_AsUTF8AndSize(name, &mut len);
        if start.is_null() {
            py::PyErr_Clear();
            return Err(complain::unexpected(signature, name));
        }
        std::slice::from_raw_parts(start.cast::<u8>(), len as usize)
    };
    let found = signature
        .parameters
        .iter()
        .position(|p| p.name.as_bytes() == text && p.kind != ParameterKind::Rest);
    match found {
        None => Err(complain::unexpected(signature, name)),
        Some(at) if !parameters[at].is_null() => Err(complain::twice(signature, at)),
        Some(at) => {
            parameters[at] = argument;
            Ok(())
        }
    }
}

/// Runs `run` with a tuple of positional arguments and a dict of keyword arguments (or null) in the form of a vectorcall.
///
/// # Errors
/// No memory, or what `run` returns.
///
/// # Safety
/// Attached; a tuple, and a dict or null.
pub(crate) unsafe fn from_objects<R>(
    tuple: *mut py::PyObject,
    dict: *mut py::PyObject,
    run: impl FnOnce(*const *mut py::PyObject, usize, *mut py::PyObject) -> Result<R, Error>,
) -> Result<R, Error> {
    // SAFETY: promised; a tuple's items lie in an array, and stay.
    unsafe {
        let count = py::PyTuple_GET_SIZE(tuple) as usize;
        let items = (&raw const (*tuple.cast::<py::PyTupleObject>()).ob_item).cast::<*mut py::PyObject>();
        if dict.is_null() || py::PyDict_Size(dict) == 0 {
            return run(items, count, std::ptr::null_mut());
        }
        // The dict may be the caller's own, which others change: a snapshot of it holds names and values.
        let pairs = owned(py::PyDict_Items(dict))?;
        let pairs = owned(py::PyList_AsTuple(pairs.as_ptr()))?;
        let len = py::PyTuple_GET_SIZE(pairs.as_ptr());
        let names = owned(py::PyTuple_New(len))?;
        let mut arguments = std::slice::from_raw_parts(items, count).to_vec();
        for at in 0..len {
            let pair = py::PyTuple_GET_ITEM(pairs.as_ptr(), at);
            let name = Owned::from_borrowed(py::PyTuple_GET_ITEM(pair, 0));
            py::PyTuple_SET_ITEM(names.as_ptr(), at, name.into_ptr());
            arguments.push(py::PyTuple_GET_ITEM(pair, 1));
        }
        run(arguments.as_ptr(), count, names.as_ptr())
    }
}
