//! [`ObjectCache`]: the objects that a language made for a sequence's elements (a `str` for a
//! string), kept from one look to the next where no lock guards an interpreter. Where there is one
//! a [`ElementCache`](super::ElementCache) knows more.
//!
//! # Promises
//! 1. Cached objects are alive: each is owned, until the sequence ends or its elements are others.
//!    It was made for this, is immutable and refers to nothing, so that collectors, dormancy and
//!    `trim` can ignore it.
//! 2. Native threads pay nothing: they change the sequence's version, as they do anyhow.
//! 3. It costs a word for each of the first [`MOST`] elements, and begins when as many looks were
//!    spent as an eighth of them.
//!
//! # Who may touch it
//! A list's: the holder of the list's lock, under which the version changes too. Outdated objects
//! are handed out, to be dropped without the lock. A tuple's: any thread, at any time. Its version
//! never changes, so that nothing which was published is taken back before its end; each place is
//! filled once.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::frontend::frontend_of;
use crate::memory::{try_box, try_collect};
use crate::sync::atomic::{AtomicPtr, Ordering};

/// For how many elements objects are kept: what native code holds compactly must not grow without
/// bound by being looked at.
pub const MOST: usize = 4096;

/// See the head of this file. The word is an address, or with its lowest bit set the number of
/// looks so far.
#[derive(Debug)]
pub struct ObjectCache(AtomicPtr<Objects>);

/// The objects for the elements of one version.
#[derive(Debug)]
pub struct Objects {
    tag: u16,
    version: usize,
    /// Each null until there is one, which stays.
    places: Box<[AtomicPtr<c_void>]>,
}

/// The result of offering an object.
#[derive(Debug)]
pub struct Offered {
    /// It belongs to the sequence now.
    pub is_kept: bool,
    /// Objects of elements that no longer exist.
    pub outdated: Option<Box<Objects>>,
}

fn lookups_of(number: usize) -> *mut Objects {
    std::ptr::without_provenance_mut(number << 1 | 1)
}

impl ObjectCache {
    /// Empty, and without lookups.
    #[must_use]
    pub fn new() -> Self {
        ObjectCache(AtomicPtr::new(lookups_of(0)))
    }

    #[inline(always)]
    fn objects(&self) -> Option<&Objects> {
        let word = self.0.load(Ordering::Acquire);
        if word.addr() & 1 != 0 {
            return None;
        }
        // SAFETY: published by `offer`, and taken back under the same lock or at the end only.
        Some(unsafe { &*word })
    }

    /// The object that is kept for the element at a place.
    ///
    /// # Safety
    /// See the head of this file; the version is the sequence's.
    #[inline(always)]
    #[must_use]
    pub unsafe fn get(&self, tag: u16, version: usize, at: usize) -> Option<NonNull<c_void>> {
        let all = self.objects()?;
        if all.tag != tag || all.version != version {
            return None;
        }
        NonNull::new(all.places.get(at)?.load(Ordering::Acquire))
    }

    /// Offers an object that was made for the element at a place. It is kept from the look on at
    /// which that is worth it.
    ///
    /// # Safety
    /// See the head of this file; the version is the sequence's, and `len` its length. The object
    /// is one for that element, and a counted reference of the interpreter of that tag, given away
    /// if it is kept.
    pub unsafe fn offer_object(
        &self,
        tag: u16,
        version: usize,
        len: usize,
        at: usize,
        object: NonNull<c_void>,
    ) -> Offered {
        let mut offered = Offered {
            is_kept: false,
            outdated: None,
        };
        if self.objects().is_some_and(|all| all.version != version) {
            let old = self.0.swap(lookups_of(0), Ordering::AcqRel);
            // SAFETY: made by `Box::into_raw`; the sequence changed, so that the lock is held and
            // no other thread looks.
            offered.outdated = Some(unsafe { Box::from_raw(old) });
        }
        if at < MOST
            && let Some(all) = self.objects_for(tag, version, len)
            && all.tag == tag
            && let Some(place) = all.places.get(at)
        {
            offered.is_kept = place
                .compare_exchange(
                    std::ptr::null_mut(),
                    object.as_ptr(),
                    Ordering::Release,
                    Ordering::Relaxed,
                )
                .is_ok();
        }
        offered
    }

    /// Counts a look; the places, made when it is time to.
    fn objects_for(&self, tag: u16, version: usize, len: usize) -> Option<&Objects> {
        let word = self.0.load(Ordering::Acquire);
        if word.addr() & 1 == 0 {
            return self.objects();
        }
        let number = (word.addr() >> 1) + 1;
        let is_worth_it = number >= 4 && number >= len / 8;
        let next = if is_worth_it {
            let places = (0..len.min(MOST)).map(|_| AtomicPtr::new(std::ptr::null_mut()));
            let places = try_collect(places).ok()?;
            Box::into_raw(try_box(Objects {
                tag,
                version,
                places: places.into(),
            })?)
        } else {
            lookups_of(number)
        };
        let exchanged = self
            .0
            .compare_exchange(word, next, Ordering::AcqRel, Ordering::Acquire);
        if exchanged.is_err() && is_worth_it {
            // SAFETY: made above, and not shared.
            drop(unsafe { Box::from_raw(next) });
        }
        self.objects()
    }
}

impl Default for ObjectCache {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ObjectCache {
    fn drop(&mut self) {
        let word = self.0.load(Ordering::Acquire);
        if word.addr() & 1 == 0 {
            // SAFETY: made by `Box::into_raw`, and no other thread is left.
            drop(unsafe { Box::from_raw(word) });
        }
    }
}

impl Objects {
    /// The cached objects, for checks that nothing is lost.
    pub fn iter(&self) -> impl Iterator<Item = NonNull<c_void>> + '_ {
        self.places
            .iter()
            .filter_map(|place| NonNull::new(place.load(Ordering::Acquire)))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        for object in self.iter() {
            // SAFETY: a counted reference of that frontend's, given away.
            unsafe { frontend_of(self.tag).release_wrapper(object.as_ptr()) }
        }
    }
}
