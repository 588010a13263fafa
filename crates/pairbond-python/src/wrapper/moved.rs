//! Wrappers that have lost their object to a callee that took it by value.
//!
//! Such a wrapper stands for nothing, as one whose `__init__` was not called, but it stays so, and
//! its error says why. Mostly there are none, so nothing in a wrapper says it: they are listed
//! until they die, and a lookup takes no lock while the list is empty.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::ByAddress;
use pyo3_ffi as py;

use crate::interp::api::api;

/// The moved wrappers of an interpreter, by address.
#[derive(Default)]
pub(crate) struct Moved {
    count: AtomicUsize,
    wrappers: Mutex<ByAddress<()>>,
}

impl Moved {
    fn lock(&self) -> MutexGuard<'_, ByAddress<()>> {
        self.wrappers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for one more, before an object is moved away.
    pub(super) fn reserve(&self) -> Result<(), TryReserveError> {
        self.lock().try_reserve(1)
    }

    /// Notes that a wrapper's object was moved away.
    pub(super) fn add(&self, wrapper: *mut py::PyObject) {
        let mut wrappers = self.lock();
        if wrappers.try_reserve(1).is_err() {
            // Another thread has taken the room meanwhile: the error about the wrapper will be that
            // of one without an object.
            return;
        }
        wrappers.insert(wrapper.addr(), ());
        self.count.store(wrappers.len(), Ordering::Release);
    }

    fn has(&self, wrapper: *mut py::PyObject) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.lock().contains_key(&wrapper.addr())
    }

    /// A wrapper without an object dies.
    pub(super) fn remove(&self, wrapper: *mut py::PyObject) {
        if self.count.load(Ordering::Acquire) > 0 {
            let mut wrappers = self.lock();
            wrappers.remove(&wrapper.addr());
            self.count.store(wrappers.len(), Ordering::Release);
        }
    }

    /// The interpreter is gone: its addresses may be used again.
    pub(crate) fn forget(&self) {
        *self.lock() = ByAddress::default();
        self.count.store(0, Ordering::Release);
    }
}

/// Whether the object of a wrapper, which has none, was moved away.
///
/// # Safety
/// Attached to the interpreter of the living wrapper.
pub(crate) unsafe fn is_moved(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: attached; interpreters are never freed.
    let interp = unsafe { (api().current)().as_ref() };
    interp.is_some_and(|interp| interp.moved.has(wrapper))
}

/// The error about a wrapper whose object was never made, or was moved away.
#[cold]
pub(crate) fn half_made(object: *mut py::PyObject) -> Error {
    // SAFETY: attached; a living wrapper.
    let (name, moved) = unsafe { (crate::ffi::type_name(py::Py_TYPE(object)), is_moved(object)) };
    if moved {
        let message = format!(
            "this {name} was moved away, to whoever took it by value: there is nothing behind it any more"
        );
        return Error::new(ErrorKind::Invalidated, message);
    }
    // SAFETY: as above; a wrapper's class extends one that a library made, or is one.
    let base = unsafe { crate::ffi::type_name(super::deciding_class(py::Py_TYPE(object))) };
    let hint = if base == name {
        String::new()
    } else {
        format!(" ({name}.__init__() has to call super().__init__())")
    };
    Error::runtime_error(format!(
        "{base}.__init__() was not called: there is no native object behind this {name}{hint}"
    ))
}
