//! [`Hooks`]: what converts objects and errors, in each binary that uses PyO3.

use ::pyo3::ffi::PyObject;

use crate::any::Foreign;
use crate::error::{Error, ErrorKind, recognize_errors};
use crate::object::{ErasedBorrow, ErasedRef};
use crate::sync::statics::{AtomicPtr, Ordering};
use crate::types::TypeInfo;

/// A value that Python gets.
#[derive(Debug)]
pub enum Written<'a> {
    /// `None`
    None,
    /// An object, and its reference.
    Owned(ErasedRef),
    /// An object that the caller keeps.
    Lent(ErasedBorrow<'a>),
    /// A Python object.
    Foreign(&'a Foreign),
}

/// Functions of the crate `pairbond-value`. The thread is attached to the interpreter.
#[derive(Debug)]
pub struct Hooks {
    /// The object of a type that a Python object stands for, as long as that lives.
    pub borrow: unsafe fn(*mut PyObject, &'static TypeInfo) -> Result<ErasedBorrow<'static>, Error>,
    /// A reference to it, or the one that is being moved.
    pub own: unsafe fn(*mut PyObject, &'static TypeInfo) -> Result<ErasedRef, Error>,
    /// The Python object itself.
    pub foreign: unsafe fn(*mut PyObject) -> Result<Foreign, Error>,
    /// A new reference to what Python gets for a value.
    pub write: fn(Written<'_>) -> Result<*mut PyObject, Error>,
    /// Raises an error.
    pub raise: fn(Error),
    /// Takes the exception that is raised.
    pub take: fn() -> Error,
}

static HOOKS: AtomicPtr<Hooks> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the functions of this binary.
pub fn set_hooks(hooks: &'static Hooks) {
    HOOKS.store(std::ptr::from_ref(hooks).cast_mut(), Ordering::Release);
    recognize_errors(|error| error.downcast_ref().and_then(super::from_py_err));
}

pub(super) fn hooks_of_binary() -> Result<&'static Hooks, Error> {
    // SAFETY: `set_hooks` stored a `&'static Hooks`, or nothing did.
    unsafe { HOOKS.load(Ordering::Acquire).as_ref() }.ok_or_else(|| {
        Error::new(
            ErrorKind::Import,
            "this extension module has not joined pairbond: call `pairbond::pyo3::add` in its `#[pymodule]`, or export it with `pairbond::module!`",
        )
    })
}
