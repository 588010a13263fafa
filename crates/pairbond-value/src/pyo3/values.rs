//! `Py<T>` and `Bound<'_, T>` as arguments and results of pairbond functions.

use std::borrow::Cow;

use ::pyo3::PyTypeCheck;
use ::pyo3::prelude::*;

use super::bridge::{bridge_of_binary, check_attached, interpreter_tag, write_result};
use crate::convert::{FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::{Error, ErrorKind};
use crate::value::Foreign;

/// Returns the name of a Python type, for messages.
pub(super) fn name_of<T: PyTypeCheck>() -> Cow<'static, str> {
    let name = Python::try_attach(|py| T::classinfo_object(py).to_string());
    name.map_or(Cow::Borrowed("a Python object"), Cow::Owned)
}

/// Reads a Python object of type `T` on an attached thread.
fn read_typed<'a, 'py, T: PyTypeCheck, S: Source<'a>>(
    py: Python<'py>,
    source: S,
) -> Result<Bound<'py, T>, Mismatch> {
    let bridge = check_attached()?;
    let object = match source.read_foreign() {
        Ok(foreign) if foreign.tag() == (bridge.tag)() => {
            let (_, object) = foreign.check_present()?;
            // SAFETY: attached to the object's interpreter; `foreign` keeps it alive meanwhile.
            unsafe { Bound::from_borrowed_ptr(py, object.cast()) }
        }
        Ok(_) => {
            let message = "the object belongs to another interpreter than the calling thread";
            return Err(Error::new(ErrorKind::Interpreter, message).into());
        }
        // A value that native code passes: it has no Python object yet.
        Err(Mismatch::Type) => write_result(py, source.read_any()?).map_err(Error::from)?,
        Err(other) => return Err(other),
    };
    object.cast_into().map_err(|_| Mismatch::Type)
}

impl<'a, T: PyTypeCheck> FromValue<'a> for Py<T> {
    fn expected_type() -> Cow<'static, str> {
        name_of::<T>()
    }

    /// Attaches the thread if it is not.
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Python::try_attach(|py| read_typed(py, source).map(Bound::unbind)).unwrap_or_else(|| {
            let message = "Python is shutting down: there is no interpreter to make an object of";
            Err(Error::new(ErrorKind::Closed, message).into())
        })
    }
}

impl<'a, T: PyTypeCheck> FromValue<'a> for Bound<'a, T> {
    const DETACHES: bool = false;

    fn expected_type() -> Cow<'static, str> {
        name_of::<T>()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        check_attached()?;
        // SAFETY: attached, as was just checked, and for the time of the call: `'a` does not
        // outlive it, and what runs detached inside takes no `Bound` with it: `pairbond::detached`
        // because it is not `Send`, `#[detach]` because of `DETACHES`.
        read_typed(unsafe { Python::assume_attached() }, source)
    }
}

impl<T> IntoValue for Py<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        let tag = interpreter_tag()?;
        // SAFETY: a counted reference, given away; PyO3's objects belong to the one interpreter
        // that this tag is of.
        out.write_foreign(&unsafe { Foreign::from_raw(tag, self.into_ptr().cast()) })
    }
}

impl<T> IntoValue for Bound<'_, T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.unbind().into_value(out)
    }
}

impl<T> IntoValue for &Bound<'_, T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.clone().into_value(out)
    }
}

impl<T> IntoValue for &Py<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        bridge_of_binary()?;
        let again = Python::try_attach(|py| self.clone_ref(py));
        again
            .ok_or_else(|| Error::new(ErrorKind::Closed, "Python is shutting down"))?
            .into_value(out)
    }
}
