//! [`Foreign`]: an opaque object of a frontend's language, held by native code.

use std::ffi::c_void;
use std::fmt;

use crate::error::Error;
use crate::frontend::frontend;
use crate::object::{Object, Ref, Root};
use crate::trace::{Trace, Tracer};
use crate::types::TypeCell;
use crate::value::Any;

/// The native object that owns one counted reference to a foreign object.
pub struct ForeignBody {
    tag: u16,
    object: *mut c_void,
}

// SAFETY: the pointer is opaque here; the frontend's functions may be called from any thread.
unsafe impl Send for ForeignBody {}
// SAFETY: as above.
unsafe impl Sync for ForeignBody {}

// SAFETY: the cell is its own; no base.
unsafe impl Object for ForeignBody {
    const KEY: &'static str = "pairbond.Foreign";
    const ATTRIBUTES: bool = false;
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: one counted reference, shown once.
unsafe impl Trace for ForeignBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.foreign(self.tag, self.object);
    }
}

impl Drop for ForeignBody {
    fn drop(&mut self) {
        // SAFETY: the counted reference is given away.
        unsafe { frontend(self.tag).release(self.object) }
    }
}

/// An object of a frontend's language (any Python object), which comes back as the very same object. Cloning and dropping it needs no
/// interpreter: a reference dropped on a thread that is not attached is released later by one that is.
#[derive(Clone)]
pub struct Foreign(Ref<ForeignBody>);

impl Foreign {
    /// Takes over a counted reference.
    ///
    /// # Safety
    /// `object` is a counted reference of the frontend with that tag, given away.
    #[must_use]
    pub unsafe fn from_raw(tag: u16, object: *mut c_void) -> Self {
        Foreign(Ref::new(ForeignBody { tag, object }))
    }

    /// The interpreter's tag.
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.0.tag
    }

    /// The object; valid while this value lives and its interpreter is open.
    #[must_use]
    pub fn as_ptr(&self) -> *mut c_void {
        self.0.object
    }

    /// Whether both are the same object.
    #[must_use]
    pub fn is(&self, other: &Foreign) -> bool {
        self.0.object == other.0.object && self.0.tag == other.0.tag
    }

    /// Calls the object, from any thread.
    ///
    /// # Errors
    /// It is not callable, what it raised, or its interpreter is closed.
    pub fn call(&self, arguments: &[Any]) -> Result<Any, Error> {
        // SAFETY: the object is alive and of that frontend.
        unsafe { frontend(self.0.tag).call(self.0.object, arguments) }
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<foreign object {:p} of interpreter {}>",
            self.0.object, self.0.tag
        )
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for Foreign {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
}
