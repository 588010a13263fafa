//! [`PyField`]: a Python object that a pairbond object owns.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use ::pyo3::PyTypeCheck;
use ::pyo3::prelude::*;

use super::bridge::{check_attached, interpreter_tag};
use crate::convert::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;
use crate::trace::{Plan, Reach, Trace, Tracer};
use crate::value::Foreign;

/// A field of a pairbond object that owns a Python object of type `T`: what `Py<T>` is in a
/// `#[pyclass]`.
///
/// Traced, so that cycles through it are collected; cloned, compared by identity and dropped on any
/// thread, attached or not.
///
/// ```ignore
/// #[pairbond::object("shop.Basket")]
/// struct Basket {
///     note: Cell<Option<PyField<PyDict>>>,
/// }
///
/// let basket = Ref::new(Basket { note: Cell::new(Some(PyField::new(&PyDict::new(py))?)) });
/// basket.note.get().unwrap().bind(py)?.set_item("a", 1)?;
/// ```
pub struct PyField<T = PyAny> {
    object: Foreign,
    of: PhantomData<fn() -> T>,
}

impl<T> PyField<T> {
    /// Returns a field that owns `object`.
    ///
    /// # Errors
    /// No module of this extension has joined pairbond.
    pub fn new(object: &Bound<'_, T>) -> Result<Self, Error> {
        Self::from_py(object.clone().unbind())
    }

    /// Returns a field that takes over the reference. The thread need not be attached.
    ///
    /// # Errors
    /// No module of this extension has joined pairbond.
    pub fn from_py(object: Py<T>) -> Result<Self, Error> {
        // SAFETY: a counted reference, given away; PyO3's objects belong to the one interpreter
        // that this tag is of.
        let object = unsafe { Foreign::from_raw(interpreter_tag()?, object.into_ptr().cast()) };
        Ok(PyField {
            object,
            of: PhantomData,
        })
    }

    /// Returns the object, bound to the attached thread.
    ///
    /// # Errors
    /// The object belongs to another interpreter, or is still being loaded.
    pub fn bind<'py>(&self, py: Python<'py>) -> Result<Bound<'py, T>, Error> {
        check_attached()?;
        let (_, object) = self.object.check_present()?;
        // SAFETY: attached to the object's interpreter, as was just checked; the field keeps the
        // object alive, which was checked to be a `T` when it was stored.
        Ok(unsafe { Bound::from_borrowed_ptr(py, object.cast()).cast_into_unchecked() })
    }

    /// Whether both own the same object.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.object.is(&other.object)
    }

    /// Returns the object without its type.
    #[must_use]
    pub fn as_foreign(&self) -> &Foreign {
        &self.object
    }
}

impl<T> Clone for PyField<T> {
    fn clone(&self) -> Self {
        PyField {
            object: self.object.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for PyField<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

impl<T> TryFrom<Py<T>> for PyField<T> {
    type Error = Error;

    fn try_from(object: Py<T>) -> Result<Self, Error> {
        Self::from_py(object)
    }
}

// SAFETY: shows what the one field shows.
unsafe impl<T> Trace for PyField<T> {
    const TRACED: bool = Foreign::TRACED;
    const PLAN: Plan = Foreign::PLAN;

    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.object.trace(tracer);
    }

    fn visit_reachable(reach: &mut Reach) {
        Foreign::visit_reachable(reach);
    }
}

impl<'a, T: PyTypeCheck> FromValue<'a> for PyField<T> {
    fn expected_type() -> Cow<'static, str> {
        super::values::name_of::<T>()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ok(Self::from_py(Py::from_value(source)?)?)
    }
}

impl<T> Emit for PyField<T> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_foreign(&self.object)
    }
}

impl<T> IntoValue for PyField<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

impl<'py, T> IntoPyObject<'py> for &PyField<T> {
    type Target = T;
    type Output = Bound<'py, T>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Ok(self.bind(py)?)
    }
}
