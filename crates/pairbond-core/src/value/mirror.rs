//! [`Mirror`]: the objects of a language that a sequence's elements are to it, remembered from one look to the next.
//!
//! A frontend that is asked for the same elements again and again would find each out anew: take the sequence's lock, look at the kind of value, at the
//! object's pair, make an `int` or `str`. It remembers instead, by place, and a look is a load and a few compares.
//!
//! # Promises
//! 1. What is remembered is alive. Objects that the sequence itself keeps (wrappers of native objects, foreign ones, constants of the language) are
//!    *borrowed*: they count for nothing, so that collectors, dormancy and `trim` see what they would see without a mirror. Made ones (a `str`) are owned, up to some number.
//! 2. Native threads pay nothing: they change the sequence's version, as they do anyhow.
//!
//! # Why a borrowed object is alive
//! It is valid while three numbers are what they were: the sequence's version (so the sequence still owns the element), the process's count of
//! [`cuts`] (so no object has lost its wrapper since), and the tag. A thread that removes the element *now*, after the version was read, cannot free the object of
//! the language: it is not attached, so it leaves the release to a thread that is, and the frontend's one lock is ours.
//!
//! # Who may touch it
//! Whoever is attached to the interpreter that the sequence's own pair names, and holds the lock of that interpreter. So nobody may where
//! there is no such lock (free-threaded CPython), nor in an interpreter that the sequence is a guest of. Its end comes with the sequence's, on any thread.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::frontend::frontend;
use crate::runtime::runtime;
use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// How often an object lost its wrapper while it lived on, in this process.
#[inline]
#[must_use]
pub fn cuts() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*runtime().cuts }
}

/// See the head of this file.
#[derive(Debug)]
pub struct Mirror(AtomicPtr<Remembered>);

/// What is remembered of one version of a sequence.
#[derive(Debug)]
pub struct Remembered {
    tag: u16,
    version: usize,
    cuts: usize,
    cut: &'static AtomicUsize,
    looks: usize,
    /// By place; null where it is not known. Empty until enough was looked at.
    places: Vec<*mut c_void>,
    owned: Vec<*mut c_void>,
}

impl Mirror {
    pub(super) const fn new() -> Self {
        Mirror(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// What the element at `index` is (counted from the end when negative), if that is known of this version.
    ///
    /// # Safety
    /// See the head of this file; the object is used or counted before anything else is done.
    #[inline(always)]
    #[must_use]
    pub unsafe fn get(&self, version: usize, index: isize) -> Option<NonNull<c_void>> {
        // SAFETY: passed on.
        let places = unsafe { self.places(version) }?;
        let index = if index < 0 {
            index.wrapping_add_unsigned(places.len())
        } else {
            index
        };
        // Negative ones are far beyond the end now.
        NonNull::new(*places.get(index as usize)?)
    }

    /// The same, not counted from the end.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    #[must_use]
    pub unsafe fn get_from_start(&self, version: usize, index: usize) -> Option<NonNull<c_void>> {
        // SAFETY: passed on.
        NonNull::new(*unsafe { self.places(version) }?.get(index)?)
    }

    #[inline(always)]
    unsafe fn places(&self, version: usize) -> Option<&[*mut c_void]> {
        // SAFETY: promised: nobody changes it meanwhile.
        let all = unsafe { self.0.load(Ordering::Relaxed).as_ref() }?;
        all.is_current(version).then_some(&all.places)
    }

    /// What is remembered of this version, which may be nothing yet.
    ///
    /// # Safety
    /// See the head of this file; the tag is the interpreter's. What is returned is used before foreign code runs.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn remembered(&self, tag: u16, version: usize) -> &mut Remembered {
        let mut all = self.0.load(Ordering::Relaxed);
        if all.is_null() {
            all = Box::into_raw(Box::new(Remembered::new(tag, version)));
            self.0.store(all, Ordering::Relaxed);
        }
        // SAFETY: promised: nobody else looks; made above or earlier by the same rules, and freed with the sequence.
        let all = unsafe { &mut *all };
        if all.tag != tag || !all.is_current(version) {
            all.start_again(tag, version);
        }
        all
    }
}

impl Mirror {
    /// Goes on to the next version, which differs at one index only: what was there is forgotten.
    ///
    /// # Safety
    /// See the head of this file.
    pub unsafe fn follow(&self, version: usize, index: usize) {
        // SAFETY: promised: nobody else looks or changes it meanwhile.
        let Some(all) = (unsafe { self.0.load(Ordering::Relaxed).as_mut() }) else {
            return;
        };
        if all.is_current(version) && !all.places.is_empty() {
            if let Some(place) = all.places.get_mut(index) {
                *place = std::ptr::null_mut();
            } else if index == all.places.len() {
                all.places.push(std::ptr::null_mut());
            } else {
                return;
            }
            all.version = version.wrapping_add(1);
        }
    }
}

impl Remembered {
    fn new(tag: u16, version: usize) -> Self {
        let cut = cuts();
        Remembered {
            tag,
            version,
            cuts: cut.load(Ordering::Acquire),
            cut,
            looks: 0,
            places: Vec::new(),
            owned: Vec::new(),
        }
    }

    #[inline]
    fn is_current(&self, version: usize) -> bool {
        self.version == version && self.cuts == self.cut.load(Ordering::Acquire)
    }

    fn start_again(&mut self, tag: u16, version: usize) {
        self.release();
        self.places.clear();
        (self.tag, self.version, self.looks) = (tag, version, 0);
        self.cuts = self.cut.load(Ordering::Acquire);
    }

    fn release(&mut self) {
        for object in self.owned.drain(..) {
            // SAFETY: a counted reference of that frontend's, given away.
            unsafe { frontend(self.tag).release(object) }
        }
    }

    /// Counts a look at a sequence of that length. Whether it is time to remember all of it: when that costs no more than what was spent already.
    pub fn is_worth_it(&mut self, len: usize) -> bool {
        if !self.places.is_empty() {
            return false;
        }
        self.looks += 1;
        self.looks >= 4 && self.looks >= len / 8
    }

    /// Room for `len` elements, to be filled in with objects that live as long as the sequence keeps the elements of this version.
    pub fn places(&mut self, len: usize) -> &mut [*mut c_void] {
        self.places.clear();
        self.places.resize(len, std::ptr::null_mut());
        &mut self.places
    }

    /// Whether an object could be remembered at a place.
    #[must_use]
    pub fn has_room(&self, index: usize) -> bool {
        self.places.get(index).is_some_and(|place| place.is_null())
    }

    /// Remembers an object that the sequence keeps.
    pub fn borrow(&mut self, index: usize, object: *mut c_void) {
        if let Some(place) = self.places.get_mut(index) {
            *place = object;
        }
    }

    /// Whether there is room for another object of the mirror's own: what native code holds compactly must not grow without bound by being looked at.
    #[must_use]
    pub fn may_own(&self) -> bool {
        self.owned.len() < 4096
    }

    /// Remembers an object that was made for the element.
    ///
    /// # Safety
    /// A counted reference of the interpreter's, which is given away.
    pub unsafe fn own(&mut self, index: usize, object: *mut c_void) {
        self.owned.push(object);
        self.borrow(index, object);
    }
}

impl Drop for Remembered {
    fn drop(&mut self) {
        self.release();
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        let all = *self.0.get_mut();
        if !all.is_null() {
            // SAFETY: made by `Box::into_raw`, and nobody else is left.
            drop(unsafe { Box::from_raw(all) });
        }
    }
}
