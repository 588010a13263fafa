//! Elements, keys and values on their way in and out.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::convert::{Sink, Source};
use pairbond_value::value::{Any, AnyRef};
use pyo3_ffi as py;

use super::elements::Kept;
use super::keyed::Keyed;
use crate::convert::{PySink, PySource};
use crate::errors::take;
use crate::heap_types::support::Object_;
use crate::owned::Owned;
use crate::running;
use crate::{interp, wrapper};

/// A key of any kind. As `any_quickly`, but a float that is no number stays the object that it is:
/// no other is equal to it.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn any_key(object: Object_) -> Result<Any, Error> {
    // SAFETY: the thread is attached, and the caller keeps the object.
    unsafe {
        if crate::convert::is_nan(object) {
            return nan_value(object);
        }
        any_quickly(object)
    }
}

/// # Safety
/// Attached; a living float.
#[cold]
unsafe fn nan_value(object: Object_) -> Result<Any, Error> {
    // SAFETY: the thread is attached, and the caller keeps the float.
    let object = unsafe { PySource::new(object).read_foreign() };
    object
        .map(Any::Foreign)
        .map_err(|_| Error::new(ErrorKind::Closed, "pairbond is not open in this interpreter"))
}

/// A value of any kind.
///
/// # Safety
/// Attached; a living object.
#[inline]
pub(super) unsafe fn any_value(object: Object_) -> Result<Any, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe { PySource::new(object).read_any() }.map_err(|mismatch| {
        mismatch.into_error(
            || "a value".into(),
            "any object",
            || crate::convert::short_description(object),
        )
    })
}

/// A value of any kind, the commonest first.
///
/// # Safety
/// Attached; a living object.
#[inline(always)]
pub(super) unsafe fn any_quickly(object: Object_) -> Result<Any, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        if let Some(int) = crate::ints::small(object) {
            return Ok(Any::Int(int as i64));
        }
        if py::Py_TYPE(object) == &raw mut py::PyFloat_Type {
            return Ok(Any::Float(py::PyFloat_AS_DOUBLE(object)));
        }
        any_value(object)
    }
}

#[inline]
pub(super) fn to_python(value: &Any) -> Result<Owned, Error> {
    PySink.write_any(value)
}

/// A stored value, as far as it is decided under the lock how to convert it.
pub(crate) enum Found {
    /// The Python object itself.
    Ready(Owned),
    /// A copy, to be converted when the lock was given back.
    Value(Any),
}

/// The object that a value of a container whose lock is held is to Python, if it is there already.
/// Runs no foreign code.
#[inline]
pub(super) fn ready_object(value: &Any) -> Option<Owned> {
    match value {
        // SAFETY: attached; cached ints live as long as CPython.
        Any::Int(int) => crate::ints::cached(*int).map(|int| unsafe { Owned::from_borrowed(int) }),
        Any::Object(object) => wrapper::existing_wrapper(object.as_borrow()),
        Any::Foreign(object) => match object.at_hand() {
            Some((tag, object)) if tag == interp::tag() => {
                // SAFETY: attached; the value keeps the object, which is of this interpreter.
                Some(unsafe { Owned::from_borrowed(object.cast()) })
            }
            _ => None,
        },
        Any::None => Some(Owned::none()),
        _ => None,
    }
}

/// Copies a value out of a container whose lock is held. Runs no foreign code.
#[inline]
pub(crate) fn found_value(value: &Any) -> Found {
    match ready_object(value) {
        Some(object) => Found::Ready(object),
        None => Found::Value(value.clone()),
    }
}

impl Found {
    /// Whose the object will be.
    #[inline]
    pub(super) fn kept(&self) -> Kept {
        match self {
            Found::Ready(_) => Kept::Elsewhere,
            Found::Value(
                Any::Object(_) | Any::Function(_) | Any::Foreign(_) | Any::DType(_) | Any::Device(_),
            ) => Kept::No,
            Found::Value(_) => Kept::Made,
        }
    }

    #[inline]
    pub(crate) fn object(self) -> Result<Owned, Error> {
        match self {
            Found::Ready(object) => Ok(object),
            Found::Value(value) => to_python(&value),
        }
    }
}

/// The hash of an `int` of one digit: that is below the modulus of hashes, so that only -1, which
/// means an error, is another number.
#[inline]
pub(super) fn hash_of_small(int: isize) -> i64 {
    if int == -1 { -2 } else { int as i64 }
}

/// A Python object as a key, with its hash.
pub(super) struct PyKey<'a> {
    value: Kind<'a>,
    pub(super) hash: i64,
}

enum Kind<'a> {
    Text(&'a str),
    Int(i64),
    Value(Any),
}

impl<'a> PyKey<'a> {
    /// # Errors
    /// Not hashable; what `__hash__` raised.
    ///
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    #[inline]
    pub(super) unsafe fn new(object: Object_) -> Result<Self, Error> {
        // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
        unsafe {
            match Self::plain(object) {
                Some(key) => Ok(key),
                None => Self::other(object),
            }
        }
    }

    /// The key of a table that holds what an object stands for. Only floats that are no numbers
    /// depend on the table: native code, and tables of floats, have them without an identity, so
    /// that any with the same bits finds them there.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    pub(super) unsafe fn of<T: Keyed>(body: &T, object: Object_) -> Result<Self, Error> {
        // SAFETY: attached; the caller keeps the object for `'a`.
        unsafe {
            match Self::plain(object) {
                Some(key) => Ok(key),
                None if crate::convert::is_nan(object) => Self::nan_of(body, object),
                None => Self::other(object),
            }
        }
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
    #[cold]
    unsafe fn nan_of<T: Keyed>(body: &T, object: Object_) -> Result<Self, Error> {
        // SAFETY: the calling thread is attached to the interpreter, and the caller keeps `object`
        // alive: the caller ensures it.
        let kept = unsafe { Self::other(object) }?;
        let takes_objects = body.takes(&kept);
        let is_there = |key: &Self| body.locate(key.hash, key.as_ref(), |_, place| place.is_some());
        if takes_objects && is_there(&kept)? {
            return Ok(kept);
        }
        // SAFETY: attached; a living float.
        let value = Any::Float(unsafe { py::PyFloat_AS_DOUBLE(object) });
        let plain = PyKey {
            hash: value.view().hash()?,
            value: Kind::Value(value),
        };
        Ok(if !takes_objects || is_there(&plain)? {
            plain
        } else {
            kept
        })
    }

    /// The key that an exact `str` or `int` is. Runs no code.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    pub(super) unsafe fn plain(object: Object_) -> Option<Self> {
        // SAFETY: attached; the caller keeps the object for `'a`. The types are static.
        unsafe {
            if let Some(int) = crate::ints::small(object) {
                return Some(PyKey {
                    value: Kind::Int(int as i64),
                    hash: hash_of_small(int),
                });
            }
            let class = py::Py_TYPE(object);
            if class == &raw mut py::PyUnicode_Type && super::text_hash::is_pythons() {
                let text = PySource::<'a>::new(object).read_str().ok()?;
                return Some(PyKey {
                    value: Kind::Text(text),
                    // Python keeps it in the string.
                    hash: super::text_hash::hash_of(object),
                });
            }
            if class == &raw mut py::PyLong_Type {
                let int = PySource::<'a>::new(object).read_i64().ok()?;
                return Some(PyKey {
                    value: Kind::Int(int),
                    hash: AnyRef::from(int).hash().ok()?,
                });
            }
            None
        }
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
    #[inline(never)]
    unsafe fn other(object: Object_) -> Result<Self, Error> {
        // SAFETY: attached; a living object.
        let value = unsafe { any_key(object) }?;
        let hash = match &value {
            // Its hash will be another one when the object is there.
            // SAFETY: attached; a living object.
            Any::Foreign(_) if unsafe { crate::wrapper::is_wrapper(object) } => {
                return Err(crate::wrapper::uninitialized_error(object));
            }
            // SAFETY: attached; a living object.
            Any::Foreign(_) => match unsafe { running::PyObject_Hash(object) } {
                -1 => return Err(take()),
                hash => hash as i64,
            },
            value => value.view().hash()?,
        };
        Ok(PyKey {
            value: Kind::Value(value),
            hash,
        })
    }

    /// Whether a key that is equal to this one is stored as what this one is: an exact `str` or
    /// `int`, which comes out as one.
    #[inline]
    pub(super) fn is_stored_as(&self, key: &Any) -> bool {
        matches!(
            (&self.value, key),
            (Kind::Text(_), Any::Str(_)) | (Kind::Int(_), Any::Int(_))
        )
    }

    #[inline]
    pub(super) fn as_ref(&self) -> AnyRef<'_> {
        match &self.value {
            Kind::Text(text) => (*text).into(),
            Kind::Int(int) => (*int).into(),
            Kind::Value(value) => value.into(),
        }
    }

    pub(super) fn into_any(self) -> Any {
        match self.value {
            Kind::Text(text) => Any::Str(text.into()),
            Kind::Int(int) => Any::Int(int),
            Kind::Value(value) => value,
        }
    }
}
