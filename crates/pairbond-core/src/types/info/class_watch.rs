//! The classes that frontends have for a type, and whether one was changed: an overridable method's
//! hot path asks here.
//!
//! Runtimes give each class a *version*, a number that changes with the class or with one that it
//! extends (`class/overridable.rs`). A frontend tells of each class where its version is, and which
//! one it had when each method was the type's own. While it has that one, calls go to the native
//! method: three loads and a compare. Otherwise the caller looks further, class by class.
//!
//! A type has at most one class in each interpreter; one without a class of its own has that of its
//! nearest ancestor, whose records it gets. Records are never freed, and used again by the next
//! interpreter. The fields beside them repeat the only record in use; with several in use their
//! number never matches.
//!
//! A version is read by threads that are not attached, and nothing counts them: a frontend keeps
//! classes alive for as long as they are recorded, and afterwards unless its thread is the only one
//! of the process.
//!
//! # Road not taken
//! CPython's type watchers write to memory of ours, so no class would have to stay. There are eight
//! of them for each interpreter, from 3.12 on.

use super::TypeInfo;
use crate::sync::statics::{AtomicPtr, AtomicU16, AtomicU32, Ordering};

/// The version of no class: what is unchanged for ever.
static NONE: AtomicU32 = AtomicU32::new(0);
/// A version that is never the recorded one.
static SEVERAL: AtomicU32 = AtomicU32::new(1);

const UNCHANGED: u32 = 0;

/// The classes of a type.
#[repr(C)]
pub(super) struct Classes {
    /// The version of the only class.
    version: AtomicPtr<AtomicU32>,
    /// The version that it has while every method is the type's own.
    unchanged: AtomicU32,
    records: AtomicPtr<ClassRecord>,
}

/// One interpreter's class of a type.
#[derive(Debug)]
#[repr(C)]
pub struct ClassRecord {
    /// The interpreter's; 0: not in use.
    tag: AtomicU16,
    version: AtomicPtr<AtomicU32>,
    unchanged: AtomicU32,
    next: AtomicPtr<ClassRecord>,
}

impl ClassRecord {
    /// The interpreter's tag; 0 when it has ended.
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.tag.load(Ordering::SeqCst)
    }

    /// The class's version; 0 for none.
    #[must_use]
    pub fn version(&self) -> u32 {
        // SAFETY: the class stays alive for its readers: see the head of this file.
        unsafe { &*self.version.load(Ordering::SeqCst) }.load(Ordering::Relaxed)
    }

    /// Whether each method is the type's own.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.version() == self.unchanged.load(Ordering::SeqCst)
    }

    fn next(&self) -> Option<&'static ClassRecord> {
        // SAFETY: records are never freed.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }
}

impl Classes {
    pub(super) const fn new() -> Self {
        Classes {
            version: AtomicPtr::new((&raw const NONE).cast_mut()),
            unchanged: AtomicU32::new(0),
            records: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn iter_records(&self) -> impl Iterator<Item = &'static ClassRecord> + use<> {
        // SAFETY: records are never freed.
        let first = unsafe { self.records.load(Ordering::Acquire).as_ref() };
        std::iter::successors(first, |record| record.next())
    }

    fn record_for(&self, tag: u16) -> Option<&'static ClassRecord> {
        self.iter_records().find(|record| record.tag() == tag)
    }

    fn set_record(&self, tag: u16, version: *mut AtomicU32, unchanged: u32) {
        let fill = |record: &ClassRecord| {
            record.unchanged.store(unchanged, Ordering::SeqCst);
            record.version.store(version, Ordering::SeqCst);
        };
        if let Some(record) = self.record_for(tag) {
            fill(record);
        } else if let Some(record) = self.iter_records().find(|record| {
            let unused = record
                .tag
                .compare_exchange(0, tag, Ordering::SeqCst, Ordering::SeqCst);
            unused.is_ok()
        }) {
            fill(record);
        } else {
            let new = Box::leak(Box::new(ClassRecord {
                tag: AtomicU16::new(tag),
                version: AtomicPtr::new(version),
                unchanged: AtomicU32::new(unchanged),
                next: AtomicPtr::new(std::ptr::null_mut()),
            }));
            let mut head = self.records.load(Ordering::Acquire);
            loop {
                new.next.store(head, Ordering::Relaxed);
                match self
                    .records
                    .compare_exchange(head, new, Ordering::SeqCst, Ordering::Acquire)
                {
                    Ok(_) => break,
                    Err(other) => head = other,
                }
            }
        }
        self.repeat_single_record();
    }

    fn remove(&self, tag: u16) {
        if let Some(record) = self.record_for(tag) {
            record
                .version
                .store((&raw const NONE).cast_mut(), Ordering::SeqCst);
            record.unchanged.store(UNCHANGED, Ordering::SeqCst);
            record.tag.store(0, Ordering::SeqCst);
        }
        self.repeat_single_record();
    }

    /// Repeats the only record in use. Once more if another thread has changed the records
    /// meanwhile: the last one to do so has seen all.
    fn repeat_single_record(&self) {
        let wanted = || {
            let mut used = self.iter_records().filter(|record| record.tag() != 0);
            match (used.next(), used.next()) {
                (None, _) => ((&raw const NONE).cast_mut(), UNCHANGED),
                (Some(only), None) => (
                    only.version.load(Ordering::SeqCst),
                    only.unchanged.load(Ordering::SeqCst),
                ),
                _ => ((&raw const SEVERAL).cast_mut(), UNCHANGED),
            }
        };
        let mut now = wanted();
        loop {
            // Neither half is compared with a half of another record.
            self.version
                .store((&raw const SEVERAL).cast_mut(), Ordering::SeqCst);
            self.unchanged.store(now.1, Ordering::SeqCst);
            self.version.store(now.0, Ordering::SeqCst);
            let again = wanted();
            if again == now {
                break;
            }
            now = again;
        }
    }

    /// Takes over the records of the type that this one extends.
    pub(super) fn inherit_records(&self, base: &Classes) {
        for record in base.iter_records() {
            let tag = record.tag();
            if tag != 0 {
                self.set_record(
                    tag,
                    record.version.load(Ordering::SeqCst),
                    record.unchanged.load(Ordering::SeqCst),
                );
            }
        }
    }
}

impl TypeInfo {
    /// The classes of the type; `None` for a type of a binary that was built with an older pairbond:
    /// its methods are called as that one calls them.
    #[inline]
    pub(super) fn classes(&self) -> Option<&Classes> {
        self.has_hot_bits(super::hot::CLASSES).then_some(&self.classes)
    }

    /// Whether each frontend's class of the type has the methods that it was made with; `false`
    /// also if that is not known.
    #[inline]
    #[must_use]
    pub fn has_unchanged_class(&self) -> bool {
        let Some(classes) = self.classes() else {
            return true;
        };
        // SAFETY: the class stays alive for its readers: see the head of this file.
        let version = unsafe { &*classes.version.load(Ordering::Acquire) };
        version.load(Ordering::Relaxed) == classes.unchanged.load(Ordering::Relaxed)
    }

    /// The classes of the type; some may be of interpreters that have ended.
    pub fn class_records(&self) -> impl Iterator<Item = &'static ClassRecord> {
        self.classes().into_iter().flat_map(Classes::iter_records)
    }

    fn class_of(&self, tag: u16) -> Option<&'static ClassRecord> {
        self.classes()?.record_for(tag)
    }

    fn set_class(&self, tag: u16, version: *mut AtomicU32, unchanged: u32) {
        if let Some(classes) = self.classes() {
            classes.set_record(tag, version, unchanged);
        }
    }

    /// Whether an interpreter's class of the type has the methods that it was made with, or there
    /// is none.
    #[must_use]
    pub fn has_unchanged_class_in(&self, tag: u16) -> bool {
        self.class_of(tag).is_none_or(ClassRecord::is_unchanged)
    }
}

/// Records an interpreter's class for a type, and for those that extend it and have none of their
/// own, which `is_class` tells. `version` is where the class has its version; `unchanged` the one
/// that it has while its methods are those that it was made with, if it has them.
///
/// # Safety
/// The class lives until [`forget_classes`] is called with that tag, and then for as long as that
/// says.
pub unsafe fn record_class(
    tag: u16,
    info: &'static TypeInfo,
    version: *mut u32,
    unchanged: Option<u32>,
    is_class: &dyn Fn(&'static TypeInfo) -> bool,
) {
    // The version of a class that was changed just now is 0, and no class has the greatest.
    let unchanged = unchanged.filter(|it| *it != 0).unwrap_or(u32::MAX);
    let record = |info: &TypeInfo| info.set_class(tag, version.cast(), unchanged);
    record(info);
    let mut done = 0;
    loop {
        // Types that are registered meanwhile have inherited the record, or are found by looking
        // again.
        let all = crate::types::registered_types();
        if all.len() == done {
            break;
        }
        for other in &all[done..] {
            if other.is_a(info) && !std::ptr::eq(*other, info) && is_class(other) {
                record(other);
            }
        }
        done = all.len();
    }
}

/// Notes that a class has the methods that it was made with at the version `unchanged`.
pub fn note_unchanged_class(tag: u16, version: *mut u32, unchanged: u32) {
    for info in crate::types::registered_types() {
        let record = info.class_of(tag);
        if record.is_some_and(|it| it.version.load(Ordering::SeqCst) == version.cast()) {
            info.set_class(tag, version.cast(), unchanged);
        }
    }
}

/// Forgets the classes of an interpreter that ends. `true`: another thread may be reading the
/// version of one, which must not be freed any more.
#[must_use]
pub fn forget_classes(tag: u16) -> bool {
    for info in crate::types::registered_types() {
        if let Some(classes) = info.classes() {
            classes.remove(tag);
        }
    }
    !crate::sync::is_single_threaded()
}
