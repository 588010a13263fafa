//! The classes of an interpreter by type index: read without a lock, because every first fetch of an object does.

use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3_ffi as py;

const CHUNK: usize = 512;
const CHUNKS: usize = 512;

type Chunk = [AtomicPtr<py::PyTypeObject>; CHUNK];

/// A two-level table that only grows. Up to 262,144 types; later ones find their ancestors' classes.
pub struct Classes([AtomicPtr<Chunk>; CHUNKS]);

impl Classes {
    pub(super) fn new() -> Self {
        Classes([const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS])
    }

    /// The class, or null.
    #[inline]
    pub fn get(&self, index: usize) -> *mut py::PyTypeObject {
        let Some(chunk) = self.0.get(index / CHUNK) else {
            return std::ptr::null_mut();
        };
        // SAFETY: a chunk is never freed.
        match unsafe { chunk.load(Ordering::Acquire).as_ref() } {
            Some(chunk) => chunk[index % CHUNK].load(Ordering::Acquire),
            None => std::ptr::null_mut(),
        }
    }

    /// Stores a class, and returns the one before (or null).
    pub fn set(&self, index: usize, class: *mut py::PyTypeObject) -> *mut py::PyTypeObject {
        let Some(slot) = self.0.get(index / CHUNK) else {
            return class;
        };
        let mut chunk = slot.load(Ordering::Acquire);
        if chunk.is_null() {
            let new = Box::into_raw(Box::new([const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNK]));
            match slot.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => chunk = new,
                Err(other) => {
                    // SAFETY: nobody saw ours.
                    drop(unsafe { Box::from_raw(new) });
                    chunk = other;
                }
            }
        }
        // SAFETY: a chunk is never freed.
        unsafe { (&(*chunk))[index % CHUNK].swap(class, Ordering::AcqRel) }
    }

    /// Some class of which `test` is true.
    pub fn find(&self, test: impl Fn(*mut py::PyTypeObject) -> bool) -> Option<*mut py::PyTypeObject> {
        // SAFETY: a chunk is never freed.
        let chunks = self
            .0
            .iter()
            .filter_map(|chunk| unsafe { chunk.load(Ordering::Acquire).as_ref() });
        chunks
            .flatten()
            .map(|class| class.load(Ordering::Acquire))
            .find(|class| !class.is_null() && test(*class))
    }

    /// Every class; for the interpreter's end.
    pub fn take_all(&self, mut each: impl FnMut(*mut py::PyTypeObject)) {
        for chunk in &self.0 {
            // SAFETY: a chunk is never freed.
            if let Some(chunk) = unsafe { chunk.load(Ordering::Acquire).as_ref() } {
                for class in chunk {
                    let class = class.swap(std::ptr::null_mut(), Ordering::AcqRel);
                    if !class.is_null() {
                        each(class);
                    }
                }
            }
        }
    }
}
