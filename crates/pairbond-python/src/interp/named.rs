//! Classes made in Python that the selfs of nodes with a name are of: asked when a node gets its self, so nodes may be made before and after.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::object::Header;
use pairbond_core::tree::with_name;
use pyo3_ffi as py;

use crate::owned::Owned;

/// By the address of the class that a library made, then by the node's name. There are few, and comparing short names is quicker than to hash them.
type Classes = BTreeMap<usize, BTreeMap<String, Owned>>;

/// What is here is referred to, until the interpreter ends.
pub struct Named {
    /// A bit for each class that has some, by its address: who does not find its own there looks no further.
    filter: AtomicU64,
    classes: Mutex<Classes>,
}

impl Named {
    pub(super) fn new() -> Self {
        Named {
            filter: AtomicU64::new(0),
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
        if self.filter.load(Ordering::Acquire) & bit(class) == 0 {
            return None;
        }
        // Naming is the type's code, so not under the lock, and costs what hardly others pay than those whose class has some.
        with_name(object, |name| {
            let classes = self.lock();
            let found = classes.get(&(class as usize))?.get(name)?;
            // SAFETY: alive, attached.
            Some(unsafe { Owned::from_borrowed(found.as_ptr()) })
        })?
    }

    /// Lets `class` be that of nodes of a name whose class is `of`.
    pub(crate) fn set(&self, of: *mut py::PyTypeObject, name: String, class: Owned) {
        let before = self.lock().entry(of as usize).or_default().insert(name, class);
        self.filter.fetch_or(bit(of), Ordering::Release);
        drop(before);
    }

    /// At the interpreter's end.
    pub(super) fn take_all(&self) -> Vec<Owned> {
        self.filter.store(0, Ordering::Release);
        let all = std::mem::take(&mut *self.lock());
        all.into_values().flat_map(BTreeMap::into_values).collect()
    }
}

/// One of 64, by what classes differ in.
fn bit(class: *mut py::PyTypeObject) -> u64 {
    1 << ((class.addr() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
}
