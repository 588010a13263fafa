//! Keys and values of maps and sets on their way to Python: those that the container's cache
//! remembers, and how it comes to.
//!
//! As `elements` for lists and tuples, by the same rules (`value/element_cache.rs`). Only an exact
//! `str` or `int` is looked for here: comparing those runs no code.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use pairbond_core::error::Error;
use pairbond_value::value::{CacheEntry, MapBody, Seek, Step, Table, detach_epoch};
use pyo3_ffi as py;

use super::elements::{Kept, body_with_cache, kept_by, may_use_cache};
use super::keyed::Keyed;
use super::values::hash_of_small;
use super::values::{Found, PyKey, found_value};
use crate::heap_types::support::Object_;
use crate::interp;
use crate::owned::Owned;
use crate::wrapper::Wrapper;

/// Looks for a key in the cache.
///
/// # Safety
/// Attached; a wrapper, and an object.
#[inline(always)]
pub(super) unsafe fn seek_key<T: Keyed>(this: Object_, key: Object_) -> Seek {
    // SAFETY: attached; a wrapper, and an object: the caller ensures it. The cache is this
    // interpreter's, whose lock we have; comparing runs no code.
    unsafe {
        let Some(body) = body_with_cache::<T>(this) else {
            return Seek::Unknown;
        };
        let version = body.version().load(Ordering::Acquire);
        check_epoch(this, body, version);
        if let Some(int) = crate::ints::small(key) {
            // Other numbers may be equal.
            let is = |known: *mut c_void| {
                let known = known.cast::<py::PyObject>();
                if known == key {
                    return Some(true);
                }
                crate::ints::small(known).map(|known| known == int)
            };
            return body
                .element_cache()
                .find_key(this.cast(), version, hash_of_small(int), is);
        }
        let text = &raw mut py::PyUnicode_Type;
        if py::Py_TYPE(key) != text || !super::text_hash::is_pythons() {
            return Seek::Unknown;
        }
        let is = |known: *mut c_void| {
            let known = known.cast::<py::PyObject>();
            if known == key {
                return Some(true);
            }
            (py::Py_TYPE(known) == text).then(|| py::PyUnicode_Compare(known, key) == 0)
        };
        body.element_cache()
            .find_key(this.cast(), version, super::text_hash::hash_of(key), is)
    }
}

/// Panics in debug builds if the cache remembers places of that version which the table has moved
/// since.
///
/// # Safety
/// As [`seek_key`]; a wrapper of `body`.
#[inline(always)]
pub(super) unsafe fn check_epoch<T: Keyed>(this: Object_, body: &T, version: usize) {
    if cfg!(debug_assertions) {
        body.with_table(|table| {
            // SAFETY: attached; `this` is a wrapper of `body`: the caller ensures it. The version
            // is compared under the lock that guards changes of it.
            let epoch = unsafe { body.element_cache().cached_epoch(this.cast(), version) };
            if body.version().load(Ordering::Acquire) == version
                && let Some(epoch) = epoch
            {
                assert_eq!(
                    epoch,
                    table.epoch(),
                    "a cache outlived a move of its table's places"
                );
            }
        });
    }
}

/// The value of a key, if it is at hand.
///
/// # Safety
/// As [`seek_key`].
#[inline(always)]
pub(super) unsafe fn cached_value<T: Keyed>(this: Object_, key: Object_) -> Option<Owned> {
    // SAFETY: attached; a wrapper, and an object: the caller ensures it. Remembered objects are
    // alive.
    unsafe {
        match seek_key::<T>(this, key) {
            Seek::At(Some(value)) => Some(Owned::from_borrowed(value.as_ptr().cast())),
            _ => None,
        }
    }
}

/// An entry on its way out of a table.
pub(super) struct Seen {
    pub(super) place: usize,
    pub(super) key: Option<Found>,
    pub(super) value: Option<Found>,
    pub(super) version: usize,
    len: usize,
}

impl Seen {
    #[inline]
    pub(super) fn of<T: Keyed>(
        table: &Table<T::Value>,
        place: usize,
        key: bool,
        value: bool,
    ) -> Option<Self> {
        let entry = table.entry_at(place)?;
        Some(Seen {
            place,
            key: key.then(|| found_value(&entry.key)),
            value: T::value(&entry.value).filter(|_| value).map(found_value),
            version: table.version(),
            len: table.len(),
        })
    }
}

impl Seen {
    /// Place, version and length: what a look was at.
    #[inline]
    pub(super) fn look(&self) -> (usize, usize, usize) {
        (self.place, self.version, self.len)
    }
}

/// Where in a cache something may be remembered.
pub(super) struct Spot<'a> {
    all: &'a mut CacheEntry,
    place: usize,
}

impl Spot<'_> {
    fn keep(&mut self, kept: Kept, object: &Owned) -> bool {
        match kept {
            Kept::Made if self.all.may_own() => {
                // SAFETY: a reference of its own.
                unsafe { self.all.keep_object(object.clone().into_ptr().cast()) };
                true
            }
            Kept::Elsewhere => true,
            Kept::Made | Kept::No => false,
        }
    }

    pub(super) fn key(&mut self, kept: Kept, object: &Owned) {
        if self.all.has_room(self.place) && self.keep(kept, object) {
            self.all.borrow(self.place, object.as_ptr().cast());
        }
    }

    pub(super) fn value(&mut self, kept: Kept, object: &Owned) {
        if self.all.has_room_for_value(self.place) && self.keep(kept, object) {
            self.all.borrow_value(self.place, object.as_ptr().cast());
        }
    }
}

/// Counts a look at a place of that version, and gives where it can be remembered; all is filled in
/// when it is time to.
///
/// # Safety
/// Attached; a wrapper of `body`. `cut` was read before the look.
pub(super) unsafe fn spot_place<'a, T: Keyed>(
    this: Object_,
    body: &'a T,
    (place, version, len): (usize, usize, usize),
    cut: usize,
) -> Option<Spot<'a>> {
    // SAFETY: attached; a wrapper of `body`, whose object is alive: the caller ensures it.
    if !unsafe { may_use_cache(this, &*(*this.cast::<Wrapper>()).native) } {
        return None;
    }
    // SAFETY: a wrapper of `body`; the cache is this interpreter's.
    let all = unsafe {
        body.element_cache()
            .entry_for_update(interp::tag(), this.cast(), version)
    }?;
    if all.is_worth_it(len) {
        body.with_table(|table| {
            if body.version().load(Ordering::Acquire) == version {
                fill_cache::<T>(all, table);
            }
        });
    }
    // SAFETY: attached; a wrapper of `body`.
    unsafe { check_epoch(this, body, version) };
    (detach_epoch().load(Ordering::Acquire) == cut).then_some(Spot { all, place })
}

fn fill_cache<T: Keyed>(all: &mut CacheEntry, table: &Table<T::Value>) {
    let has_values = size_of::<T::Value>() != 0;
    let entries = || {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (place, entry) = table.next(at)?;
            at = place + 1;
            Some((place, entry))
        })
    };
    let hashes = Known {
        left: table.len(),
        iterator: entries().map(|(place, entry)| (place, entry.hash())),
    };
    let Some((keys, values)) = all.reserve_table(table.epoch(), table.end(), has_values, hashes) else {
        return;
    };
    for (place, entry) in entries() {
        keys[place] = kept_by(&entry.key).cast();
        if let Some(value) = T::value(&entry.value) {
            values[place] = kept_by(value).cast();
        }
    }
}

/// An iterator whose length is known from elsewhere.
struct Known<I> {
    left: usize,
    iterator: I,
}

impl<I: Iterator> Iterator for Known<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.saturating_sub(1);
        self.iterator.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Known<I> {}

/// The value of a key; `None` without it.
///
/// # Safety
/// Attached; a wrapper of `body`, and an object.
pub(super) unsafe fn value_of<T: Keyed>(
    this: Object_,
    body: &T,
    key: Object_,
) -> Result<Option<Owned>, Error> {
    // SAFETY: attached; a wrapper of `body`, and an object: the caller ensures it.
    let wanted = unsafe { PyKey::of(body, key) }?;
    let cut = detach_epoch().load(Ordering::Acquire);
    let seen = body.locate(wanted.hash, wanted.as_ref(), |table, place| {
        let seen = Seen::of::<T>(table, place?, false, true)?;
        let plain = wanted.is_stored_as(&table.entry_at(seen.place)?.key);
        Some((seen, plain))
    })?;
    let Some((
        Seen {
            place,
            value,
            version,
            len,
            ..
        },
        plain,
    )) = seen
    else {
        return Ok(None);
    };
    let value = value.ok_or_else(|| Error::runtime_error("a set has no values"))?;
    let kept = value.kept();
    let object = value.object()?;
    // SAFETY: attached; a wrapper of `body`, and an object: the caller ensures it.
    unsafe {
        if plain && let Some(mut spot) = spot_place(this, body, (place, version, len), cut) {
            spot.key(Kept::Made, &Owned::from_borrowed(key));
            spot.value(kept, &object);
        }
    }
    Ok(Some(object))
}

/// Whether a key is there.
///
/// # Safety
/// Attached; a wrapper of `body`, and an object with its key.
pub(super) unsafe fn has_key<T: Keyed>(
    this: Object_,
    body: &T,
    key: Object_,
    wanted: &PyKey<'_>,
) -> Result<bool, Error> {
    let cut = detach_epoch().load(Ordering::Acquire);
    let (place, version, len) = body.locate(wanted.hash, wanted.as_ref(), |table, place| {
        let plain = |place| Some((place, wanted.is_stored_as(&table.entry_at(place)?.key)));
        (place.and_then(plain), table.version(), table.len())
    })?;
    // That one is not there is known too, once all are known.
    let at = place.map_or(usize::MAX, |(place, _)| place);
    // SAFETY: attached; a wrapper of `body`, and an object with its key: the caller ensures it.
    if let Some(mut spot) = unsafe { spot_place(this, body, (at, version, len), cut) }
        && let Some((_, true)) = place
    {
        // SAFETY: attached; a wrapper of `body`, and an object with its key: the caller ensures it.
        spot.key(Kept::Made, &unsafe { Owned::from_borrowed(key) });
    }
    Ok(place.is_some())
}

/// Lets the cache of a map follow a step of its table. `object` is what [`kept_by`] returned for a
/// value that was stored, under the table's lock.
///
/// # Safety
/// Attached; a wrapper of `map`.
#[inline]
pub(super) unsafe fn note_stored(this: Object_, map: &MapBody, step: Step, object: Object_) {
    // SAFETY: `this` is a wrapper of `map`, so its object is alive; the cache is this
    // interpreter's, whose lock the caller holds.
    unsafe {
        if may_use_cache(this, &*(*this.cast::<Wrapper>()).native) {
            map.entries().element_cache().follow_step(step, object.cast());
        }
    }
}
