//! [`Owned`]: one counted reference to a Python object. Made, used and dropped by attached
//! threads only.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::NonNull;

use pyo3_ffi as py;

use crate::running;

/// An owned reference to a Python object.
#[repr(transparent)]
pub struct Owned(NonNull<py::PyObject>);

impl Owned {
    /// Takes over a new reference; `None` when null (an exception is set then).
    ///
    /// # Safety
    /// The thread is attached and the reference is given away.
    #[inline]
    pub unsafe fn from_new(object: *mut py::PyObject) -> Option<Self> {
        NonNull::new(object).map(Owned)
    }

    /// Counts a new reference to a borrowed object.
    ///
    /// # Safety
    /// The thread is attached and the object alive.
    #[inline]
    pub unsafe fn from_borrowed(object: *mut py::PyObject) -> Self {
        // SAFETY: the thread is attached and the object alive: the caller ensures it.
        unsafe {
            py::Py_INCREF(object);
            Owned(NonNull::new_unchecked(object))
        }
    }

    /// Lends an owned reference to an object that another keeps.
    ///
    /// # Safety
    /// The thread is attached, and the object alive for as long as the reference.
    #[inline]
    pub(crate) unsafe fn lend(object: &*mut py::PyObject) -> &Self {
        // SAFETY: the same layout; the object is alive meanwhile: the caller ensures it. Nothing
        // behind a reference is dropped.
        unsafe { &*std::ptr::from_ref(object).cast::<Owned>() }
    }

    /// Returns `None`. The thread is attached.
    #[inline]
    pub(crate) fn none() -> Self {
        // SAFETY: this thread is attached to the interpreter; a constant.
        unsafe { Owned::from_borrowed(py::Py_None()) }
    }

    /// Returns `True` or `False`. The thread is attached.
    #[inline]
    pub(crate) fn from_bool(value: bool) -> Self {
        // SAFETY: this thread is attached to the interpreter; two constants.
        unsafe { Owned::from_borrowed(if value { py::Py_True() } else { py::Py_False() }) }
    }

    /// Whether this is `None`.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        // SAFETY: the address of a constant.
        self.as_ptr() == unsafe { py::Py_None() }
    }

    /// Whether this is a tuple.
    #[inline]
    pub(crate) fn is_tuple(&self) -> bool {
        // SAFETY: a living object.
        unsafe { py::PyTuple_Check(self.as_ptr()) != 0 }
    }

    /// Whether this is a string.
    #[inline]
    pub(crate) fn is_text(&self) -> bool {
        // SAFETY: a living object.
        unsafe { py::PyUnicode_Check(self.as_ptr()) != 0 }
    }

    /// Returns the object's class, which lives as long as the object has it.
    #[inline]
    pub(crate) fn class(&self) -> *mut py::PyTypeObject {
        // SAFETY: a living object.
        unsafe { py::Py_TYPE(self.as_ptr()) }
    }

    /// A new string; `None` with an exception set. The thread is attached.
    #[inline]
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        // SAFETY: attached; a new reference or null.
        unsafe {
            Owned::from_new(py::PyUnicode_FromStringAndSize(
                text.as_ptr().cast(),
                text.len() as py::Py_ssize_t,
            ))
        }
    }

    /// A path as a string, with `surrogateescape` for bytes that are not text, as everywhere in
    /// Python's `os`; `None` with an exception set. The thread is attached.
    #[cfg(unix)]
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        use std::os::unix::ffi::OsStrExt;
        let bytes = path.as_os_str().as_bytes();
        // SAFETY: attached; a new reference or null.
        unsafe {
            Owned::from_new(py::PyUnicode_DecodeFSDefaultAndSize(
                bytes.as_ptr().cast(),
                bytes.len() as py::Py_ssize_t,
            ))
        }
    }

    /// A path as a string; `None` with an exception set. The thread is attached.
    #[cfg(not(unix))]
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        Owned::from_text(&path.to_string_lossy())
    }

    /// The object, still owned by `self`.
    #[inline]
    pub fn as_ptr(&self) -> *mut py::PyObject {
        self.0.as_ptr()
    }

    /// The object, still owned by `self`.
    #[inline]
    pub fn as_non_null(&self) -> NonNull<py::PyObject> {
        self.0
    }

    /// Gives the reference away.
    #[inline]
    pub fn into_ptr(self) -> *mut py::PyObject {
        ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for Owned {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is ours, and the thread attached.
        unsafe { running::decref(self.0.as_ptr()) }
    }
}

impl Clone for Owned {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: owning it keeps the object; `Owned` stays on attached threads.
        unsafe { Owned::from_borrowed(self.0.as_ptr()) }
    }
}
