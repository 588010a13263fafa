//! Positional and keyword arguments onto parameters.
//!
//! Keywords are compared by their text: CPython hands interned strings over, whose UTF-8 form is at hand, and names of our own to compare by address
//! would have to be kept for each interpreter.

use pairbond_core::class::{Callable, Parameter, ParameterKind, Signature};
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
    let mut few = [std::ptr::null_mut(); FEW];
    let mut many: Vec<*mut py::PyObject>;
    let parameters = if len <= FEW {
        &mut few[..len]
    } else {
        many = vec![std::ptr::null_mut(); len];
        &mut many[..]
    };
    let positional = if count == 0 {
        &[]
    } else {
        // SAFETY: promised; an array of no arguments may be null.
        unsafe { std::slice::from_raw_parts(arguments, count) }
    };
    let rest = by_position(signature, positional, parameters)?;
    if !keywords.is_null() {
        // Mostly they come in the order of the parameters.
        let mut next = count;
        // SAFETY: promised: a tuple, and that many arguments behind the positional ones.
        unsafe {
            for at in 0..py::PyTuple_GET_SIZE(keywords) {
                let (name, argument) = (
                    py::PyTuple_GET_ITEM(keywords, at),
                    *arguments.add(count + at as usize),
                );
                next = 1 + by_keyword(signature, name, argument, parameters, next)?;
            }
        }
    }
    let is_missing = |(given, parameter): (&*mut py::PyObject, &Parameter)| {
        given.is_null() && parameter.default.is_none() && parameter.kind != ParameterKind::Rest
    };
    if parameters.iter().zip(signature.parameters).any(is_missing) {
        let missing = |at: usize| is_missing((&parameters[at], &signature.parameters[at]));
        return Err(complain::missing(signature, missing));
    }
    run(&Bound {
        receiver,
        parameters,
        rest,
    })
}

/// Fills the leading parameters; what is left over belongs to `*args`, if there is one.
fn by_position<'a>(
    signature: &Signature,
    given: &'a [*mut py::PyObject],
    parameters: &mut [*mut py::PyObject],
) -> Result<&'a [*mut py::PyObject], Error> {
    let is_standard = |at: &usize| signature.parameters[*at].kind == ParameterKind::Standard;
    let mut taken = 0;
    for at in (0..given.len().min(parameters.len())).take_while(is_standard) {
        parameters[at] = given[at];
        taken += 1;
    }
    let rest = &given[taken..];
    let takes_rest = || {
        signature
            .parameters
            .iter()
            .any(|it| it.kind == ParameterKind::Rest)
    };
    if !rest.is_empty() && !takes_rest() {
        return Err(complain::too_many(signature, given.len()));
    }
    Ok(rest)
}

/// Fills the parameter of a name, which is looked for from `from` on; which one it was.
///
/// # Safety
/// A living name and argument.
unsafe fn by_keyword(
    signature: &Signature,
    name: *mut py::PyObject,
    argument: *mut py::PyObject,
    parameters: &mut [*mut py::PyObject],
    from: usize,
) -> Result<usize, Error> {
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
    let is_it = |at: &usize| {
        let parameter = &signature.parameters[*at];
        parameter.name.as_bytes() == text && parameter.kind != ParameterKind::Rest
    };
    let len = signature.parameters.len();
    let from = from.min(len);
    match (from..len).chain(0..from).find(is_it) {
        None => Err(complain::unexpected(signature, name)),
        Some(at) if !parameters[at].is_null() => Err(complain::twice(signature, at)),
        Some(at) => {
            parameters[at] = argument;
            Ok(at)
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
