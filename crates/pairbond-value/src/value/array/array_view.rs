//! [`ArrayView`]: an array looked at from Rust, as elements of one type.

use std::marker::PhantomData;

use super::body::ArrayBody;
use super::number::Number;
use crate::error::Error;
use crate::memory::Gather;

/// The elements of an array that are `T`s. Others may write to them at any moment, each atomically.
#[derive(Clone, Copy)]
pub struct ArrayView<'a, T: Number> {
    body: &'a ArrayBody,
    _type: PhantomData<T>,
}

impl<'a, T: Number> ArrayView<'a, T> {
    pub(super) fn new(body: &'a ArrayBody) -> Result<Self, Error> {
        body.check_readable()?;
        if body.dtype() != T::DTYPE {
            return Err(Error::type_error(format!(
                "the elements are {}, not {}",
                body.dtype(),
                T::DTYPE
            )));
        }
        Ok(ArrayView {
            body,
            _type: PhantomData,
        })
    }

    /// The first element.
    #[cfg(feature = "ndarray")]
    pub(super) fn start_ptr(self) -> *const u8 {
        self.body.start_ptr()
    }

    /// From one element to the next along each axis, in bytes.
    #[cfg(feature = "ndarray")]
    pub(super) fn strides(self) -> &'a [isize] {
        self.body.strides()
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn shape(self) -> &'a [usize] {
        self.body.shape()
    }

    /// The number of all elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.body.element_count()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// An element.
    #[must_use]
    pub fn get(self, indices: &[usize]) -> Option<T> {
        let offset = self.body.offset(indices)?;
        // SAFETY: the offset of indices within the shape is that of an element.
        Some(unsafe { T::load(self.body.start_ptr().offset(offset)) })
    }

    /// Writes an element.
    ///
    /// # Errors
    /// `ValueError` when the array is read-only, `IndexError` when there is no such element.
    pub fn set(self, indices: &[usize], value: T) -> Result<(), Error> {
        self.check_writable()?;
        let offset = self
            .body
            .offset(indices)
            .ok_or_else(|| Error::index_error("array index out of range"))?;
        // SAFETY: an element that may be written.
        unsafe { value.store(self.body.start_ptr().offset(offset)) };
        Ok(())
    }

    /// Replaces each element by what `f` makes of it.
    ///
    /// # Errors
    /// `ValueError` when the array is read-only.
    pub fn update(self, mut f: impl FnMut(T) -> T) -> Result<(), Error> {
        self.check_writable()?;
        for offset in self.body.offsets() {
            // SAFETY: an element that may be written.
            unsafe {
                let place = self.body.start_ptr().offset(offset);
                f(T::load(place)).store(place);
            }
        }
        Ok(())
    }

    fn check_writable(self) -> Result<(), Error> {
        if self.body.is_readonly() {
            Err(Error::value_error("the array is read-only"))
        } else {
            Ok(())
        }
    }

    /// All elements, the last index fastest.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + 'a {
        let start = self.body.start_ptr();
        self.body
            .offsets()
            // SAFETY: offsets of the array's own shape and strides are those of elements.
            .map(move |offset| unsafe { T::load(start.offset(offset)) })
    }

    /// A copy of all elements, the last index fastest.
    #[must_use]
    pub fn to_vec(self) -> Vec<T> {
        self.iter().gather()
    }

    /// The elements as a slice, if the array is read-only
    /// ([`Array::constant`](super::Array::constant)) and contiguous.
    #[must_use]
    pub fn as_slice(self) -> Option<&'a [T]> {
        if self.body.is_constant() {
            // SAFETY: a constant array is never written to.
            unsafe { self.as_slice_unchecked() }
        } else {
            None
        }
    }

    /// The elements as a slice, if they are contiguous and aligned.
    ///
    /// # Safety
    /// The array is not written to while the slice is used, by Python code either.
    #[must_use]
    pub unsafe fn as_slice_unchecked(self) -> Option<&'a [T]> {
        let len = self.slice_len()?;
        if len == 0 {
            return Some(&[]);
        }
        // SAFETY: so many aligned elements, which any bytes are; promised.
        Some(unsafe { std::slice::from_raw_parts(self.body.start_ptr().cast(), len) })
    }

    /// The elements as a slice to be written, when that is allowed, and they lie one behind the
    /// other and are aligned.
    ///
    /// # Safety
    /// The array is not read or written otherwise while the slice is used, by Python code either.
    #[must_use]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn as_mut_slice_unchecked(self) -> Option<&'a mut [T]> {
        let len = self.slice_len()?;
        if self.body.is_readonly() {
            return None;
        }
        if len == 0 {
            return Some(&mut []);
        }
        // SAFETY: so many aligned elements, which any bytes are; promised.
        Some(unsafe { std::slice::from_raw_parts_mut(self.body.start_ptr().cast(), len) })
    }

    fn slice_len(self) -> Option<usize> {
        let fits = T::PLAIN
            && self.body.is_c_contiguous()
            && self.body.start_ptr().addr().is_multiple_of(align_of::<T>());
        (fits || self.is_empty()).then(|| self.len())
    }
}

impl<T: Number + std::fmt::Debug> std::fmt::Debug for ArrayView<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
