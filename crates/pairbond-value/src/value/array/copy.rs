//! Copying elements: each is read and written atomically, as [`Number`] says.

use super::body::ArrayBody;
use super::number::Number;
use crate::error::Error;

impl ArrayBody {
    /// Copies the elements of an array of the same shape and type; they must not share memory.
    ///
    /// # Errors
    /// The array is read-only, or another shape or type.
    pub fn copy_elements_from(&self, from: &ArrayBody) -> Result<(), Error> {
        self.check_readable()?;
        from.check_readable()?;
        if self.readonly {
            return Err(Error::value_error("the array is read-only"));
        }
        if self.shape != from.shape || self.dtype != from.dtype {
            return Err(Error::value_error("the arrays are of different shapes or types"));
        }
        let item = self.item_size();
        for (to, offset) in self.offsets().zip(from.offsets()) {
            // SAFETY: elements of both, read and written as `Number` says.
            unsafe { copy_atomically(from.start.offset(offset), self.start.offset(to), item) }
        }
        Ok(())
    }

    /// A copy of the elements in memory of its own, row after row.
    ///
    /// # Errors
    /// They lie on another device; no memory.
    pub fn copy(&self) -> Result<Self, Error> {
        self.check_readable()?;
        let copy = Self::zeros(&self.shape, self.dtype)?;
        let item = self.item_size();
        for (at, offset) in self.offsets().enumerate() {
            // SAFETY: within both memories. The copy is not shared; the original is read as
            // `Number` requires.
            unsafe { copy_atomically(self.start.offset(offset), copy.start.add(at * item), item) }
        }
        Ok(copy)
    }
}

/// Element by element, in the largest units that its size allows.
///
/// # Safety
/// `from` and `to` have `item` bytes each, aligned as the largest units of that size.
pub(super) unsafe fn copy_atomically(from: *const u8, to: *mut u8, item: usize) {
    // SAFETY: `from` and `to` have `item` bytes each, aligned as the largest units of that size:
    // the caller ensures it.
    unsafe {
        match item {
            1 => u8::load(from).store(to),
            2 => u16::load(from).store(to),
            4 => u32::load(from).store(to),
            8 => u64::load(from).store(to),
            _ => (0..item).for_each(|at| u8::load(from.add(at)).store(to.add(at))),
        }
    }
}
