//! [`Hashed`]: a table that threads share.
//!
//! Looking a key up may have to call foreign code to compare two keys, which may do anything, to
//! this very table too. So the lock is given back before, the candidates are held by references of
//! our own, and afterwards the table is looked at anew: the result for a candidate counts as long
//! as that very key is in its place, so that threads which add other keys do not send each other
//! back. The operation itself takes place under the same lock as the last look. However many keys
//! have one hash, a lookup compares with each once and looks at each a few times.

use super::element_cache::ElementCache;
use super::hash_table::Table;
use super::key::keys_equal;
use super::table_find::{Look, Others, Quick, is_same};
use crate::error::Error;
use crate::sync::statics::{AtomicUsize, Ordering};
use crate::trace::Trace;
use crate::value::{Any, AnyRef, Cell};

/// See the head of this file.
#[derive(Debug)]
pub struct Hashed<V> {
    table: Cell<Table<V>>,
    /// The table's, to be read without the lock.
    version: AtomicUsize,
    element_cache: ElementCache,
}

impl<V: Trace> Hashed<V> {
    pub(super) fn new(table: Table<V>) -> Self {
        Hashed {
            version: AtomicUsize::new(table.version()),
            table: Cell::new(table),
            element_cache: ElementCache::new(),
        }
    }

    /// Looks at the table, under its lock.
    #[inline]
    pub fn read<R>(&self, look: impl FnOnce(&Table<V>) -> R) -> R {
        self.table.with(look)
    }

    /// Changes the table, under its lock. Removed values are returned, to be dropped outside.
    #[inline]
    pub fn change_locked<R>(&self, change: impl FnOnce(&mut Table<V>) -> R) -> R {
        self.table.update(|table| {
            let result = change(table);
            // Others write it under the same lock only.
            self.version.store(table.version(), Ordering::Release);
            result
        })
    }

    /// The table, unless it is not there yet: for the end.
    pub(super) fn table_mut(&mut self) -> Option<&mut Table<V>> {
        (!self.table.is_vacant()).then(|| self.table.get_mut())
    }

    /// Where another number is after each change.
    #[inline]
    #[must_use]
    pub fn version_word(&self) -> &AtomicUsize {
        &self.version
    }

    /// Returns the cache for the frontend of the container's wrapper: keys first, values second.
    #[inline]
    #[must_use]
    pub fn element_cache(&self) -> &ElementCache {
        &self.element_cache
    }

    /// Looks a key up, and looks at its place under the lock: `None` when it is not there.
    ///
    /// # Errors
    /// What a comparison raised; `act` was not called then.
    #[inline]
    pub fn find_locked<R>(
        &self,
        hash: i64,
        key: AnyRef<'_>,
        act: impl FnOnce(&Table<V>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        let first = self.read(|table| match table.look_quickly(hash, key) {
            Quick::Found(place) => Ok(act(table, Some(place))),
            Quick::Absent => Ok(act(table, None)),
            Quick::Asks => Err(act),
        });
        match first {
            Ok(result) => Ok(result),
            Err(act) => self.find_locked_mut(hash, key, |table, place| act(table, place)),
        }
    }

    /// Looks a key up, and acts on its place under the lock. What `act` returns is dropped by the
    /// caller, outside.
    ///
    /// # Errors
    /// As [`find_locked`](Self::find_locked).
    #[inline]
    pub fn locate_mut<R>(
        &self,
        hash: i64,
        key: AnyRef<'_>,
        act: impl FnOnce(&mut Table<V>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        let first = self.change_locked(|table| match table.look_quickly(hash, key) {
            Quick::Found(place) => Ok(act(table, Some(place))),
            Quick::Absent => Ok(act(table, None)),
            Quick::Asks => Err(act),
        });
        match first {
            Ok(result) => Ok(result),
            Err(act) => self.find_locked_mut(hash, key, act),
        }
    }

    /// As [`locate_mut`](Self::locate_mut), with a key that may become the table's. Where it is not
    /// there, there is room for it.
    ///
    /// # Errors
    /// As [`find_locked`](Self::find_locked); there is no memory.
    #[inline]
    pub fn locate_with<R>(
        &self,
        hash: i64,
        key: Any,
        act: impl FnOnce(&mut Table<V>, Option<usize>, Any) -> R,
    ) -> Result<R, Error> {
        let first = self.change_locked(|table| match table.look_quickly(hash, (&key).into()) {
            Quick::Found(place) => Ok(Ok(act(table, Some(place), key))),
            Quick::Absent => Ok(table.make_room().map(|()| act(table, None, key))),
            Quick::Asks => Err((act, key)),
        });
        match first {
            Ok(result) => result,
            Err((act, key)) => {
                let asked = key.clone();
                self.find_locked_mut(hash, (&asked).into(), |table, place| {
                    if place.is_none() {
                        table.make_room()?;
                    }
                    Ok(act(table, place, key))
                })?
            }
        }
    }

    #[cold]
    fn find_locked_mut<R>(
        &self,
        hash: i64,
        key: AnyRef<'_>,
        act: impl FnOnce(&mut Table<V>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        let asked = key.to_any();
        let mut act = Some(act);
        let mut others = Others::default();
        // The key that was found to be the one, and its place.
        let mut found: Option<(usize, Any)> = None;
        loop {
            let step = self.change_locked(|table| {
                if let Some((place, candidate)) = &found
                    && table
                        .entry_at(*place)
                        .is_some_and(|entry| is_same(&entry.key, candidate))
                {
                    return Ok(act.take().map(|act| act(table, Some(*place))));
                }
                match table.look_up(hash, key, &mut others) {
                    Look::Found(place) => Ok(act.take().map(|act| act(table, Some(place)))),
                    Look::Absent => Ok(act.take().map(|act| act(table, None))),
                    Look::Ask(candidates) => Err(candidates),
                }
            });
            let candidates = match step {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => unreachable!("what acts is used once"),
                Err(candidates) => candidates,
            };
            found = None;
            for (place, candidate) in candidates {
                if keys_equal(&candidate, &asked)? {
                    found = Some((place, candidate));
                    break;
                }
                others.add(place, candidate);
            }
        }
    }
}

trace_fields! { <V: Trace> Hashed<V>: table;
    fn clear(&self) {
        drop(self.change_locked(Table::take_all));
    }
}
