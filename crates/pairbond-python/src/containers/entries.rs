//! Reading the entries of maps and sets one at a time, each under the lock, and detecting keys that
//! were added or removed since.

use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pairbond_value::value::{ElementCache, FrozenMapBody, MapBody, SetBody, Table, detach_epoch};
use pyo3_ffi as py;

use super::keyed::Keyed;
use super::map_cache::{Seen, check_epoch, spot_place};
use super::values::Found;
use crate::errors::owned_or_error;
use crate::heap_types::support::{Object_, as_body};
use crate::owned::Owned;

/// The part of an entry that an iterator or view returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Part {
    Keys,
    Values,
    Items,
}

/// A container with entries.
#[derive(Clone, Copy)]
pub(super) enum Entries<'a> {
    Map(&'a MapBody),
    Frozen(&'a FrozenMapBody),
    Set(&'a SetBody),
}

/// One entry on its way out.
pub(super) struct Row<'a> {
    seen: Seen,
    entries: Entries<'a>,
    cut: usize,
}

impl Row<'_> {
    #[inline]
    pub(super) fn place(&self) -> usize {
        self.seen.place
    }

    #[inline]
    pub(super) fn version(&self) -> usize {
        self.seen.version
    }

    /// The key, the value, or a tuple of both; remembered, where `this` is the container's wrapper
    /// and not null.
    ///
    /// # Safety
    /// Attached.
    pub(super) unsafe fn object(self, this: Object_) -> Result<Owned, Error> {
        // SAFETY: attached: the caller ensures it.
        match unsafe { self.parts(this) }? {
            (Some(key), Some(value)) => pack_pair(key, value),
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => Err(no_values()),
        }
    }

    /// Key and value. The thread is attached.
    pub(super) fn pair(self) -> Result<(Owned, Owned), Error> {
        // SAFETY: attached: the caller ensures it.
        match unsafe { self.parts(std::ptr::null_mut()) }? {
            (Some(key), Some(value)) => Ok((key, value)),
            _ => Err(no_values()),
        }
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `this` alive.
    unsafe fn parts(self, this: Object_) -> Result<(Option<Owned>, Option<Owned>), Error> {
        let Row { seen, entries, cut } = self;
        let look = seen.look();
        let kept = |found: &Option<Found>| found.as_ref().map(Found::kept);
        let (key_kept, value_kept) = (kept(&seen.key), kept(&seen.value));
        let key = seen.key.map(Found::object).transpose()?;
        let value = seen.value.map(Found::object).transpose()?;
        // SAFETY: `this` is null or a living wrapper of the container that `entries` is of.
        let spot = unsafe {
            match entries {
                _ if this.is_null() => None,
                Entries::Map(map) => spot_place(this, map, look, cut),
                Entries::Frozen(map) => spot_place(this, map, look, cut),
                Entries::Set(set) => spot_place(this, set, look, cut),
            }
        };
        if let Some(mut spot) = spot {
            if let (Some(kept), Some(key)) = (key_kept, &key) {
                spot.key(kept, key);
            }
            if let (Some(kept), Some(value)) = (value_kept, &value) {
                spot.value(kept, value);
            }
        }
        Ok((key, value))
    }
}

#[cold]
fn no_values() -> Error {
    Error::runtime_error("a set has no values")
}

/// A tuple of two.
#[inline]
pub(super) fn pack_pair(key: Owned, value: Owned) -> Result<Owned, Error> {
    // SAFETY: attached; a new tuple, each place of which is filled once.
    unsafe {
        let tuple = owned_or_error(py::PyTuple_New(2))?;
        py::PyTuple_SET_ITEM(tuple.as_ptr(), 0, key.into_ptr());
        py::PyTuple_SET_ITEM(tuple.as_ptr(), 1, value.into_ptr());
        Ok(tuple)
    }
}

/// The shape of the container that an iterator expects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) len: usize,
    epoch: u64,
}

impl<'a> Entries<'a> {
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    pub(super) unsafe fn of(object: Object_) -> Option<Self> {
        // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
        unsafe {
            as_body::<MapBody>(object)
                .map(Entries::Map)
                .or_else(|| as_body::<FrozenMapBody>(object).map(Entries::Frozen))
                .or_else(|| as_body::<SetBody>(object).map(Entries::Set))
        }
    }

    pub(super) fn len(self) -> usize {
        self.shape().0.len
    }

    /// Length and epoch, and the end.
    pub(super) fn shape(self) -> (Shape, usize) {
        fn of<V>(table: &Table<V>) -> (Shape, usize) {
            let shape = Shape {
                len: table.len(),
                epoch: table.epoch(),
            };
            (shape, table.end())
        }
        match self {
            Entries::Map(map) => map.entries().read(of),
            Entries::Frozen(map) => of(map.table()),
            Entries::Set(set) => set.entries().read(of),
        }
    }

    pub(super) fn cache_and_version(self) -> (&'a ElementCache, &'a AtomicUsize) {
        match self {
            Entries::Map(map) => (Keyed::element_cache(map), map.version()),
            Entries::Frozen(map) => (Keyed::element_cache(map), map.version()),
            Entries::Set(set) => (Keyed::element_cache(set), set.version()),
        }
    }

    /// As [`check_epoch`](super::map_cache::check_epoch).
    ///
    /// # Safety
    /// Attached; `this` is the container's wrapper.
    #[inline(always)]
    pub(super) unsafe fn check_epoch(self, this: Object_, version: usize) {
        // SAFETY: attached; `this` is the container's wrapper: the caller ensures it.
        unsafe {
            match self {
                Entries::Map(map) => check_epoch(this, map, version),
                Entries::Frozen(map) => check_epoch(this, map, version),
                Entries::Set(set) => check_epoch(this, set, version),
            }
        }
    }

    /// The next entry at or behind a place (before it, backwards); an error when the container has
    /// another shape than expected.
    #[inline]
    pub(super) fn step(
        self,
        at: usize,
        backwards: bool,
        expected: Option<Shape>,
        part: Part,
    ) -> Result<Option<Row<'a>>, Error> {
        let cut = detach_epoch().load(Ordering::Acquire);
        let step = match self {
            Entries::Map(map) => {
                map.with_table(|table| next_entry::<MapBody>(table, at, backwards, expected, part))
            }
            Entries::Frozen(map) => next_entry::<FrozenMapBody>(map.table(), at, backwards, None, part),
            Entries::Set(set) => {
                set.with_table(|table| next_entry::<SetBody>(table, at, backwards, expected, part))
            }
        };
        match step {
            Ok(seen) => Ok(seen.map(|seen| Row {
                seen,
                entries: self,
                cut,
            })),
            Err(same_len) => Err(self.changed_error(same_len)),
        }
    }

    #[cold]
    pub(super) fn changed_error(self, same_len: bool) -> Error {
        let name = match self {
            Entries::Map(_) => "map",
            Entries::Frozen(_) => "frozen map",
            Entries::Set(_) => "set",
        };
        Error::runtime_error(if same_len {
            format!("{name} keys changed during iteration")
        } else {
            format!("{name} changed size during iteration")
        })
    }

    /// Calls `each` with every entry, looking anew each time: it may run anything.
    pub(super) fn for_each(
        self,
        part: Part,
        mut each: impl FnMut(Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (shape, _) = self.shape();
        let mut at = 0;
        while let Some(row) = self.step(at, false, Some(shape), part)? {
            at = row.place() + 1;
            each(row)?;
        }
        Ok(())
    }
}

/// One step under the lock. The error says whether the length at least is the same.
#[inline]
fn next_entry<T: Keyed>(
    table: &Table<T::Value>,
    at: usize,
    backwards: bool,
    expected: Option<Shape>,
    part: Part,
) -> Result<Option<Seen>, bool> {
    if let Some(expected) = expected
        && (table.len() != expected.len || table.epoch() != expected.epoch)
    {
        return Err(table.len() == expected.len);
    }
    let entry = if backwards {
        table.entry_before(at)
    } else {
        table.next(at)
    };
    Ok(entry.and_then(|(place, _)| Seen::of::<T>(table, place, part != Part::Values, part != Part::Keys)))
}
