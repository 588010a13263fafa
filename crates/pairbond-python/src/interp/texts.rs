//! Strings that were given to Python a moment ago, for the next time: names of operations or of
//! fields are few, and asked for again and again.
//!
//! As [spare memory](super::spare) they belong to an interpreter and are guarded by its GIL; builds
//! without one have none, nor have debug builds.

use std::cell::{Cell, UnsafeCell};

use pyo3_ffi as py;

use crate::owned::Owned;
use crate::running;

/// Strings at the same time. Two that fall on the same place take turns.
const PLACES: usize = 64;
/// Bytes of the longest.
const LONGEST: usize = 39;

pub(crate) struct Texts([Place; PLACES]);

/// A string of CPython's, if there is one, and its text.
struct Place {
    object: Cell<*mut py::PyObject>,
    len: Cell<u8>,
    bytes: UnsafeCell<[u8; LONGEST]>,
}

impl Texts {
    pub(super) const fn new() -> Self {
        Texts(
            [const {
                Place {
                    object: Cell::new(std::ptr::null_mut()),
                    len: Cell::new(0),
                    bytes: UnsafeCell::new([0; LONGEST]),
                }
            }; PLACES],
        )
    }

    /// Where a string is, if it is there. `None`: it is too long, or so short that CPython has it.
    #[inline]
    fn place(&self, text: &[u8]) -> Option<&Place> {
        let mixed = if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            if text.len() > LONGEST {
                return None;
            }
            let [first, last] = [first, last].map(|it| u64::from(u32::from_ne_bytes(*it)));
            first << 32 | last
        } else {
            let (first, last) = (text.first_chunk::<2>()?, text.last_chunk::<2>()?);
            u64::from(u16::from_ne_bytes(*first)) << 32 | u64::from(u16::from_ne_bytes(*last))
        };
        let mixed = mixed ^ (text.len() as u64) << 29;
        // The upper bits of a product depend on all of it.
        let number = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES.ilog2());
        self.0.get(number as usize)
    }

    /// A string that was [kept](Self::keep).
    ///
    /// # Safety
    /// Attached to the interpreter whose strings these are.
    #[inline]
    pub(crate) unsafe fn find(&self, text: &str) -> Option<Owned> {
        let text = text.as_bytes();
        let place = self.place(text)?;
        // SAFETY: guarded by the GIL; no other thread writes meanwhile.
        let known = unsafe { &(&*place.bytes.get())[..usize::from(place.len.get())] };
        // SAFETY: attached; it is kept.
        (known == text).then(|| unsafe { Owned::from_borrowed(place.object.get()) })
    }

    /// Keeps a string that was just made, if there is a place for it.
    ///
    /// # Safety
    /// As [`find`](Self::find); a living `str` that says this.
    pub(crate) unsafe fn keep(&self, text: &str, object: &Owned) {
        let Some(place) = self.place(text.as_bytes()) else {
            return;
        };
        let old = place.object.replace(object.clone().into_ptr());
        place.len.set(text.len() as u8);
        // SAFETY: guarded by the GIL; no other thread reads meanwhile.
        unsafe { (&mut *place.bytes.get())[..text.len()].copy_from_slice(text.as_bytes()) };
        release_text(old);
    }

    /// Gives everything back.
    pub(super) fn clear(&self) {
        for place in &self.0 {
            place.len.set(0);
            release_text(place.object.replace(std::ptr::null_mut()));
        }
    }
}

/// A string's end runs no foreign code.
fn release_text(object: *mut py::PyObject) {
    if !object.is_null() {
        // SAFETY: attached; the reference was the place's.
        unsafe { running::decref(object) }
    }
}
