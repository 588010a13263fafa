//! The classes of an interpreter by type index: read without a lock, because every first fetch of
//! an object does.

use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3_ffi as py;

const CHUNK: usize = 512;
const CHUNKS: usize = 512;

type Chunk = [AtomicPtr<py::PyTypeObject>; CHUNK];
type Chunks = [AtomicPtr<Chunk>; CHUNKS];

/// A two-level table that only grows, until its interpreter ends. Up to 262,144 types; later ones
/// find their ancestors' classes.
pub struct Classes(AtomicPtr<Chunks>);

impl Classes {
    pub(super) fn new() -> Self {
        let chunks: Box<Chunks> = Box::new([const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS]);
        Classes(AtomicPtr::new(Box::into_raw(chunks)))
    }

    fn slot(&self, index: usize) -> Option<&AtomicPtr<Chunk>> {
        // SAFETY: freed by `take_all` only, when there are no lookups any more.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }?.get(index / CHUNK)
    }

    /// The class, or null.
    #[inline]
    pub fn get(&self, index: usize) -> *mut py::PyTypeObject {
        let Some(chunk) = self.slot(index) else {
            return std::ptr::null_mut();
        };
        // SAFETY: as in `slot`.
        match unsafe { chunk.load(Ordering::Acquire).as_ref() } {
            Some(chunk) => chunk[index % CHUNK].load(Ordering::Acquire),
            None => std::ptr::null_mut(),
        }
    }

    /// Stores a class, and returns the one before (or null).
    pub fn set(&self, index: usize, class: *mut py::PyTypeObject) -> *mut py::PyTypeObject {
        let Some(slot) = self.slot(index) else {
            return class;
        };
        let mut chunk = slot.load(Ordering::Acquire);
        if chunk.is_null() {
            let new = Box::into_raw(Box::new([const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNK]));
            match slot.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => chunk = new,
                Err(other) => {
                    // SAFETY: ours was not shared.
                    drop(unsafe { Box::from_raw(new) });
                    chunk = other;
                }
            }
        }
        // SAFETY: as in `slot`.
        unsafe { (&(*chunk))[index % CHUNK].swap(class, Ordering::AcqRel) }
    }

    /// Whether a class is here. Looks through all of them.
    pub fn contains(&self, class: *mut py::PyTypeObject) -> bool {
        // SAFETY: as in `slot`.
        let chunks = unsafe { self.0.load(Ordering::Acquire).as_ref() };
        chunks.into_iter().flatten().any(|chunk| {
            // SAFETY: chunks are not freed before `take_all`, which runs when there are no lookups.
            let chunk = unsafe { chunk.load(Ordering::Acquire).as_ref() };
            chunk.is_some_and(|chunk| chunk.iter().any(|it| it.load(Ordering::Acquire) == class))
        })
    }

    /// Every class, at the interpreter's end; the table is empty afterwards.
    ///
    /// # Safety
    /// Only one thread is left that could ask, and it does not while this runs.
    pub unsafe fn take_all(&self) -> Vec<*mut py::PyTypeObject> {
        let mut classes = Vec::new();
        let chunks = self.0.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if chunks.is_null() {
            return classes;
        }
        // SAFETY: made by `Box::into_raw`, and no other thread has them any more.
        for chunk in unsafe { *Box::from_raw(chunks) } {
            let chunk = chunk.into_inner();
            if !chunk.is_null() {
                // SAFETY: made by `Box::into_raw`, and no other thread has it any more.
                let chunk = unsafe { *Box::from_raw(chunk) };
                classes.extend(
                    chunk
                        .into_iter()
                        .map(AtomicPtr::into_inner)
                        .filter(|class| !class.is_null()),
                );
            }
        }
        classes
    }
}
