//! Iterating over maps and sets: a step at a time, each under the lock, and told when keys have come or gone since.

use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use pairbond_core::error::Error;
use pairbond_core::value::{Any, Entry, FrozenMapBody, MapBody, SetBody, Table};
use pyo3_ffi as py;

use super::keep::{Keeper, iterator_class};
use super::support::{Found, Methods, Object_, as_body, body, found, noargs};
use crate::call::finish;
use crate::convert::owned;
use crate::errors::raise;
use crate::interp::Interp;
use crate::owned::Owned;

/// What an iterator or view gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Part {
    Keys,
    Values,
    Items,
}

/// What has entries.
#[derive(Clone, Copy)]
pub(super) enum Entries<'a> {
    Map(&'a MapBody),
    Frozen(&'a FrozenMapBody),
    Set(&'a SetBody),
}

/// One entry on its way out.
pub(super) struct Row {
    pub(super) place: usize,
    key: Option<Found>,
    value: Option<Found>,
}

impl Row {
    fn new(place: usize, key: &Any, value: Option<&Any>, part: Part) -> Self {
        Row {
            place,
            key: (part != Part::Values).then(|| found(key)),
            value: value.filter(|_| part != Part::Keys).map(found),
        }
    }

    /// The key, the value, or a tuple of both.
    pub(super) fn object(self) -> Result<Owned, Error> {
        match (self.key, self.value) {
            (Some(key), None) => key.object(),
            (None, Some(value)) => value.object(),
            (Some(key), Some(value)) => {
                let (key, value) = (key.object()?, value.object()?);
                // SAFETY: attached; both are alive.
                unsafe { owned(py::PyTuple_Pack(2, key.as_ptr(), value.as_ptr())) }
            }
            (None, None) => Err(Error::runtime_error("a set has no values")),
        }
    }

    /// Key and value.
    pub(super) fn pair(self) -> Result<(Owned, Owned), Error> {
        match (self.key, self.value) {
            (Some(key), Some(value)) => Ok((key.object()?, value.object()?)),
            _ => Err(Error::runtime_error("a set has no values")),
        }
    }
}

/// What an iterator expects to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    len: usize,
    epoch: u64,
}

impl<'a> Entries<'a> {
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    pub(super) unsafe fn of(object: Object_) -> Option<Self> {
        // SAFETY: promised.
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
            Entries::Map(map) => map.entries().table().with(of),
            Entries::Frozen(map) => of(map.table()),
            Entries::Set(set) => set.entries().table().with(of),
        }
    }

    /// The next entry at or behind a place (before it, backwards); an error when the container has another shape than expected.
    #[inline]
    pub(super) fn step(
        self,
        at: usize,
        backwards: bool,
        expected: Option<Shape>,
        part: Part,
    ) -> Result<Option<Row>, Error> {
        let step = match self {
            Entries::Map(map) => map
                .entries()
                .table()
                .with(|table| one(table, at, backwards, expected, |entry| Some(&entry.value), part)),
            Entries::Frozen(map) => one(map.table(), at, backwards, None, |entry| Some(&entry.value), part),
            Entries::Set(set) => set
                .entries()
                .table()
                .with(|table| one(table, at, backwards, expected, |_| None, part)),
        };
        step.map_err(|same_len| self.changed(same_len))
    }

    #[cold]
    fn changed(self, same_len: bool) -> Error {
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
    pub(super) fn each(
        self,
        part: Part,
        mut each: impl FnMut(Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (shape, _) = self.shape();
        let mut at = 0;
        while let Some(row) = self.step(at, false, Some(shape), part)? {
            at = row.place + 1;
            each(row)?;
        }
        Ok(())
    }
}

/// One step under the lock. The error says whether the length at least is the same.
#[inline]
fn one<V>(
    table: &Table<V>,
    at: usize,
    backwards: bool,
    expected: Option<Shape>,
    value: impl Fn(&Entry<V>) -> Option<&Any>,
    part: Part,
) -> Result<Option<Row>, bool> {
    if let Some(expected) = expected
        && (table.len() != expected.len || table.epoch() != expected.epoch)
    {
        return Err(table.len() == expected.len);
    }
    let entry = if backwards {
        table.previous(at)
    } else {
        table.next(at)
    };
    Ok(entry.map(|(place, entry)| Row::new(place, &entry.key, value(entry), part)))
}

/// Iterates over keys, values or both.
#[repr(C)]
struct Iterator {
    keeper: Keeper,
    /// The next place (the one before which it goes on, backwards); -1 for good when the end was reached once. Threads that share an iterator may
    /// each be given the same entry, and no more comes of it.
    next: AtomicIsize,
    /// Entries that are still to come, for `__length_hint__`.
    left: AtomicIsize,
    /// Set for good when the container was found changed.
    changed: AtomicBool,
    backwards: bool,
    part: Part,
    expected: Shape,
}

impl Iterator {
    #[inline]
    fn entries(&self) -> Option<Entries<'_>> {
        let container = self.keeper.container();
        if container.is_null() {
            return None;
        }
        // SAFETY: attached; kept by the iterator, which its caller keeps.
        unsafe { Entries::of(container) }
    }
}

/// An iterator over a wrapper.
///
/// # Safety
/// Attached; the wrapper of a map or set.
pub(super) unsafe fn iterator(container: Object_, part: Part, backwards: bool) -> Result<Owned, Error> {
    // SAFETY: promised; every field is written before the collector may look.
    unsafe {
        let Some(entries) = Entries::of(container) else {
            body::<MapBody>(container)?;
            return Err(Error::type_error("not a container"));
        };
        let (expected, end) = entries.shape();
        let class = Interp::current()?.helper_class(super::ENTRY_ITERATOR);
        let made = owned(py::PyObject_GC_New::<Iterator>(class).cast())?;
        let iterator = made.as_ptr().cast::<Iterator>();
        (&raw mut (*iterator).next).write(AtomicIsize::new(if backwards { end as isize } else { 0 }));
        (&raw mut (*iterator).left).write(AtomicIsize::new(expected.len as isize));
        (&raw mut (*iterator).changed).write(AtomicBool::new(false));
        (&raw mut (*iterator).backwards).write(backwards);
        (&raw mut (*iterator).part).write(part);
        (&raw mut (*iterator).expected).write(expected);
        Keeper::take_hold(made.as_ptr(), container);
        Ok(made)
    }
}

unsafe extern "C" fn next(iterator: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours; it keeps the wrapper.
    unsafe {
        let this = &*iterator.cast::<Iterator>();
        let at = this.next.load(Ordering::Relaxed);
        let Some(entries) = this.entries().filter(|_| at >= 0) else {
            return std::ptr::null_mut();
        };
        let row = if this.changed.load(Ordering::Relaxed) {
            Err(entries.changed(false))
        } else {
            entries.step(at as usize, this.backwards, Some(this.expected), this.part)
        };
        match row {
            Ok(Some(row)) => {
                let next = if this.backwards { row.place } else { row.place + 1 };
                this.next.store(next as isize, Ordering::Relaxed);
                this.left.fetch_sub(1, Ordering::Relaxed);
                row.object().map_or_else(failed, Owned::into_ptr)
            }
            Ok(None) => {
                this.next.store(-1, Ordering::Relaxed);
                this.keeper.let_go();
                std::ptr::null_mut()
            }
            Err(error) => {
                this.changed.store(true, Ordering::Relaxed);
                failed(error)
            }
        }
    }
}

#[cold]
fn failed(error: Error) -> Object_ {
    raise(error);
    std::ptr::null_mut()
}

unsafe extern "C" fn length_hint(iterator: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish(|| unsafe {
        let this = &*iterator.cast::<Iterator>();
        let ended = this.next.load(Ordering::Relaxed) < 0 || this.changed.load(Ordering::Relaxed);
        let changed = this
            .entries()
            .is_none_or(|entries| entries.shape().0 != this.expected);
        let left = this.left.load(Ordering::Relaxed).max(0) as usize;
        super::support::int(if ended || changed { 0 } else { left })
    })
}

static METHODS: Methods<2> = Methods([
    noargs(c"__length_hint__", length_hint, c"How many entries are left."),
    py::PyMethodDef::zeroed(),
]);

/// # Safety
/// Attached; a living module.
pub(super) unsafe fn make_iterator(module: Object_) -> Result<Owned, Error> {
    // SAFETY: promised.
    unsafe {
        iterator_class(
            module,
            c"pairbond.EntryIterator",
            size_of::<Iterator>(),
            next,
            &METHODS.0,
        )
    }
}
