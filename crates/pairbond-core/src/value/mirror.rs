//! [`Mirror`]: the objects of a language that a container's elements, or keys and values, are to it, remembered from one look to the next.
//!
//! A frontend that is asked for the same elements again and again would find each out anew: take the container's lock, look at the kind of value, at the
//! object's pair, make an `int` or `str`. It remembers instead, by place, and a look is a load and a few compares. Of maps and sets it remembers too at
//! which place which key is, so that looking one up takes no lock.
//!
//! # Promises
//! 1. What is remembered is alive. Objects that the container itself keeps (wrappers of native objects, foreign ones, constants of the language) are
//!    *borrowed*: they count for nothing, so that collectors, dormancy and `trim` see what they would see without a mirror. Made ones (a `str`) are owned, up to some number.
//! 2. Native threads pay nothing: they change the container's version, as they do anyhow.
//! 3. What is remembered costs two or five words per element, and begins when as many looks were spent as an eighth of them.
//!
//! # Why a borrowed object is alive
//! It is valid while three numbers are what they were: the container's version (so the container still owns the element), the process's count of
//! [`cuts`] (so no object has lost its wrapper since), and the tag. A thread that removes the element *now*, after the version was read, cannot free the object of
//! the language: it is not attached, so it leaves the release to a thread that is, and the frontend's one lock is ours.
//!
//! # Who may touch it
//! Whoever is attached to the interpreter that the container's own pair names, and holds the lock of that interpreter. So nobody may where
//! there is no such lock (free-threaded CPython), nor in an interpreter that the container is a guest of. Its end comes with the container's, on any thread.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::mirror_index::Sought;
use super::remembered::Remembered;
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

/// What looking for a key came to.
#[derive(Clone, Copy, Debug)]
pub enum Seek {
    /// It is there, with this value if that is remembered.
    At(Option<NonNull<c_void>>),
    /// It is not there.
    Absent,
    /// Whoever has the key must be asked.
    Unknown,
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

    /// The key and value at a place.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    #[must_use]
    pub unsafe fn pair(&self, version: usize, place: usize) -> Option<(NonNull<c_void>, NonNull<c_void>)> {
        // SAFETY: passed on.
        let all = unsafe { self.current(version) }?;
        Some((
            NonNull::new(*all.places.get(place)?)?,
            NonNull::new(*all.values.get(place)?)?,
        ))
    }

    /// The value at a place.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    #[must_use]
    pub unsafe fn value(&self, version: usize, place: usize) -> Option<NonNull<c_void>> {
        // SAFETY: passed on.
        NonNull::new(*unsafe { self.current(version) }?.values.get(place)?)
    }

    /// Looks for a key by its hash; `is` says whether a remembered key is the one, if that can be said without running foreign code.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    pub unsafe fn seek(
        &self,
        version: usize,
        hash: i64,
        mut is: impl FnMut(*mut c_void) -> Option<bool>,
    ) -> Seek {
        // SAFETY: passed on.
        let Some(all) = (unsafe { self.current(version) }) else {
            return Seek::Unknown;
        };
        let known = |place: usize| {
            let key = all.places.get(place).copied()?;
            if key.is_null() { None } else { is(key) }
        };
        match all.index.find(hash, known) {
            Sought::Unknown => Seek::Unknown,
            Sought::Absent => Seek::Absent,
            Sought::At(place) => Seek::At(all.values.get(place).and_then(|value| NonNull::new(*value))),
        }
    }

    #[inline(always)]
    unsafe fn places(&self, version: usize) -> Option<&[*mut c_void]> {
        // SAFETY: passed on.
        Some(&unsafe { self.current(version) }?.places)
    }

    #[inline(always)]
    unsafe fn current(&self, version: usize) -> Option<&Remembered> {
        // SAFETY: promised: nobody changes it meanwhile.
        let all = unsafe { self.0.load(Ordering::Relaxed).as_ref() }?;
        all.is_current(version).then_some(all)
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
    /// Goes on to the next version of a sequence, which differs at one index only: there is `object` now (null: not known).
    ///
    /// # Safety
    /// See the head of this file. The object is one that stays.
    #[inline]
    pub unsafe fn follow(&self, version: usize, index: usize, object: *mut c_void) {
        // SAFETY: promised: nobody else looks or changes it meanwhile.
        let Some(all) = (unsafe { self.0.load(Ordering::Relaxed).as_mut() }) else {
            return;
        };
        if all.is_current(version) && !all.places.is_empty() {
            if let Some(place) = all.places.get_mut(index) {
                *place = object;
            } else if index == all.places.len() {
                all.places.push(object);
            } else {
                return;
            }
            all.version = version.wrapping_add(1);
        }
    }

    /// The same of a map: only the value at a place is another.
    ///
    /// # Safety
    /// As [`follow`](Self::follow).
    #[inline]
    pub unsafe fn follow_value(&self, version: usize, place: usize, object: *mut c_void) {
        // SAFETY: promised: nobody else looks or changes it meanwhile.
        let all = unsafe { self.0.load(Ordering::Relaxed).as_mut() };
        if let Some(all) = all
            && all.is_current(version)
            && let Some(value) = all.values.get_mut(place)
        {
            *value = object;
            all.version = version.wrapping_add(1);
        }
    }

    /// The same of a map or set: a key came, with that hash and at that place, which is the last.
    ///
    /// # Safety
    /// As [`follow`](Self::follow).
    pub unsafe fn follow_key(&self, version: usize, place: usize, hash: i64) {
        // SAFETY: promised: nobody else looks or changes it meanwhile.
        let all = unsafe { self.0.load(Ordering::Relaxed).as_mut() };
        if let Some(all) = all
            && all.is_current(version)
            && !all.places.is_empty()
            && place == all.places.len()
            && all.index.add(place, hash)
        {
            if !all.values.is_empty() {
                all.values.push(std::ptr::null_mut());
            }
            all.places.push(std::ptr::null_mut());
            all.version = version.wrapping_add(1);
        }
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
