//! The C struct of a wrapper, and finding out whether a Python object is one.
//!
//! A type is a wrapper type when its `tp_is_gc` is [`wrapper_marker`], a function of the shared
//! table: a slot that every subclass inherits, also one made in Python with several bases, that is
//! never overridden, and that costs one load and one compare to look at. (A metaclass would
//! conflict with `abc.ABCMeta`; a base class check walks the MRO.)

use std::ffi::c_int;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::object::{ErasedBorrow, Header};
use pyo3_ffi as py;

/// A wrapper. `native` is set once, when the object is constructed or fetched, and null before
/// (`cls.__new__(cls)`) and after the collector has taken it.
#[repr(C)]
pub struct Wrapper {
    pub base: py::PyObject,
    /// The native object, or null.
    pub native: *mut Header,
    /// Where before 3.12, whose `MANAGED_DICT` is not for C types, dict and weak references are.
    #[cfg(not(Py_3_12))]
    pub dict: *mut py::PyObject,
    #[cfg(not(Py_3_12))]
    pub weakrefs: *mut py::PyObject,
}

static MARKER: AtomicUsize = AtomicUsize::new(0);

/// `tp_is_gc` of every wrapper type, as a number; 0 before any binary serves.
#[inline]
pub(crate) fn wrapper_marker() -> usize {
    MARKER.load(Ordering::Relaxed)
}

/// Sets [`wrapper_marker`], when the shared table is installed.
pub(crate) fn set_wrapper_marker(marker: unsafe extern "C" fn(*mut py::PyObject) -> c_int) {
    MARKER.store(marker as usize, Ordering::Release);
}

/// Whether a Python object is a wrapper (also one without a native object yet).
///
/// # Safety
/// The object is alive and the thread attached.
#[inline]
pub unsafe fn is_wrapper(object: *mut py::PyObject) -> bool {
    // SAFETY: the object is alive and the thread attached: the caller ensures it.
    unsafe { (*py::Py_TYPE(object)).tp_is_gc.map(|f| f as usize) == Some(wrapper_marker()) }
}

/// The native object of a wrapper; `None` when the object is not a wrapper, or has none.
///
/// # Safety
/// The object is alive and the thread attached.
#[inline]
pub unsafe fn native(object: *mut py::PyObject) -> Option<NonNull<Header>> {
    // SAFETY: the object is alive and the thread attached: the caller ensures it. A wrapper begins
    // with this struct.
    unsafe {
        if is_wrapper(object) {
            NonNull::new((*object.cast::<Wrapper>()).native)
        } else {
            None
        }
    }
}

/// Returns whether a wrapper is its native object's own; otherwise it is a guest, of an object that
/// belongs to another interpreter.
///
/// # Safety
/// The wrapper's native object.
#[inline]
pub(crate) unsafe fn is_self(wrapper: *mut py::PyObject, native: NonNull<Header>) -> bool {
    // SAFETY: a wrapper keeps its native object alive.
    let pair = unsafe { native.as_ref() }.custody().pair();
    std::ptr::eq(pair.wrapper(), wrapper.cast())
}

/// The native object of a wrapper, borrowed for as long as the caller keeps the wrapper.
///
/// # Safety
/// As [`native`], and the wrapper is kept alive for `'a`.
#[inline]
pub unsafe fn borrow<'a>(object: *mut py::PyObject) -> Option<ErasedBorrow<'a>> {
    // SAFETY: a wrapper keeps its native object alive in either custody.
    unsafe { native(object).map(|header| ErasedBorrow::from_header(header)) }
}
