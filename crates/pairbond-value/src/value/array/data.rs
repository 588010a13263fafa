//! Arrays as bytes, and of bytes: how they are written and read.

use super::block::BlockBody;
use super::body::ArrayBody;
use super::copy::copy_atomically;
use super::handle::Array;
use crate::error::Error;
use crate::memory::filled_vec;
use crate::value::{Bytes, DType};

/// Permission to write to an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Access {
    /// Anybody.
    Writable,
    /// Not through it.
    ReadOnly,
    /// Not at all.
    Constant,
}

impl ArrayBody {
    /// Returns the permission to write to it.
    #[must_use]
    pub fn access(&self) -> Access {
        match (self.is_constant(), self.is_readonly()) {
            (true, _) => Access::Constant,
            (_, true) => Access::ReadOnly,
            _ => Access::Writable,
        }
    }

    /// An array of the memory of another, which must be rows of as many bytes.
    ///
    /// # Errors
    /// `ValueError`: it is not.
    pub fn of_part(memory: &Array, dtype: DType, shape: &[usize], access: Access) -> Result<Self, Error> {
        let body = memory.body();
        body.check_readable()?;
        let damaged = |_| Error::value_error("the data is damaged: an array of another size than its memory");
        let mut part = body.reinterpret(dtype, shape).map_err(damaged)?;
        part.readonly |= access != Access::Writable;
        Ok(part)
    }

    /// The same, of a copy of the memory.
    ///
    /// # Errors
    /// As [`of_part`](Self::of_part); no memory.
    pub fn of_copy(memory: &Array, dtype: DType, shape: &[usize], access: Access) -> Result<Self, Error> {
        let from = Self::of_part(memory, dtype, shape, access)?;
        let size = from.element_count() * from.item_size();
        let block = BlockBody::zeros(size)?;
        if size > 0 {
            // SAFETY: as many bytes in either memory; the new one is not shared.
            unsafe { copy_memory(from.start, block.start_ptr(), size) };
        }
        let block = if access == Access::Constant {
            block.into_frozen()
        } else {
            block
        };
        Ok(Self::of_block(block, dtype, shape, access != Access::Writable))
    }
}

/// # Safety
/// Memory of that size at both; `to` is not shared.
unsafe fn copy_memory(from: *const u8, to: *mut u8, size: usize) {
    let words = size / 8;
    // SAFETY: memory of that size at both; `to` is not shared: the caller ensures it.
    unsafe {
        for at in 0..words {
            copy_atomically(from.add(at * 8), to.add(at * 8), 8);
        }
        for at in words * 8..size {
            copy_atomically(from.add(at), to.add(at), 1);
        }
    }
}

impl Array {
    /// The bytes of the elements, row after row.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        let body = self.body();
        let size = body.element_count() * body.item_size();
        let mut bytes = filled_vec(0_u8, size);
        if size > 0 {
            if body.is_c_contiguous() {
                // SAFETY: as many bytes in either memory.
                unsafe { copy_memory(body.start_ptr(), bytes.as_mut_ptr(), size) };
            } else {
                let item = body.item_size();
                for (at, offset) in body.offsets().enumerate() {
                    // SAFETY: an element of the array, and room for it.
                    unsafe {
                        copy_atomically(
                            body.start_ptr().offset(offset),
                            bytes.as_mut_ptr().add(at * item),
                            item,
                        )
                    };
                }
            }
        }
        Bytes::from(bytes)
    }
}
