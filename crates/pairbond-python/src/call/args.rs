//! [`Exact`] and [`Bound`]: the arguments of one call.

use std::marker::PhantomData;
use std::ptr::NonNull;

use pairbond_core::object::ErasedBorrow;
use pairbond_value::class::Args;
use pairbond_value::convert::erased::words::WordArgs;
use pyo3_ffi as py;

use crate::convert::{PySource, PyWords};
use crate::wrapper::Wrapper;

/// One argument for each parameter, by position: CPython's own array, nothing is copied.
pub(crate) struct Exact<'a> {
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    _call: PhantomData<&'a py::PyObject>,
}

impl Exact<'_> {
    /// # Safety
    /// Attached; the receiver (or null) and as many arguments as the callee has parameters are
    /// alive for the lifetime that the caller chooses.
    #[inline(always)]
    pub(crate) unsafe fn new(receiver: *mut py::PyObject, arguments: *const *mut py::PyObject) -> Self {
        Exact {
            receiver,
            arguments,
            _call: PhantomData,
        }
    }
}

impl<'a> Args<'a> for Exact<'a> {
    type Source = PySource<'a>;

    #[inline(always)]
    fn receiver(&self) -> Option<Self::Source> {
        if self.receiver.is_null() {
            None
        } else {
            // SAFETY: promised to `new`.
            Some(unsafe { PySource::new(self.receiver) })
        }
    }

    #[inline(always)]
    fn native_receiver(&self) -> Option<ErasedBorrow<'a>> {
        // SAFETY: CPython calls methods and slots with an instance of the class that has them,
        // which is a wrapper class; alive during the call.
        unsafe { checked_receiver(self.receiver) }
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Option<Self::Source> {
        // SAFETY: promised to `new`; the callee asks for its own parameters only.
        Some(unsafe { PySource::new(*self.arguments.add(index)) })
    }

    #[inline(always)]
    fn rest_arg(&self, _: usize) -> Option<Self::Source> {
        None
    }
}

/// The native object of a receiver whose class CPython has checked. (Its type is still to be
/// compared: `__class__` can be assigned.)
///
/// # Safety
/// Null, or a wrapper that is alive for the lifetime that the caller chooses; attached.
#[inline(always)]
pub(crate) unsafe fn checked_receiver<'a>(receiver: *mut py::PyObject) -> Option<ErasedBorrow<'a>> {
    if receiver.is_null() {
        return None;
    }
    // SAFETY: null, or a wrapper that is alive for the lifetime that the caller chooses; attached:
    // the caller ensures it.
    unsafe {
        debug_assert!(crate::wrapper::is_wrapper(receiver));
        NonNull::new((*receiver.cast::<Wrapper>()).native).map(|native| ErasedBorrow::from_header(native))
    }
}

/// Arguments bound to parameters; null where none was given.
pub(crate) struct Bound<'a> {
    pub(super) receiver: *mut py::PyObject,
    pub(super) parameters: &'a [*mut py::PyObject],
    pub(super) rest: &'a [*mut py::PyObject],
}

impl Bound<'_> {
    /// Those of a callable without parameters.
    #[cfg(feature = "library")]
    pub(crate) fn of_receiver(receiver: *mut py::PyObject) -> Self {
        let (parameters, rest) = (&[], &[]);
        Bound {
            receiver,
            parameters,
            rest,
        }
    }
}

fn source_of<'a>(object: *mut py::PyObject) -> Option<PySource<'a>> {
    if object.is_null() {
        None
    } else {
        // SAFETY: arguments live as long as the call, which is all that a `Bound` is made for.
        Some(unsafe { PySource::new(object) })
    }
}

impl Bound<'_> {
    /// The same as words.
    pub(crate) fn words(&self) -> WordArgs<'_> {
        let (parameters, rest) = (self.parameters, self.rest);
        // SAFETY: as for `native_receiver`; arguments live as long as the call, which is all that a
        // `Bound` is made for; an object and a word are both a pointer.
        unsafe {
            let rest = std::slice::from_raw_parts(rest.as_ptr().cast(), rest.len());
            let receiver = checked_receiver(self.receiver);
            WordArgs::new(
                PyWords::TABLE,
                receiver,
                parameters.as_ptr().cast(),
                parameters.len(),
                rest,
            )
        }
    }
}

impl<'a> Args<'a> for Bound<'a> {
    type Source = PySource<'a>;

    fn receiver(&self) -> Option<PySource<'a>> {
        source_of(self.receiver)
    }

    fn native_receiver(&self) -> Option<ErasedBorrow<'a>> {
        // SAFETY: as for `Exact`.
        unsafe { checked_receiver(self.receiver) }
    }

    fn get(&self, index: usize) -> Option<PySource<'a>> {
        source_of(self.parameters[index])
    }

    fn rest_arg(&self, index: usize) -> Option<PySource<'a>> {
        self.rest.get(index).and_then(|object| source_of(*object))
    }

    fn rest_count(&self) -> usize {
        self.rest.len()
    }
}
