//! `ndarray`: arrays of that crate, and looking at arrays through it.
//!
//! Memory that Rust owns is passed without a copy. Memory that others may write to is copied, or
//! viewed if the caller ensures that there are no writes: `ndarray` reads elements as plain memory.

use ndarray::{ArrayViewD, Axis, CowArray, Dimension, IxDyn, ShapeBuilder};

use super::{Array, ArrayView, Number};
use crate::error::Error;

impl<'a, T: Number> ArrayView<'a, T> {
    /// The elements for `ndarray`: borrowed if the array is read-only ([`Array::constant`]),
    /// otherwise a copy.
    #[must_use]
    pub fn to_ndarray(self) -> CowArray<'a, T, IxDyn> {
        if let Some(values) = self.as_slice()
            && let Ok(view) = ArrayViewD::from_shape(self.shape(), values)
        {
            return view.into();
        }
        let copy = ndarray::Array::from_shape_vec(self.shape(), self.to_vec());
        copy.expect("a copy has as many elements as the shape says")
            .into()
    }

    /// The elements for `ndarray`, where they lie, whatever the strides; `None` for elements that
    /// are not aligned, or are `bool`.
    ///
    /// # Safety
    /// The array is not written to while the view is used, by Python code either.
    #[must_use]
    pub unsafe fn as_ndarray_unchecked(self) -> Option<ArrayViewD<'a, T>> {
        let size = size_of::<T>();
        let (mut start, strides) = (self.start_ptr(), self.strides());
        if self.is_empty() {
            return ArrayViewD::from_shape(self.shape(), &[]).ok();
        }
        if !T::PLAIN
            || !start.cast::<T>().is_aligned()
            || strides.iter().any(|it| it.unsigned_abs() % size != 0)
        {
            return None;
        }
        // `ndarray` counts from the lowest address, and turns axes round afterwards.
        for (axis, stride) in strides.iter().enumerate().filter(|it| *it.1 < 0) {
            // SAFETY: the last element along this axis.
            start = unsafe { start.offset(stride * (self.shape()[axis] as isize - 1)) };
        }
        let steps: Vec<usize> = strides.iter().map(|it| it.unsigned_abs() / size).collect();
        // SAFETY: the elements of a living array, aligned, which any bytes are; no writes: the
        // caller ensures it.
        let mut view =
            unsafe { ArrayViewD::from_shape_ptr(IxDyn(self.shape()).strides(IxDyn(&steps)), start.cast()) };
        for (axis, _) in strides.iter().enumerate().filter(|it| *it.1 < 0) {
            view.invert_axis(Axis(axis));
        }
        Some(view)
    }
}

impl<T: Number, D: Dimension> TryFrom<ndarray::Array<T, D>> for Array {
    type Error = Error;

    /// The memory itself, if its elements lie one behind the other with the last index fastest;
    /// otherwise a copy.
    fn try_from(value: ndarray::Array<T, D>) -> Result<Self, Error> {
        let shape = value.shape().to_vec();
        if value.is_standard_layout() {
            let (values, offset) = value.into_raw_vec_and_offset();
            let len: usize = shape.iter().product();
            if offset.unwrap_or(0) == 0 && values.len() == len {
                return Array::from_vec(&shape, values);
            }
            let start = offset.unwrap_or(0);
            return Array::from_vec(&shape, values[start..start + len].to_vec());
        }
        Array::from_vec(&shape, value.iter().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_copies() {
        let array = Array::constant(&[2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
        let view = array.view::<i64>().unwrap();
        assert!(view.to_ndarray().is_view());
        assert_eq!(view.to_ndarray()[[1, 0]], 4);
        // Backwards along the last axis, and transposed.
        let turned = array.slice(1, 2, -1, 3).unwrap().transposed();
        let turned = turned.view::<i64>().unwrap();
        // SAFETY: no other code has the array.
        let view = unsafe { turned.as_ndarray_unchecked() }.unwrap();
        assert_eq!(view, turned.to_ndarray());
        assert_eq!(view.shape(), [3, 2]);
        assert_eq!(view.iter().copied().collect::<Vec<_>>(), [3, 6, 2, 5, 1, 4]);

        let owned = view.to_owned();
        let given = Array::try_from(owned.t().to_owned()).unwrap();
        assert_eq!(given.view::<i64>().unwrap().to_vec(), [3, 2, 1, 6, 5, 4]);
        let grid = ndarray::Array2::<f64>::zeros((2, 2));
        let address = grid.as_ptr() as usize;
        assert_eq!(Array::try_from(grid).unwrap().address(), address);
        let empty = Array::zeros(&[0, 2], i64::DTYPE).unwrap();
        let view = empty.view::<i64>().unwrap();
        // SAFETY: there is nothing to be written to.
        let nothing = unsafe { view.as_ndarray_unchecked() };
        assert!(nothing.unwrap().is_empty());
    }
}
