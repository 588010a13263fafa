//! Positional and keyword arguments onto parameters.
//!
//! Keywords are compared by their text: CPython hands interned strings over, whose UTF-8 form is at
//! hand, and names of our own to compare by address would have to be kept for each interpreter.

use pairbond_core::error::Error;
use pairbond_value::class::{Callable, Parameter, ParameterKind, Signature};
use pyo3_ffi as py;

use super::args::Bound;
use super::argument_errors;
use crate::convert::utf8_of;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::owned::Owned;
use crate::running;

/// Parameters that are bound on the stack; functions with more allocate.
const FEW: usize = 12;

/// A call from Python: `$run` with `$args` in whichever form needs the least work.
///
/// `$run` is compiled for each form that a call of `$callable` can have: hence the constants.
macro_rules! with_arguments {
    ($callable:ty, $receiver:expr, $arguments:expr, $count:expr, $keywords:expr, |$args:ident| $run:expr) => {{
        let (receiver, arguments, count, keywords) = ($receiver, $arguments, $count, $keywords);
        if const { $crate::call::can_be_exact::<$callable>() }
            && $crate::call::is_exact::<$callable>(count, keywords)
        {
            let $args = &$crate::call::Exact::new(receiver, arguments);
            $run
        } else if const { $crate::call::can_be_partial::<$callable>() }
            && $crate::call::is_partial::<$callable>(count, keywords)
        {
            let $args = &$crate::call::Partial::new::<$callable>(receiver, arguments, count);
            $run
        } else {
            let shape =
                const { $crate::call::Shape::of(&<$callable as pairbond_value::class::Callable>::SIGNATURE) };
            $crate::call::with_bound(shape, receiver, arguments, count, keywords, |$args| $run)
        }
    }};
}
pub(crate) use with_arguments;

/// Whether all parameters can have their arguments by position.
pub(crate) const fn can_be_exact<M: Callable>() -> bool {
    M::SIGNATURE.is_simple()
}

/// Whether a call needs no binding, if [it can be exact](can_be_exact): every parameter has its
/// argument, by position.
#[inline(always)]
pub(crate) fn is_exact<M: Callable>(count: usize, keywords: *mut py::PyObject) -> bool {
    count == const { M::SIGNATURE.parameters.len() } && keywords.is_null()
}

/// A signature, with what every call asks of it.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    signature: &'static Signature,
    /// How many parameters an argument by position can fill.
    positional: usize,
    takes_rest: bool,
    takes_keywords: bool,
    /// A bit for each of the first 64 parameters that need an argument.
    required: u64,
}

impl Shape {
    pub(crate) const fn of(signature: &'static Signature) -> Self {
        let mut shape = Shape {
            signature,
            positional: signature.positional_count(),
            takes_rest: false,
            takes_keywords: false,
            required: 0,
        };
        let mut at = 0;
        while at < signature.parameters.len() {
            let parameter = &signature.parameters[at];
            shape.takes_rest |= matches!(parameter.kind, ParameterKind::Rest);
            shape.takes_keywords |= matches!(parameter.kind, ParameterKind::RestKeywords);
            if at < u64::BITS as usize && is_required(parameter) {
                shape.required |= 1 << at;
            }
            at += 1;
        }
        shape
    }

    /// Whether a parameter has no argument that needs one.
    fn lacks_required(&self, parameters: &[*mut py::PyObject]) -> bool {
        let mut left = self.required;
        while left != 0 {
            if parameters[left.trailing_zeros() as usize].is_null() {
                return true;
            }
            left &= left - 1;
        }
        let more = u64::BITS as usize..parameters.len();
        more.into_iter()
            .any(|at| parameters[at].is_null() && is_required(&self.signature.parameters[at]))
    }
}

const fn is_required(parameter: &Parameter) -> bool {
    parameter.default.is_none() && !parameter.kind.takes_rest()
}

/// Binds the arguments of a vectorcall and runs `run` with them.
///
/// # Errors
/// Arguments that do not fit the parameters (`TypeError`, in CPython's words), or what `run`
/// returns.
///
/// # Safety
/// Attached; `arguments` are `count` positional ones, then one for each of the tuple `keywords` (or
/// null).
#[inline(never)]
pub(crate) unsafe fn with_bound<R>(
    shape: Shape,
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
    run: impl FnOnce(&Bound<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let len = shape.signature.parameters.len();
    let mut few = [std::ptr::null_mut(); FEW];
    let mut many: Vec<*mut py::PyObject>;
    let parameters = if len <= FEW {
        &mut few[..len]
    } else {
        many = vec![std::ptr::null_mut(); len];
        &mut many[..]
    };
    let mut surplus: Option<Owned> = None;
    // SAFETY: attached, with the arguments of one call: the caller ensures it.
    let rest = unsafe { bind(&shape, arguments, count, keywords, parameters, &mut surplus) }?;
    run(&Bound {
        receiver,
        parameters,
        rest,
    })
}

/// Fills the parameters of a call, and returns its surplus positional arguments. Further keyword
/// arguments, which the last parameter borrows, are kept in `surplus`.
///
/// # Errors
/// Arguments that do not fit the parameters (`TypeError`, in CPython's words).
///
/// # Safety
/// As [`with_bound`]; `parameters` are null, and as many as the signature has.
unsafe fn bind<'a>(
    shape: &Shape,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
    parameters: &mut [*mut py::PyObject],
    surplus: &mut Option<Owned>,
) -> Result<&'a [*mut py::PyObject], Error> {
    let signature = shape.signature;
    let positional = if count == 0 {
        &[]
    } else {
        // SAFETY: attached; `arguments` are `count` positional ones, then one for each of the tuple
        // `keywords` (or null): the caller ensures it. An array of no arguments may be null.
        unsafe { std::slice::from_raw_parts(arguments, count) }
    };
    let rest = by_position(shape, positional, parameters)?;
    if !keywords.is_null() {
        // Mostly they come in the order of the parameters.
        let mut next = count;
        // SAFETY: attached; `arguments` are `count` positional ones, then one for each of the tuple
        // `keywords` (or null): the caller ensures it. A tuple, and that many arguments behind the
        // positional ones.
        unsafe {
            for at in 0..py::PyTuple_GET_SIZE(keywords) {
                let (name, argument) = (
                    py::PyTuple_GET_ITEM(keywords, at),
                    *arguments.add(count + at as usize),
                );
                match by_keyword(signature, name, argument, parameters, next) {
                    Err(Unbound::Unknown) if shape.takes_keywords => {
                        if surplus.is_none() {
                            *surplus = Some(owned_or_error(py::PyDict_New())?);
                        }
                        let all = surplus.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr);
                        if running::PyDict_SetItem(all, name, argument) != 0 {
                            return Err(take());
                        }
                    }
                    Err(Unbound::Unknown) => {
                        return Err(argument_errors::unexpected_keyword(signature, name));
                    }
                    Err(Unbound::Twice(at)) => return Err(argument_errors::given_twice(signature, at)),
                    Ok(at) => next = at + 1,
                }
            }
            if let Some(surplus) = surplus {
                parameters[signature.parameters.len() - 1] = surplus.as_ptr();
            }
        }
    }
    if shape.lacks_required(parameters) {
        let missing = |at: usize| parameters[at].is_null() && is_required(&signature.parameters[at]);
        return Err(argument_errors::missing_arguments(signature, missing));
    }
    Ok(rest)
}

/// Fills the leading parameters; the rest belongs to `*args`, if there is one.
fn by_position<'a>(
    shape: &Shape,
    given: &'a [*mut py::PyObject],
    parameters: &mut [*mut py::PyObject],
) -> Result<&'a [*mut py::PyObject], Error> {
    let (first, rest) = given.split_at(given.len().min(shape.positional));
    for (place, argument) in parameters.iter_mut().zip(first) {
        *place = *argument;
    }
    if !rest.is_empty() && !shape.takes_rest {
        return Err(argument_errors::too_many(shape.signature, given.len()));
    }
    Ok(rest)
}

/// Why a keyword argument has no parameter of its own.
enum Unbound {
    /// None has the name.
    Unknown,
    /// The one at this place has an argument already.
    Twice(usize),
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
) -> Result<usize, Unbound> {
    // SAFETY: attached; a living object. A name that is not UTF-8 matches none.
    let text = unsafe {
        let text = (py::PyUnicode_Check(name) != 0).then(|| utf8_of(name)).flatten();
        let Some(text) = text else {
            py::PyErr_Clear();
            return Err(Unbound::Unknown);
        };
        text
    };
    let is_it = |at: &usize| {
        let parameter = &signature.parameters[*at];
        is_same(parameter.name, text) && !parameter.kind.takes_rest()
    };
    let len = signature.parameters.len();
    let next = Some(from).filter(|at| *at < len && is_it(at));
    match next.or_else(|| (0..len).find(is_it)) {
        None => Err(Unbound::Unknown),
        Some(at) if !parameters[at].is_null() => Err(Unbound::Twice(at)),
        Some(at) => {
            parameters[at] = argument;
            Ok(at)
        }
    }
}

/// Whether two names are the same: without a call, which for so few bytes would be most of it.
#[inline(always)]
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<8>(), other.first_chunk::<8>()) {
        (Some(begin), Some(same)) if one.len() <= 16 => {
            begin == same && one.last_chunk::<8>() == other.last_chunk()
        }
        (Some(_), _) => one == other,
        _ => one.iter().zip(other).all(|(one, other)| one == other),
    }
}

/// Runs `run` with a tuple of positional arguments and a dict of keyword arguments (or null) in the
/// form of a vectorcall.
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
    // SAFETY: attached; a tuple, and a dict or null: the caller ensures it. A tuple's items lie in
    // an array, and stay.
    unsafe {
        let count = py::PyTuple_GET_SIZE(tuple) as usize;
        let items = (&raw const (*tuple.cast::<py::PyTupleObject>()).ob_item).cast::<*mut py::PyObject>();
        if dict.is_null() || py::PyDict_Size(dict) == 0 {
            return run(items, count, std::ptr::null_mut());
        }
        // The dict may be the caller's own, which others change: a snapshot of it holds names and
        // values.
        let pairs = owned_or_error(py::PyDict_Items(dict))?;
        let pairs = owned_or_error(py::PyList_AsTuple(pairs.as_ptr()))?;
        let len = py::PyTuple_GET_SIZE(pairs.as_ptr());
        let names = owned_or_error(py::PyTuple_New(len))?;
        let mut arguments = Vec::new();
        arguments.try_reserve_exact(count + len as usize)?;
        arguments.extend_from_slice(std::slice::from_raw_parts(items, count));
        for at in 0..len {
            let pair = py::PyTuple_GET_ITEM(pairs.as_ptr(), at);
            let name = Owned::from_borrowed(py::PyTuple_GET_ITEM(pair, 0));
            py::PyTuple_SET_ITEM(names.as_ptr(), at, name.into_ptr());
            arguments.push(py::PyTuple_GET_ITEM(pair, 1));
        }
        run(arguments.as_ptr(), count, names.as_ptr())
    }
}

/// The arguments of a vectorcall as a tuple and a dict, for a callee that takes those.
///
/// # Errors
/// No memory.
///
/// # Safety
/// Attached; the arguments of one call, which are alive: `count` by position, then one for each
/// name, if `names` is not null.
#[cold]
pub(crate) unsafe fn to_objects(
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> Result<(Owned, Owned), Error> {
    // SAFETY: attached; the arguments of one call, which are alive: `count` by position, then one
    // for each name, if `names` is not null: the caller ensures it. A new tuple, each place filled
    // once.
    unsafe {
        let tuple = owned_or_error(py::PyTuple_New(count as py::Py_ssize_t))?;
        for at in 0..count {
            let argument = Owned::from_borrowed(*arguments.add(at));
            py::PyTuple_SET_ITEM(tuple.as_ptr(), at as py::Py_ssize_t, argument.into_ptr());
        }
        let dict = owned_or_error(py::PyDict_New())?;
        let named = if names.is_null() {
            0
        } else {
            py::PyTuple_GET_SIZE(names)
        };
        for at in 0..named {
            let value = *arguments.add(count + at as usize);
            if running::PyDict_SetItem(dict.as_ptr(), py::PyTuple_GET_ITEM(names, at), value) != 0 {
                return Err(crate::errors::take());
            }
        }
        Ok((tuple, dict))
    }
}
