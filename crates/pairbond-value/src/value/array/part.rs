//! Arrays of parts of an array's memory.

use super::body::ArrayBody;
use crate::error::Error;
use crate::value::DType;

impl ArrayBody {
    /// Every `step`th element of an axis from `start` on, `count` of them, of the same memory.
    ///
    /// # Errors
    /// `IndexError`; `ValueError` for a step of zero.
    pub fn slice(&self, axis: usize, start: usize, step: isize, count: usize) -> Result<Self, Error> {
        let beyond = || Error::index_error("slice out of range");
        let n = *self.shape.get(axis).ok_or_else(beyond)?;
        if step == 0 && count > 1 {
            // Such an array could be larger than anything can count.
            return Err(Error::value_error("slice step cannot be zero"));
        }
        if count > 0 {
            let last = (count - 1)
                .try_into()
                .ok()
                .and_then(|steps: isize| steps.checked_mul(step)?.checked_add(start as isize))
                .ok_or_else(beyond)?;
            if start >= n || last < 0 || last as usize >= n {
                return Err(beyond());
            }
        }
        let mut part = self.same_memory();
        if count > 0 {
            part.start = self.start_of(axis, start);
        }
        part.shape[axis] = count;
        part.strides[axis] = self.strides[axis].wrapping_mul(step);
        Ok(part)
    }

    /// One index of an axis, of the same memory: an array with an axis less.
    ///
    /// # Errors
    /// `IndexError`
    pub fn at(&self, axis: usize, index: usize) -> Result<Self, Error> {
        if self.shape.get(axis).is_none_or(|n| index >= *n) {
            return Err(Error::index_error("slice out of range"));
        }
        let mut part = self.same_memory();
        part.start = self.start_of(axis, index);
        part.shape.remove(axis);
        part.strides.remove(axis);
        Ok(part)
    }

    /// Where an index of an axis, which is within its bounds, begins. An element of the array is
    /// inside of its memory, unless there is none, and a lender's strides are beyond all numbers.
    #[inline]
    #[must_use]
    pub fn start_of(&self, axis: usize, index: usize) -> *mut u8 {
        let offset = (index as isize).wrapping_mul(self.strides[axis]);
        self.start.wrapping_offset(offset)
    }

    /// The axes in the opposite order, of the same memory.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut other = self.same_memory();
        other.shape.reverse();
        other.strides.reverse();
        other
    }

    /// Other elements of the same memory, or the same ones in another shape. The elements of this
    /// array are numbered as they lie: the first is `start`, and `strides` says how much further
    /// the next is along each axis.
    ///
    /// # Errors
    /// `ValueError`: the elements of this array do not lie side by side, or there are not so many.
    pub fn strided(&self, shape: &[usize], strides: &[usize], start: usize) -> Result<Self, Error> {
        if !self.is_dense() {
            return Err(Error::value_error("the elements do not lie side by side"));
        }
        let too_few = || Error::value_error("the array has not so many elements");
        if strides.len() != shape.len() {
            return Err(Error::value_error("as many strides as axes are needed"));
        }
        let item = self.item_size();
        super::shape::bytes_of_shape(shape, item)?;
        let empty = shape.contains(&0);
        if !empty {
            let last = shape.iter().zip(strides).try_fold(start, |at, (n, stride)| {
                at.checked_add(stride.checked_mul(n - 1)?)
            });
            if last.is_none_or(|last| last >= self.element_count()) {
                return Err(too_few());
            }
        }
        let mut part = self.same_memory();
        if !empty {
            // An element of the array.
            part.start = self.start.wrapping_add(start.wrapping_mul(item));
        }
        part.shape = shape.into();
        // A stride that leads nowhere, as its axis has one element, may be of any size.
        part.strides = strides
            .iter()
            .zip(shape)
            .map(|(stride, n)| if empty || *n == 1 { item } else { stride.wrapping_mul(item) } as isize)
            .collect();
        Ok(part)
    }

    /// The same bytes as elements of another type, in a shape of as many bytes.
    ///
    /// # Errors
    /// `ValueError`: the elements of this array do not lie row after row, or take more or fewer
    /// bytes; elements of parts of bytes.
    pub fn reinterpret(&self, dtype: DType, shape: &[usize]) -> Result<Self, Error> {
        let size = super::shape::bytes_of_shape(shape, dtype.item_size()?)?;
        let has = self.element_count() * self.item_size();
        if !self.is_c_contiguous() {
            return Err(Error::value_error("the elements do not lie row after row"));
        }
        if size != has {
            return Err(Error::value_error(format!(
                "{dtype} in the shape {shape:?} takes {size} bytes, and the array has {has}"
            )));
        }
        let mut part = self.same_memory();
        part.dtype = dtype;
        part.shape = shape.into();
        part.strides = super::shape::c_strides(shape, dtype.item_size()?);
        Ok(part)
    }

    /// Whether the elements lie side by side, in whatever order of axes.
    fn is_dense(&self) -> bool {
        let mut axes: Vec<_> = (0..self.shape.len())
            .filter(|axis| self.shape[*axis] != 1)
            .collect();
        axes.sort_by_key(|axis| self.strides[*axis]);
        let axes = axes
            .iter()
            .rev()
            .map(|axis| (&self.shape[*axis], &self.strides[*axis]));
        super::shape::is_contiguous(axes, self.item_size())
    }

    /// All of it, of the same memory.
    #[must_use]
    pub fn slice_all(&self) -> Self {
        self.same_memory()
    }

    fn same_memory(&self) -> Self {
        ArrayBody {
            block: self.block.clone(),
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            ..*self
        }
    }
}
