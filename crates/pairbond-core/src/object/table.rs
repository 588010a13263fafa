//! [`ObjectsTable`]: the runtime's functions for objects, and the process's words that belong to
//! them.

use std::ffi::c_void;

use super::Header;
use super::destroy::{destroy_here, postpone_here, unlist_here, wrapper_died_here};
use crate::CellLock;
use crate::fork::{StaticLocks, hold_over_forks};
use crate::memory::Home;
use crate::sync::statics::{AtomicPtr, Ordering};
use crate::trace::{track_here, walk_here};

/// The runtime's functions for objects.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ObjectsTable {
    /// Lists an object of a traced type, on the thread of the [`Home`] if there is one. `false`:
    /// there is no memory to list it; if it lives on nevertheless, collectors take its targets for
    /// referred to from outside.
    pub track: unsafe extern "C" fn(*mut Header, Home) -> bool,
    /// See `destroy_object`; takes a traced object off the list, which waits
    /// while a collector walks.
    pub destroy: unsafe extern "C-unwind" fn(*mut Header),
    /// Takes an object off the list that no other thread can reach; waits while a collector walks.
    pub unlist: unsafe extern "C" fn(*mut Header),
    /// See [`wrapper_died`](crate::object::wrapper_died).
    pub wrapper_died: unsafe extern "C-unwind" fn(*mut Header),
    /// See `postpone_task`.
    pub postpone: unsafe extern "C-unwind" fn(unsafe extern "C" fn(*mut c_void), *mut c_void),
    /// Shows all traced objects, shard by shard, while none can be made or destroyed; then calls
    /// the last function, still so. `false`: somebody else is walking.
    pub walk: unsafe extern "C" fn(
        *mut c_void,
        unsafe extern "C" fn(*mut c_void, *const *mut Header, usize),
        unsafe extern "C" fn(*mut c_void),
    ) -> bool,
}

impl ObjectsTable {
    /// This binary's own.
    pub(crate) const HERE: ObjectsTable = ObjectsTable {
        track: track_here,
        destroy: destroy_here,
        unlist: unlist_here,
        wrapper_died: wrapper_died_here,
        postpone: postpone_here,
        walk: walk_here,
    };
}

static HERE: ObjectsTable = ObjectsTable::HERE;
static CURRENT: AtomicPtr<ObjectsTable> = AtomicPtr::new((&raw const HERE).cast_mut());

/// The process's.
#[inline]
pub(crate) fn objects_table() -> &'static ObjectsTable {
    // SAFETY: tables live for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Whether the process's runtime is this binary's own.
#[cold]
pub(crate) fn owns_runtime() -> bool {
    std::ptr::eq(objects_table(), &raw const HERE)
}

/// The runtime's own lock of structures.
#[cfg(not(loom))]
pub(crate) static STRUCTURE_LOCK: CellLock = CellLock::new();

/// Where nodes are not model-checked there are none: models have a lock of their own.
#[cfg(loom)]
static STRUCTURE_LOCK: std::sync::LazyLock<CellLock> = std::sync::LazyLock::new(|| unreachable!());

/// The process's. None of a model: it makes its own.
#[cfg(not(loom))]
static CURRENT_LOCK: AtomicPtr<CellLock> = AtomicPtr::new((&raw const STRUCTURE_LOCK).cast_mut());
#[cfg(loom)]
static CURRENT_LOCK: AtomicPtr<CellLock> = AtomicPtr::new(std::ptr::null_mut());

/// Returns the lock of all structures that keep objects, which many objects show a tracer (see
/// [`NodeType`](crate::object::NodeType)). It is taken once in a walk, and never retired.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn structure_lock() -> &'static CellLock {
    // SAFETY: lives for the process.
    unsafe { &*CURRENT_LOCK.load(Ordering::Acquire) }
}

/// Returns whether this is the lock of all structures, and not one of an object's own.
pub(crate) fn is_structure_lock(lock: *const CellLock) -> bool {
    std::ptr::eq(lock, CURRENT_LOCK.load(Ordering::Acquire))
}

/// Makes that lock survive forks.
pub(crate) fn hold_structures_over_forks() {
    /// Given back when this is dropped.
    struct Structures;
    impl Drop for Structures {
        fn drop(&mut self) {
            STRUCTURE_LOCK.unlock();
        }
    }
    hold_over_forks(StaticLocks::Structures, || {
        if STRUCTURE_LOCK.try_lock() {
            return Some(Box::new(Structures));
        }
        None
    });
}

/// Makes this binary use another's, which live for the process.
pub(crate) fn adopt_objects(table: *const ObjectsTable, structures: *const CellLock) {
    CURRENT_LOCK.store(structures.cast_mut(), Ordering::Release);
    CURRENT.store(table.cast_mut(), Ordering::Release);
}
