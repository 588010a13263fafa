//! [`Array`] as a value: made in Rust, taken as an argument, returned, kept in fields and
//! containers.

use std::borrow::Cow;
use std::fmt;

use super::array_view::ArrayView;
use super::body::{ArrayBody, Lent};
use super::number::Number;
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::trace::{Trace, Tracer};
use crate::value::{Any, Bytes, DType, Device, Element};

/// Numbers of one type in memory, with a shape. Cloning it counts a reference: it is the same
/// array.
///
/// Arrays share memory with `numpy` in both directions, and with whatever else knows the buffer
/// protocol or DLPack: an argument of this type takes a numpy array without copying, and a result
/// is one to `numpy.asarray`.
///
/// ```
/// use pairbond_value::value::Array;
///
/// let grid = Array::from_vec(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let column = grid.slice(1, 1, 1, 1)?;
/// column.view::<f64>()?.update(|x| -x)?;
/// assert_eq!(grid.view::<f64>()?.to_vec(), [1.0, -2.0, 3.0, 4.0, -5.0, 6.0]);
/// assert_eq!(grid.view::<f64>()?.get(&[1, 2]), Some(6.0));
/// assert!(grid.view::<i64>().is_err());
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone)]
pub struct Array(Ref<ArrayBody>);

impl Array {
    /// An array of values in their own memory, the last index fastest.
    ///
    /// # Errors
    /// `ValueError` when there are more or fewer than the shape says.
    pub fn from_vec<T: Number>(shape: &[usize], values: Vec<T>) -> Result<Self, Error> {
        ArrayBody::of_vec(shape, values, false).map(Self::of_body)
    }

    /// The same, of values that never change: Rust looks at them as a slice, and others can only
    /// read them.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec).
    pub fn constant<T: Number>(shape: &[usize], values: Vec<T>) -> Result<Self, Error> {
        ArrayBody::of_vec(shape, values, true).map(Self::of_body)
    }

    /// Zeros.
    ///
    /// # Errors
    /// Elements of parts of bytes; no memory.
    pub fn zeros(shape: &[usize], dtype: DType) -> Result<Self, Error> {
        ArrayBody::zeros(shape, dtype).map(Self::of_body)
    }

    /// An array of memory that lives as long as `owner`.
    ///
    /// # Errors
    /// As [`ArrayBody::from_lent`].
    ///
    /// # Safety
    /// As [`ArrayBody::from_lent`].
    pub unsafe fn lent(memory: &Lent<'_>, owner: Any) -> Result<Self, Error> {
        // SAFETY: the caller's owner keeps the memory, as it is described.
        unsafe { ArrayBody::from_lent(memory, owner) }.map(Self::of_body)
    }

    pub(super) fn body(&self) -> &ArrayBody {
        &self.0
    }

    fn of_body(body: ArrayBody) -> Self {
        Array(Ref::new(body))
    }

    /// The array of a native object.
    #[must_use]
    pub fn from_ref(body: Ref<ArrayBody>) -> Self {
        Array(body)
    }

    /// The elements, when they are `T`s.
    ///
    /// # Errors
    /// `TypeError` when they are of another type, `ValueError` when they lie on another device.
    pub fn view<T: Number>(&self) -> Result<ArrayView<'_, T>, Error> {
        ArrayView::new(&self.0)
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    /// Where they lie.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device()
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// From one element to the next along each axis, in bytes.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.0.strides()
    }

    /// Whether the elements may not be written.
    #[must_use]
    pub fn is_readonly(&self) -> bool {
        self.0.is_readonly()
    }

    /// Where the element whose indices are all zero lies in memory.
    #[must_use]
    pub fn address(&self) -> usize {
        self.0.start_ptr().addr()
    }

    /// Every `step`th element of an axis from `start` on, `count` of them, of the same memory.
    ///
    /// # Errors
    /// `IndexError`
    pub fn slice(&self, axis: usize, start: usize, step: isize, count: usize) -> Result<Self, Error> {
        self.0.slice(axis, start, step, count).map(Self::of_body)
    }

    /// One index of an axis, of the same memory: an array with an axis less.
    ///
    /// # Errors
    /// `IndexError`
    pub fn at(&self, axis: usize, index: usize) -> Result<Self, Error> {
        self.0.at(axis, index).map(Self::of_body)
    }

    /// The axes in the opposite order, of the same memory.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::of_body(self.0.transposed())
    }

    /// Other elements of the same memory, or the same ones in another shape. The elements of this
    /// array are numbered as they lie: the first is `start`, and `strides` says how much further
    /// the next is along each axis.
    ///
    /// ```
    /// use pairbond_value::value::Array;
    ///
    /// let row = Array::from_vec(&[6], vec![0, 1, 2, 3, 4, 5_i64])?;
    /// let columns = row.strided(&[3, 2], &[1, 3], 0)?;
    /// assert_eq!(columns.view::<i64>()?.to_vec(), [0, 3, 1, 4, 2, 5]);
    /// assert!(row.strided(&[3, 2], &[1, 3], 1).is_err());
    /// # Ok::<(), pairbond_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `ValueError`: the elements of this array do not lie side by side, or there are not so many.
    pub fn strided(&self, shape: &[usize], strides: &[usize], start: usize) -> Result<Self, Error> {
        self.0.strided(shape, strides, start).map(Self::of_body)
    }

    /// The same bytes as elements of another type, in a shape of as many bytes; of the same memory.
    ///
    /// ```
    /// use pairbond_value::value::{Array, Bytes, Number};
    ///
    /// let bytes = Array::from(Bytes::from(vec![1, 0, 2, 0, 3, 0, 4, 0]));
    /// let numbers = bytes.reinterpret(u16::DTYPE, &[2, 2])?;
    /// assert_eq!(numbers.view::<u16>()?.to_vec(), [1, 2, 3, 4].map(u16::to_le));
    /// assert!(bytes.reinterpret(u16::DTYPE, &[3]).is_err());
    /// # Ok::<(), pairbond_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `ValueError`: the elements of this array do not lie row after row, or take more or fewer
    /// bytes; elements of parts of bytes.
    pub fn reinterpret(&self, dtype: DType, shape: &[usize]) -> Result<Self, Error> {
        self.0.reinterpret(dtype, shape).map(Self::of_body)
    }

    /// A copy of the elements in memory of its own, row after row.
    ///
    /// # Errors
    /// They lie on another device; no memory.
    pub fn copy(&self) -> Result<Self, Error> {
        self.0.copy().map(Self::of_body)
    }

    /// The native object.
    #[must_use]
    pub fn as_borrow(&self) -> ErasedBorrow<'_> {
        self.0.as_borrow().erase()
    }

    /// The native object.
    #[must_use]
    pub fn into_erased(self) -> ErasedRef {
        self.0.into_erased()
    }

    /// Whether both are the same object.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.0.is(&other.0)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<array of {} {:?}>", self.dtype(), self.shape())
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for Array {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
}

impl From<Bytes> for Array {
    /// The bytes themselves: nothing is copied, but a few bytes that were in the handle.
    fn from(value: Bytes) -> Array {
        Array::of_body(ArrayBody::of_bytes(value))
    }
}

impl From<Array> for Any {
    fn from(value: Array) -> Any {
        Any::Object(value.into_erased())
    }
}

impl Element for Array {
    type Value = Self;
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("pairbond.Array")
    }
    fn to_any(value: Self) -> Any {
        value.into()
    }
    fn from_any(value: &Any) -> Option<Self> {
        value.downcast::<ArrayBody>().map(Array)
    }
}
