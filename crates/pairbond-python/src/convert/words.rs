//! [`PyWords`]: Python objects as words, for functions of C in this binary.

use std::ffi::c_void;

use pairbond_core::error::Error;
use pairbond_value::convert::erased::words::{Layout, Word, WordTable, Words};
use pyo3_ffi as py;

use super::{PySink, PySource};
use crate::errors::owned_or_error;
use crate::owned::Owned;
use crate::running;

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

    const LAYOUT: Layout = crate::ints::LAYOUT;

    #[inline(always)]
    unsafe fn word_source(word: Word) -> PySource<'static> {
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
    unsafe fn is_callable(word: Word) -> bool {
        // SAFETY: attached; a living object.
        unsafe { py::PyCallable_Check(word.as_ptr().cast()) != 0 }
    }

    #[inline(always)]
    unsafe fn call(word: Word, arguments: *const *mut c_void, count: usize) -> Result<Word, Error> {
        let callable = word.as_ptr().cast();
        let null = std::ptr::null_mut();
        // SAFETY: attached; living objects.
        unsafe {
            owned_or_error(running::PyObject_Vectorcall(
                callable,
                arguments.cast(),
                count,
                null,
            ))
        }
        .map(Self::into_word)
    }

    #[inline(always)]
    fn new_sink() -> PySink {
        PySink
    }

    #[inline(always)]
    fn into_word(out: Owned) -> Word {
        Word::new(out.into_ptr().cast()).expect("an object is no null")
    }

    unsafe fn from_word(word: Word) -> Owned {
        // SAFETY: a word of `word`, once.
        unsafe { Self::owned(word) }
    }
}
