//! [`Bridge`]: what the CPython frontend registers in each binary that uses PyO3.

use ::pyo3::ffi::PyObject;
use ::pyo3::prelude::*;

use crate::convert::erased::{ErasedSink, ErasedSource};
use crate::convert::{FromValue, IntoValue, Mismatch, Sink, Source};
use crate::core_pyo3::{Hooks, Written, set_hooks};
use crate::error::{Error, ErrorKind};
use crate::object::{ErasedBorrow, ErasedRef, check_object};
use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};
use crate::types::TypeInfo;
use crate::value::Foreign;

/// Writes one value to a sink.
pub type Give<'a> = dyn FnMut(ErasedSink<'_>) -> Result<(), Error> + 'a;

/// Conversions of the CPython frontend, for attached threads.
#[derive(Debug)]
pub struct Bridge {
    /// Reads a Python object.
    ///
    /// # Safety
    /// The thread is attached and the object alive for the lifetime that the caller chooses.
    pub source: unsafe fn(*mut PyObject) -> ErasedSource<'static>,
    /// Makes a Python object of the value that the closure writes; a new reference.
    pub sink: fn(&mut Give<'_>) -> Result<*mut PyObject, Error>,
    /// Makes an error the current exception.
    pub raise: fn(Error),
    /// Takes the current exception.
    pub take: fn() -> Error,
    /// Returns the tag of the interpreter that the calling thread is attached to, or 0.
    pub tag: fn() -> u16,
}

static BRIDGE: AtomicPtr<Bridge> = AtomicPtr::new(std::ptr::null_mut());
static TAG: AtomicUsize = AtomicUsize::new(0);

/// Registers the conversions for this binary. `tag` is that of the interpreter that initialises the
/// module.
pub fn set_bridge(bridge: &'static Bridge, tag: u16) {
    TAG.store(tag.into(), Ordering::Relaxed);
    BRIDGE.store(std::ptr::from_ref(bridge).cast_mut(), Ordering::Release);
    set_hooks(&HOOKS);
}

/// Returns the conversions.
///
/// # Errors
/// No module of this binary has initialised pairbond.
pub(super) fn bridge_of_binary() -> Result<&'static Bridge, Error> {
    // SAFETY: `set_bridge` stored a `&'static Bridge`, or nothing did.
    unsafe { BRIDGE.load(Ordering::Acquire).as_ref() }.ok_or_else(|| {
        Error::new(
            ErrorKind::Import,
            "this extension module has not joined pairbond: call `pairbond::pyo3::add` in its `#[pymodule]`, or export it with `pairbond::module!`",
        )
    })
}

/// Returns the tag of the interpreter that the module's Python objects belong to.
///
/// # Errors
/// No module of this binary has initialised pairbond.
pub(super) fn interpreter_tag() -> Result<u16, Error> {
    bridge_of_binary().map(|_| expected_tag())
}

fn expected_tag() -> u16 {
    TAG.load(Ordering::Relaxed) as u16
}

/// Checks that the calling thread is attached to the interpreter that the module's Python objects
/// belong to.
///
/// # Errors
/// It is detached, or attached to another interpreter.
pub(super) fn check_attached() -> Result<&'static Bridge, Error> {
    let bridge = bridge_of_binary()?;
    match (bridge.tag)() {
        0 => Err(Error::new(
            ErrorKind::Runtime,
            "a `Bound` needs a thread that is attached to Python: take a `Py`, or call `Python::attach` first",
        )),
        tag if tag != expected_tag() => Err(Error::new(
            ErrorKind::Interpreter,
            "the object belongs to another interpreter than the calling thread",
        )),
        _ => Ok(bridge),
    }
}

/// Reads a pairbond value from an argument of a PyO3 function.
pub(super) fn read_argument<'a, 'py, T: FromValue<'a>>(object: Borrowed<'a, 'py, PyAny>) -> PyResult<T> {
    let read = || {
        // SAFETY: a `Borrowed` proves both for `'a`.
        let source = unsafe { (bridge_of_binary()?.source)(object.as_ptr()) };
        T::from_value(source).map_err(|mismatch| explain_mismatch(mismatch, &T::expected_type(), source))
    };
    read().map_err(crate::core_pyo3::into_py_err)
}

/// Returns the error of a value that did not convert. PyO3 puts the argument's name in front of it.
fn explain_mismatch(mismatch: Mismatch, expected: &str, source: ErasedSource<'_>) -> Error {
    if let Mismatch::Raised(error) = mismatch {
        return error;
    }
    let error = mismatch.into_error(String::new, expected, || source.describe());
    let message = error.message().trim_start_matches(": ").to_owned();
    Error::new(error.kind().clone(), message)
}

/// Makes a Python object of a pairbond value.
pub(super) fn write_result<T: IntoValue>(py: Python<'_>, value: T) -> PyResult<Bound<'_, PyAny>> {
    let mut value = Some(value);
    let mut give = |sink: ErasedSink<'_>| match value.take() {
        Some(value) => value.into_value(sink),
        None => Err(Error::runtime_error("a value was asked for twice")),
    };
    let made = bridge_of_binary().and_then(|bridge| (bridge.sink)(&mut give));
    // SAFETY: attached, as `py` proves; a new reference.
    made.map(|object| unsafe { Bound::from_owned_ptr(py, object) })
        .map_err(crate::core_pyo3::into_py_err)
}

/// The functions by which the core converts references.
static HOOKS: Hooks = Hooks {
    borrow: borrow_object,
    own: own_object,
    foreign: read_foreign,
    write: write_object,
    raise: |error| {
        if let Ok(bridge) = bridge_of_binary() {
            (bridge.raise)(error);
        }
    },
    take: || match bridge_of_binary() {
        Ok(bridge) => (bridge.take)(),
        Err(error) => error,
    },
};

/// # Safety
/// Attached; a living object, for as long as the result is used.
unsafe fn borrow_object(
    object: *mut PyObject,
    info: &'static TypeInfo,
) -> Result<ErasedBorrow<'static>, Error> {
    // SAFETY: the caller's object, on an attached thread.
    let source = unsafe { (bridge_of_binary()?.source)(object) };
    let read = || {
        let object = source.read_object()?;
        if !object.header().info().is_a(info) {
            return Err(Mismatch::Type);
        }
        check_object(object.header()).map_err(Mismatch::Raised)?;
        Ok(object)
    };
    read().map_err(|mismatch| explain_mismatch(mismatch, info.key(), source))
}

/// # Safety
/// Attached; a living object.
unsafe fn own_object(object: *mut PyObject, info: &'static TypeInfo) -> Result<ErasedRef, Error> {
    // SAFETY: the caller's object, on an attached thread.
    let source = unsafe { (bridge_of_binary()?.source)(object) };
    let read = || {
        let object = source.read_object()?;
        let fits = |it: ErasedBorrow<'_>| it.header().info().is_a(info);
        if !fits(object) {
            return crate::convert::moved_object(object, fits);
        }
        let object = source.to_owned_ref(object);
        check_object(object.header()).map_err(Mismatch::Raised)?;
        Ok(object)
    };
    read().map_err(|mismatch| explain_mismatch(mismatch, info.key(), source))
}

/// # Safety
/// Attached; a living object.
unsafe fn read_foreign(object: *mut PyObject) -> Result<Foreign, Error> {
    // SAFETY: the caller's object, on an attached thread.
    let source = unsafe { (bridge_of_binary()?.source)(object) };
    Foreign::from_value(source)
        .map_err(|mismatch| explain_mismatch(mismatch, &Foreign::expected_type(), source))
}

fn write_object(value: Written<'_>) -> Result<*mut PyObject, Error> {
    let mut value = Some(value);
    let mut give = |sink: ErasedSink<'_>| match value.take() {
        Some(Written::None) => sink.write_none(),
        Some(Written::Owned(object)) => sink.write_owned(object),
        Some(Written::Lent(object)) => sink.write_object(object),
        Some(Written::Foreign(object)) => sink.write_foreign(object),
        None => Err(Error::runtime_error("a value was asked for twice")),
    };
    (bridge_of_binary()?.sink)(&mut give)
}
