//! Python classes for wrappers of nodes with a given name: looked up when a node gets its wrapper,
//! so nodes may be created before and after.
//!
//! Most nodes are of a class that has none, and most names of a class that has some have none: both
//! are found out without a lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::object::{Header, with_name};
use pyo3_ffi as py;

use crate::owned::Owned;

const BUCKETS: usize = 64;
const FILTERS: usize = 8;

/// The classes here are referred to until another takes their name or the interpreter ends. So no
/// cycle through one of them is garbage, and their wrappers need not be tracked for it.
pub struct Named {
    buckets: [AtomicPtr<OfClass>; BUCKETS],
    /// How many names each class has.
    names: Mutex<HashMap<usize, usize>>,
    /// The class that [`Named::keeps`] last found, or null.
    found: AtomicPtr<py::PyTypeObject>,
}

/// Those of one class that a library made; lives until the interpreter ends.
struct OfClass {
    class: *mut py::PyTypeObject,
    /// Others whose address falls into the same bucket.
    next: *mut OfClass,
    /// A bit for each name, by its hash.
    filter: [AtomicU64; FILTERS],
    /// By the node's name: there are few, and comparing short names is quicker than to hash them.
    classes: Mutex<BTreeMap<String, Owned>>,
}

impl OfClass {
    /// No Python code runs under it, and nothing is released.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Owned>> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, name: &str) -> Option<Owned> {
        let (word, bit) = filter_place(name);
        if self.filter[word].load(Ordering::Acquire) & bit == 0 {
            return None;
        }
        let classes = self.lock();
        // SAFETY: the thread is attached, and the list keeps its classes.
        Some(unsafe { Owned::from_borrowed(classes.get(name)?.as_ptr()) })
    }
}

impl Named {
    pub(super) fn new() -> Self {
        Named {
            buckets: [const { AtomicPtr::new(std::ptr::null_mut()) }; BUCKETS],
            names: Mutex::default(),
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Those of a class.
    #[inline]
    fn of(&self, class: *mut py::PyTypeObject) -> Option<&OfClass> {
        let mut next = self.bucket(class).load(Ordering::Acquire);
        loop {
            // SAFETY: freed by `take_all` only, when there are no lookups any more.
            let here = unsafe { next.as_ref() }?;
            if here.class == class {
                return Some(here);
            }
            next = here.next;
        }
    }

    #[inline]
    fn bucket(&self, class: *mut py::PyTypeObject) -> &AtomicPtr<OfClass> {
        &self.buckets[(mix_bits(class.addr() as u64) >> 58) as usize]
    }

    /// Returns the class for a node's wrapper instead of `class`, if there is one.
    ///
    /// # Safety
    /// Attached to the interpreter.
    #[inline]
    pub(crate) unsafe fn find(&self, object: &Header, class: *mut py::PyTypeObject) -> Option<Owned> {
        let named = self.of(class)?;
        // Naming is the type's code, so not under the lock.
        with_name(object, |name| named.find(name))?
    }

    /// Lets `class` be that of nodes of a name whose class is `of`. Returns the class that has lost
    /// its last name by that.
    pub(crate) fn set(&self, of: *mut py::PyTypeObject, name: String, class: Owned) -> Option<Owned> {
        let named = self.of(of).unwrap_or_else(|| self.add_class(of));
        let (word, bit) = filter_place(&name);
        *self.lock_names().entry(class.as_ptr().addr()).or_default() += 1;
        let before = named.lock().insert(name, class);
        named.filter[word].fetch_or(bit, Ordering::Release);
        let before = before?;
        let mut names = self.lock_names();
        let left = names.get_mut(&before.as_ptr().addr())?;
        *left -= 1;
        if *left > 0 {
            return None;
        }
        names.remove(&before.as_ptr().addr());
        self.found.store(std::ptr::null_mut(), Ordering::Relaxed);
        Some(before)
    }

    fn lock_names(&self) -> MutexGuard<'_, HashMap<usize, usize>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a class made in Python is referred to from here.
    pub(crate) fn keeps(&self, class: *mut py::PyTypeObject) -> bool {
        if self.found.load(Ordering::Relaxed) == class {
            return true;
        }
        let keeps = self.lock_names().contains_key(&class.addr());
        if keeps {
            self.found.store(class, Ordering::Relaxed);
        }
        keeps
    }

    #[cold]
    fn add_class(&self, class: *mut py::PyTypeObject) -> &OfClass {
        let bucket = self.bucket(class);
        let new = Box::into_raw(Box::new(OfClass {
            class,
            next: bucket.load(Ordering::Acquire),
            filter: [const { AtomicU64::new(0) }; FILTERS],
            classes: Mutex::default(),
        }));
        loop {
            // SAFETY: ours until it is in the bucket; entries stay until `take_all`.
            unsafe {
                let next = (*new).next;
                match bucket.compare_exchange(next, new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return &*new,
                    Err(other) => (*new).next = other,
                }
                // Another thread may have begun the same.
                if let Some(other) = self.of(class) {
                    drop(Box::from_raw(new));
                    return other;
                }
            }
        }
    }

    /// At the interpreter's end.
    ///
    /// # Safety
    /// Only one thread is left that could ask, and it does not while this runs.
    pub(super) unsafe fn take_all(&self) -> Vec<Owned> {
        let mut all = Vec::new();
        self.lock_names().clear();
        self.found.store(std::ptr::null_mut(), Ordering::Relaxed);
        for bucket in &self.buckets {
            let mut next = bucket.swap(std::ptr::null_mut(), Ordering::AcqRel);
            while !next.is_null() {
                // SAFETY: made by `Box::into_raw`, and no other thread has it any more.
                let here = unsafe { *Box::from_raw(next) };
                next = here.next;
                let classes = here.classes.into_inner();
                all.extend(classes.unwrap_or_else(PoisonError::into_inner).into_values());
            }
        }
        all
    }
}

/// Spreads what differs in its low bits over the high ones.
#[inline]
fn mix_bits(value: u64) -> u64 {
    value.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The word of a filter and the bit in it that are a name's: by its length and its end, in which
/// the names of a dialect differ.
#[inline]
fn filter_place(name: &str) -> (usize, u64) {
    let end = match name.as_bytes().last_chunk() {
        Some(end) => u64::from_le_bytes(*end),
        None => name.bytes().fold(0, |all, byte| all << 8 | u64::from(byte)),
    };
    let hash = mix_bits(end ^ (name.len() as u64) << 56);
    ((hash >> 61) as usize % FILTERS, 1 << (hash >> 55 & 63))
}
