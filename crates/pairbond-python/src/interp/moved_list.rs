//! The list of wrappers that have lost their object (`wrapper/moved.rs`).

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::object::ByAddress;
use pyo3_ffi as py;

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
    pub(crate) fn reserve(&self) -> Result<(), TryReserveError> {
        self.lock().try_reserve(1)
    }

    /// Notes that a wrapper's object was moved away.
    pub(crate) fn add(&self, wrapper: *mut py::PyObject) {
        let mut wrappers = self.lock();
        if wrappers.try_reserve(1).is_err() {
            // Another thread has taken the room meanwhile: the error about the wrapper will be that
            // of one without an object.
            return;
        }
        wrappers.insert(wrapper.addr(), ());
        self.count.store(wrappers.len(), Ordering::Release);
    }

    pub(crate) fn contains(&self, wrapper: *mut py::PyObject) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.lock().contains_key(&wrapper.addr())
    }

    /// A wrapper without an object dies.
    pub(crate) fn remove(&self, wrapper: *mut py::PyObject) {
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
