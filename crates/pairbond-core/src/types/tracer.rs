//! [`Tracer`]: to whom a value shows the references that it owns.

use std::ffi::c_void;
use std::marker::PhantomData;

use crate::custody::Header;
use crate::sync::CellLock;

/// The callbacks of one walk, passed between separately built binaries.
#[repr(C)]
pub struct TracerTable {
    /// An owned reference to a native object.
    pub edge: unsafe extern "C" fn(*mut c_void, *const Header),
    /// An owned reference to an object of a frontend: its interpreter tag and its pointer.
    pub foreign: unsafe extern "C" fn(*mut c_void, u16, *mut c_void),
    /// Try-locks a mutable field; on success the walk's owner unlocks it, later.
    pub lock: unsafe extern "C" fn(*mut c_void, *const CellLock) -> bool,
    /// Given to the callbacks.
    pub context: *mut c_void,
}

/// One walk over an object's references.
pub struct Tracer<'a> {
    table: &'a TracerTable,
    _not_send: PhantomData<*mut ()>,
}

impl<'a> Tracer<'a> {
    /// # Safety
    /// The callbacks of `table` must be safe to call with its context for `'a`, on this thread.
    #[must_use]
    pub unsafe fn new(table: &'a TracerTable) -> Self {
        Tracer {
            table,
            _not_send: PhantomData,
        }
    }

    /// The callbacks, for an object that is shown as part of another.
    pub fn table(&self) -> &'a TracerTable {
        self.table
    }

    /// Shows an owned reference to a native object.
    #[inline]
    pub fn visit_edge(&mut self, target: &Header) {
        // SAFETY: `new` promised that the callbacks may be called; `target` is a living header.
        unsafe { (self.table.edge)(self.table.context, target) }
    }

    /// Shows an owned reference to an object of a frontend.
    // The pointer is passed on and never followed.
    #[allow(clippy::not_unsafe_ptr_arg_deref)]
    #[inline]
    pub fn visit_foreign(&mut self, tag: u16, object: *mut c_void) {
        // SAFETY: as in `edge`.
        unsafe { (self.table.foreign)(self.table.context, tag, object) }
    }

    /// Asks for the lock of a mutable field. `true`: the field may be read now, and stays locked
    /// until the walk's owner unlocks it. `false`: another thread is changing it; show nothing.
    #[inline]
    #[must_use]
    pub fn lock(&mut self, lock: &CellLock) -> bool {
        // SAFETY: as in `edge`; the lock lives in an object that the walk keeps alive.
        unsafe { (self.table.lock)(self.table.context, lock) }
    }
}
