//! Classes made in Python that the selfs of nodes with a name are of: asked when a node gets its self, so nodes may be made before and after.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::object::Header;
use pairbond_core::tree::name_of;
use pyo3_ffi as py;

use crate::owned::Owned;

/// By the address of the class that a library made, then by the node's name. There are few, and comparing short names is quicker than to hash them.
type Classes = BTreeMap<usize, BTreeMap<String, Owned>>;

/// What is here is referred to, until the interpreter ends.
pub struct Named {
    /// Nobody looks further before there is one.
    any: AtomicBool,
    classes: Mutex<Classes>,
}

impl Named {
    pub(super) fn new() -> Self {
        Named {
            any: AtomicBool::new(false),
            classes: Mutex::default(),
        }
    }

    /// No Python code runs under it, and nothing is released.
    fn lock(&self) -> MutexGuard<'_, Classes> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The class that a node's self is to be of instead of `class`, if there is one.
    ///
    /// # Safety
    /// Attached to the interpreter.
    #[inline]
    pub(crate) unsafe fn find(&self, object: &Header, class: *mut py::PyTypeObject) -> Option<Owned> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        // Naming is the type's code, so not under the lock, and costs what only those pay whose class has others.
        if !self.lock().contains_key(&(class as usize)) {
            return None;
        }
        let name = name_of(object)?;
        let classes = self.lock();
        let found = classes.get(&(class as usize))?.get(&name)?;
        // SAFETY: alive, attached.
        Some(unsafe { Owned::from_borrowed(found.as_ptr()) })
    }

    /// Lets `class` be that of nodes of a name whose class is `of`.
    pub(crate) fn set(&self, of: *mut py::PyTypeObject, name: String, class: Owned) {
        let before = self.lock().entry(of as usize).or_default().insert(name, class);
        self.any.store(true, Ordering::Release);
        drop(before);
    }

    /// At the interpreter's end.
    pub(super) fn take_all(&self) -> Vec<Owned> {
        self.any.store(false, Ordering::Release);
        let all = std::mem::take(&mut *self.lock());
        all.into_values().flat_map(BTreeMap::into_values).collect()
    }
}
