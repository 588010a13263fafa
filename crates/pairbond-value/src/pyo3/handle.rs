//! [`Handle`]: a pairbond object that a `#[pyclass]` owns.

use std::fmt;
use std::marker::PhantomData;

use ::pyo3::prelude::*;

use super::bridge::{read_argument, write_result};
use crate::object::{Borrow, Object, Ref};

/// An object of type `T`, held by its wrapper: what a `#[pyclass]` stores, so that CPython's
/// collector sees the reference.
///
/// `__traverse__` and `__clear__` are one line each, as for `Py<T>`:
///
/// ```ignore
/// #[pyclass]
/// struct Cart {
///     first: Option<Handle<Item>>,
/// }
///
/// #[pymethods]
/// impl Cart {
///     fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
///         visit.call(&self.first)
///     }
///     fn __clear__(&mut self) {
///         self.first = None;
///     }
/// }
/// ```
///
/// A `Ref<T>` in a `#[pyclass]` works, too; but it is a reference of native code, which no
/// collector sees: cycles through it stay.
pub struct Handle<T> {
    wrapper: Py<PyAny>,
    of: PhantomData<fn() -> T>,
}

impl<T: Object + Send + Sync> Handle<T> {
    /// Returns a handle to an object, creating its wrapper on first use.
    ///
    /// # Errors
    /// The wrapper cannot be made: no memory, or the object belongs to another interpreter.
    pub fn new(py: Python<'_>, object: &Ref<T>) -> PyResult<Self> {
        Ok(Handle {
            wrapper: write_result(py, object)?.unbind(),
            of: PhantomData,
        })
    }

    /// Returns the object, borrowed from the handle.
    ///
    /// # Errors
    /// `InvalidatedError` if the object is a tree node that was erased.
    pub fn borrow<'a>(&'a self, py: Python<'a>) -> PyResult<Borrow<'a, T>> {
        read_argument(self.wrapper.bind_borrowed(py))
    }

    /// Returns a reference for native code to keep.
    ///
    /// # Errors
    /// As [`borrow`](Self::borrow).
    pub fn to_ref(&self, py: Python<'_>) -> PyResult<Ref<T>> {
        read_argument(self.wrapper.bind_borrowed(py))
    }

    /// Returns the wrapper.
    #[must_use]
    pub fn as_py(&self) -> &Py<PyAny> {
        &self.wrapper
    }

    /// Returns another handle to the same object.
    #[must_use]
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Handle {
            wrapper: self.wrapper.clone_ref(py),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({:p})", self.wrapper.as_ptr())
    }
}

/// For `PyVisit::call`.
impl<'a, T> From<&'a Handle<T>> for Option<&'a Py<PyAny>> {
    fn from(handle: &'a Handle<T>) -> Self {
        Some(&handle.wrapper)
    }
}

impl<'a, 'py, T: Object> FromPyObject<'a, 'py> for Handle<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // Its type, and that there is an object.
        let _: Borrow<'a, T> = read_argument(object)?;
        Ok(Handle {
            wrapper: object.to_owned().unbind(),
            of: PhantomData,
        })
    }
}

impl<'py, T> IntoPyObject<'py> for &Handle<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.wrapper.bind(py).clone())
    }
}

impl<'py, T> IntoPyObject<'py> for Handle<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.wrapper.into_bound(py))
    }
}
