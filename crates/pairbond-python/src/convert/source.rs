//! [`PySource`]: a borrowed Python object as a [`Source`].

use std::borrow::Cow;
use std::marker::PhantomData;
use std::path::PathBuf;

use pairbond_core::object::{ErasedBorrow, ErasedRef};
use pairbond_value::convert::record::Fields;
use pairbond_value::convert::{Mismatch, Source, Subscript};
use pairbond_value::value::{Any, Array, BigInt, Callback, Foreign, Function};
use pyo3_ffi as py;

use super::{any, containers, describe, int, parts, text};

/// A Python object that the caller keeps alive for `'a`, on a thread that is attached.
#[derive(Clone, Copy)]
pub struct PySource<'a>(*mut py::PyObject, PhantomData<&'a py::PyObject>);

impl PySource<'_> {
    /// # Safety
    /// The thread is attached and the object alive for the lifetime that the caller chooses.
    #[inline]
    pub unsafe fn new(object: *mut py::PyObject) -> Self {
        PySource(object, PhantomData)
    }

    /// The object.
    #[inline]
    pub fn as_ptr(self) -> *mut py::PyObject {
        self.0
    }
}

impl<'a> Source<'a> for PySource<'a> {
    type Item<'b> = PySource<'b>;

    #[inline]
    fn is_none(self) -> bool {
        // SAFETY: the address of a static.
        self.0 == unsafe { py::Py_None() }
    }
    #[inline]
    fn read_bool(self) -> Result<bool, Mismatch> {
        // SAFETY: the addresses of statics.
        unsafe {
            if self.0 == py::Py_True() {
                Ok(true)
            } else if self.0 == py::Py_False() {
                Ok(false)
            } else {
                Err(Mismatch::Type)
            }
        }
    }
    #[inline]
    fn read_i64(self) -> Result<i64, Mismatch> {
        int::read_i64(self.0)
    }
    #[inline]
    fn read_u64(self) -> Result<u64, Mismatch> {
        int::read_u64(self.0)
    }
    fn read_i128(self) -> Result<i128, Mismatch> {
        int::read_i128(self.0)
    }
    fn read_u128(self) -> Result<u128, Mismatch> {
        int::read_u128(self.0)
    }
    fn big_int(self) -> Result<BigInt, Mismatch> {
        int::read_big_int(self.0)
    }
    #[inline]
    fn read_f64(self) -> Result<f64, Mismatch> {
        int::read_f64(self.0)
    }
    #[inline]
    fn read_str(self) -> Result<&'a str, Mismatch> {
        text::read_str(self.0)
    }
    #[inline]
    fn read_bytes(self) -> Result<&'a [u8], Mismatch> {
        text::read_bytes(self.0)
    }
    #[inline]
    fn copied_bytes(self) -> Result<Cow<'a, [u8]>, Mismatch> {
        match text::read_bytes(self.0) {
            Ok(bytes) => Ok(Cow::Borrowed(bytes)),
            Err(_) => text::read_buffer(self.0).map(Cow::Owned),
        }
    }
    fn read_path(self) -> Result<PathBuf, Mismatch> {
        text::read_path(self.0)
    }
    #[inline]
    fn read_object(self) -> Result<ErasedBorrow<'a>, Mismatch> {
        any::read_object(self.0)
    }
    fn read_function(self) -> Result<Function, Mismatch> {
        any::read_function(self.0)
    }
    #[inline]
    fn read_callback(self) -> Result<Callback<'a>, Mismatch> {
        any::read_callback(self.0)
    }
    fn read_foreign(self) -> Result<Foreign, Mismatch> {
        any::read_foreign(self.0)
    }
    fn read_any(self) -> Result<Any, Mismatch> {
        any::read_any(self.0)
    }
    fn read_sequence<F>(self, mut each: F) -> Result<usize, Mismatch>
    where
        F: for<'b> FnMut(usize, PySource<'b>) -> Result<(), Mismatch>,
    {
        // SAFETY: an element is alive while `each` runs.
        let mut each = |index, item| each(index, unsafe { containers::element_source(item) });
        match containers::read_list(self.0, &mut each) {
            Some(done) => done,
            None => containers::read_sequence(self.0, &mut each),
        }
    }
    #[inline]
    fn len_hint(self) -> usize {
        containers::len_hint(self.0)
    }
    fn read_mapping<F>(self, mut each: F) -> Result<(), Mismatch>
    where
        F: for<'b> FnMut(PySource<'b>, PySource<'b>) -> Result<(), Mismatch>,
    {
        containers::read_mapping(self.0, &mut |key, value| {
            // SAFETY: key and value are alive while `each` runs.
            unsafe { each(containers::element_source(key), containers::element_source(value)) }
        })
    }
    fn read_array(self) -> Result<Array, Mismatch> {
        let wrapper = super::lent::lent_by(self.0)?;
        let object = any::read_object(wrapper.as_ptr())?;
        any::owned_object(wrapper.as_ptr(), object)
            .downcast()
            .map(Array::from_ref)
            .map_err(|_| Mismatch::Type)
    }
    fn read_subscript(self) -> Result<Subscript, Mismatch> {
        // SAFETY: attached, a living object, and the addresses of statics.
        unsafe {
            if py::PyTuple_Check(self.0) != 0 {
                return Ok(Subscript::Several);
            }
            if self.0 == py::Py_Ellipsis() {
                return Ok(Subscript::Ellipsis);
            }
            if py::PySlice_Check(self.0) == 0 {
                return Err(Mismatch::Type);
            }
            match super::Subscript::new(self.0, "subscript")? {
                super::Subscript::Slice { start, stop, step } => Ok(Subscript::Slice {
                    start: start as i64,
                    stop: stop as i64,
                    step: step as i64,
                }),
                super::Subscript::Index(_) => Err(Mismatch::Type),
            }
        }
    }
    fn read_parts(self, class: &str, names: &[&str]) -> Result<Vec<Any>, Mismatch> {
        parts::read_parts(self.0, class, names)
    }
    fn read_attributes<F: Fields>(self, names: &[&str], fields: &mut F) -> Result<usize, Mismatch> {
        parts::read_attributes(self.0, names, fields)
    }
    fn describe(self) -> String {
        describe::short_description(self.0)
    }
    #[inline]
    fn to_owned_ref(self, object: ErasedBorrow<'a>) -> ErasedRef {
        any::owned_object(self.0, object)
    }
}
