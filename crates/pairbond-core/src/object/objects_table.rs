//! [`ObjectsTable`]: the runtime's functions for objects.

use std::ffi::c_void;

use super::Header;
use super::destroy::{destroy_here, postpone_here, unlist_here, wrapper_died_here};
use crate::memory::Home;
use crate::sync::ProcessWide;
use crate::tracked::{track_here, walk_here};

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
    /// the last function, still so. Returns `false` if another thread is walking.
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
static CURRENT: ProcessWide<ObjectsTable> = ProcessWide::new(&HERE);

/// The process's.
#[inline]
pub(crate) fn objects_table() -> &'static ObjectsTable {
    CURRENT.get()
}

/// Makes this binary use another's.
pub(crate) fn adopt_objects(table: &'static ObjectsTable) {
    CURRENT.adopt(table);
}
