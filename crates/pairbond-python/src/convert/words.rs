//! [`PyWords`]: Python objects as words, for functions of C in this binary.

use pairbond_core::library::{Word, WordTable, Words};
use pyo3_ffi as py;

use super::{PySink, PySource};
use crate::owned::Owned;

/// A word is a `PyObject *`. For attached threads.
pub(crate) struct PyWords;

impl PyWords {
    pub(crate) const TABLE: &'static WordTable = WordTable::of::<PyWords>();

    /// # Safety
    /// A word that this frontend made, given away.
    #[inline(always)]
    pub(crate) unsafe fn owned(word: Word) -> Owned {
        // SAFETY: a new reference, which `word` let go of.
        unsafe { Owned::from_new(word.as_ptr().cast()) }.expect("a word is no null")
    }
}

impl Words for PyWords {
    type Source = PySource<'static>;
    type Sink = PySink;

    #[inline(always)]
    unsafe fn source(word: Word) -> PySource<'static> {
        // SAFETY: the caller's word, a living object; attached, as all calls of C functions with
        // words are.
        unsafe { PySource::new(word.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn quick_bool(word: Word) -> Option<bool> {
        let object = word.as_ptr().cast();
        // SAFETY: the addresses of statics.
        unsafe {
            if object == py::Py_True() {
                Some(true)
            } else if object == py::Py_False() {
                Some(false)
            } else {
                None
            }
        }
    }

    #[inline(always)]
    unsafe fn quick_i64(word: Word) -> Option<i64> {
        // SAFETY: attached; a living object.
        unsafe { crate::ints::small(word.as_ptr().cast()) }.map(|value| value as i64)
    }

    #[inline(always)]
    unsafe fn quick_f64(word: Word) -> Option<f64> {
        let object = word.as_ptr().cast::<py::PyObject>();
        // SAFETY: attached; a living object, looked into where it is an exact float.
        unsafe { (py::PyFloat_CheckExact(object) != 0).then(|| py::PyFloat_AS_DOUBLE(object)) }
    }

    #[inline(always)]
    fn sink() -> PySink {
        PySink
    }

    #[inline(always)]
    fn word(out: Owned) -> Word {
        Word::new(out.into_ptr().cast()).expect("an object is no null")
    }

    unsafe fn out(word: Word) -> Owned {
        // SAFETY: a word of `word`, once.
        unsafe { Self::owned(word) }
    }
}
