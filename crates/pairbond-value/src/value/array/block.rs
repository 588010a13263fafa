//! [`BlockBody`]: a piece of memory, and what keeps it. It has no class: frontends show arrays.

use std::alloc::Layout;

use crate::error::{Error, ErrorKind};
use crate::trace::{Trace, Tracer};
use crate::value::{Any, Bytes};

/// See the head of this file.
pub struct BlockBody {
    start: *mut u8,
    /// Of an allocation of its own, which is given back in the end; none when it is somebody else's
    /// memory, or empty.
    layout: Option<Layout>,
    /// It cannot be written to, from its birth to its end.
    constant: bool,
    /// Whose memory it is otherwise.
    owner: Any,
}

// SAFETY: the memory is read and written by the rules of the module's head; the owner may be
// dropped anywhere.
unsafe impl Send for BlockBody {}
// SAFETY: the memory is read and written by the rules of the module's head; the owner may be
// dropped anywhere.
unsafe impl Sync for BlockBody {}

built_in! { BlockBody: "pairbond.Block", attributes: false }

// SAFETY: the owner is shown once. Nothing can be emptied: a cycle is broken elsewhere.
unsafe impl Trace for BlockBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.owner.trace(tracer);
    }
    fn is_shareable(&self) -> Option<bool> {
        Some(matches!(self.owner, Any::None | Any::Bytes(_)))
    }
}

impl BlockBody {
    /// The memory of a vector, as it is.
    pub(super) fn of_vec<T: Copy>(values: Vec<T>, constant: bool) -> Self {
        let mut values = std::mem::ManuallyDrop::new(values);
        let layout = Layout::array::<T>(values.capacity()).ok();
        BlockBody {
            start: values.as_mut_ptr().cast(),
            layout: layout.filter(|layout| layout.size() != 0),
            constant,
            owner: Any::None,
        }
    }

    /// The memory of bytes: theirs where it stays in place, a copy of few bytes, which move with
    /// their handle.
    pub(super) fn of_bytes(bytes: Bytes) -> Self {
        if bytes.are_inline() {
            return Self::of_vec(bytes.to_vec(), true);
        }
        Self::of_owner(bytes.as_ptr().cast_mut(), Any::Bytes(bytes), true)
    }

    /// So many zeros.
    pub(super) fn zeros(size: usize) -> Result<Self, Error> {
        let no_memory = || Error::new(ErrorKind::Memory, format!("cannot allocate {size} bytes"));
        // Aligned as the widest vector registers like it; never of size zero.
        let layout = Layout::from_size_align(size.max(1), 64).map_err(|_| no_memory())?;
        // SAFETY: not of size zero.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        if start.is_null() {
            return Err(no_memory());
        }
        Ok(BlockBody {
            start,
            layout: Some(layout),
            constant: false,
            owner: Any::None,
        })
    }

    /// The same memory, which cannot be written to from now on.
    pub(super) fn into_frozen(mut self) -> Self {
        self.constant = true;
        self
    }

    /// Memory that lives as long as `owner`.
    pub(super) fn of_owner(start: *mut u8, owner: Any, constant: bool) -> Self {
        BlockBody {
            start,
            layout: None,
            constant,
            owner,
        }
    }

    pub(super) fn start_ptr(&self) -> *mut u8 {
        self.start
    }

    pub(super) fn is_constant(&self) -> bool {
        self.constant
    }
}

impl Drop for BlockBody {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: allocated with this layout, by `Vec` or above, and given back once.
            unsafe { std::alloc::dealloc(self.start, layout) }
        }
    }
}
