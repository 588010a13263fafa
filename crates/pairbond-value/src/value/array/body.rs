//! [`ArrayBody`]: the native object: what the elements are, and where they lie.

use super::Axes;
use super::block::BlockBody;
use super::number::Number;
use super::shape;
use crate::error::Error;
use crate::object::Ref;
use crate::trace::{Trace, Tracer};
use crate::value::{Any, Bytes, DType, Device};

/// The processor's own memory.
pub(super) const CPU: Device = Device { kind: 1, index: 0 };

/// The native object behind an [`Array`](super::Array).
pub struct ArrayBody {
    pub(super) block: Ref<BlockBody>,
    /// The element whose indices are all zero.
    pub(super) start: *mut u8,
    pub(super) dtype: DType,
    pub(super) device: Device,
    pub(super) readonly: bool,
    pub(super) shape: Axes<usize>,
    /// In bytes.
    pub(super) strides: Axes<isize>,
}

// SAFETY: the block keeps the memory, which is read and written by the rules of the module's head.
unsafe impl Send for ArrayBody {}
// SAFETY: the block keeps the memory, which is read and written by the rules of the module's head.
unsafe impl Sync for ArrayBody {}

built_in! { ArrayBody: "pairbond.Array", attributes: true }

// SAFETY: the block is shown once.
unsafe impl Trace for ArrayBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.block.trace(tracer);
    }
    fn is_shareable(&self) -> Option<bool> {
        self.block.is_shareable()
    }
}

/// Lent memory, and its layout.
#[derive(Debug)]
pub struct Lent<'a> {
    /// The element whose indices are all zero.
    pub start: *mut u8,
    /// The type of the elements.
    pub dtype: DType,
    /// Where they lie.
    pub device: Device,
    /// Whether they may not be written.
    pub readonly: bool,
    /// The number of elements along each axis.
    pub shape: &'a [usize],
    /// In bytes; row after row when not given.
    pub strides: Option<&'a [isize]>,
}

impl ArrayBody {
    pub(super) fn of_vec<T: Number>(shape: &[usize], values: Vec<T>, constant: bool) -> Result<Self, Error> {
        let size = shape::bytes_of_shape(shape, size_of::<T>())?;
        if size != size_of_val(&*values) {
            return Err(Error::value_error(format!(
                "{} values do not make an array of shape {shape:?}",
                values.len()
            )));
        }
        Ok(Self::of_block(
            BlockBody::of_vec(values, constant),
            T::DTYPE,
            shape,
            constant,
        ))
    }

    /// Zeros of any type.
    ///
    /// # Errors
    /// Elements of parts of bytes; no memory.
    pub fn zeros(shape: &[usize], dtype: DType) -> Result<Self, Error> {
        let size = shape::bytes_of_shape(shape, dtype.item_size()?)?;
        Ok(Self::of_block(BlockBody::zeros(size)?, dtype, shape, false))
    }

    pub(super) fn of_block(block: BlockBody, dtype: DType, shape: &[usize], readonly: bool) -> Self {
        ArrayBody {
            start: block.start_ptr(),
            block: Ref::new(block),
            dtype,
            device: CPU,
            readonly,
            shape: shape.into(),
            strides: shape::c_strides(shape, usize::from(dtype.bits / 8) * usize::from(dtype.lanes)),
        }
    }

    /// An array of memory that lives as long as `owner`.
    ///
    /// # Errors
    /// Elements of parts of bytes; a shape or strides that are larger than memory.
    ///
    /// # Safety
    /// All elements lie in memory that lives as long as `owner`, and can be written unless it is
    /// lent for reading. Other writers are not Rust code, or write atomically.
    pub unsafe fn from_lent(memory: &Lent<'_>, owner: Any) -> Result<Self, Error> {
        let item = memory.dtype.item_size()?;
        shape::bytes_of_shape(memory.shape, item)?;
        let strides = match memory.strides {
            Some(strides) if strides.len() == memory.shape.len() => strides.into(),
            Some(_) => return Err(Error::value_error("as many strides as axes are needed")),
            None => shape::c_strides(memory.shape, item),
        };
        shape::check_extent(memory.shape, &strides)?;
        Ok(ArrayBody {
            block: Ref::new(BlockBody::of_owner(memory.start, owner, false)),
            start: memory.start,
            dtype: memory.dtype,
            device: memory.device,
            readonly: memory.readonly,
            shape: memory.shape.into(),
            strides,
        })
    }

    /// Returns the block that keeps the memory.
    #[must_use]
    pub fn block(&self) -> &Ref<BlockBody> {
        &self.block
    }

    /// The element whose indices are all zero.
    #[must_use]
    pub fn start_ptr(&self) -> *mut u8 {
        self.start
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where they lie.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether they may not be written.
    #[must_use]
    pub fn is_readonly(&self) -> bool {
        self.readonly
    }

    /// Whether the memory cannot be written to.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.block.is_constant()
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// From one element to the next along each axis, in bytes.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The bytes of an element.
    #[must_use]
    pub fn item_size(&self) -> usize {
        usize::from(self.dtype.bits / 8) * usize::from(self.dtype.lanes)
    }

    /// The number of elements.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements lie one behind the other, the last index fastest.
    #[must_use]
    pub fn is_c_contiguous(&self) -> bool {
        shape::is_contiguous(self.shape.iter().zip(&self.strides), self.item_size())
    }

    /// The same with the first index fastest.
    #[must_use]
    pub fn is_f_contiguous(&self) -> bool {
        shape::is_contiguous(self.shape.iter().zip(&self.strides).rev(), self.item_size())
    }

    /// The elements' offsets from [`start_ptr`](Self::start_ptr), the last index fastest.
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = isize> + '_ {
        shape::Offsets::new(&self.shape, &self.strides)
    }

    /// The offset of an element; `None` when there is no such.
    #[must_use]
    pub fn offset(&self, indices: &[usize]) -> Option<isize> {
        if indices.len() != self.shape.len() {
            return None;
        }
        let mut offset = 0_isize;
        for ((index, n), stride) in indices.iter().zip(&self.shape).zip(&self.strides) {
            if index >= n {
                return None;
            }
            // An array without elements may have strides beyond all numbers: this axis is asked
            // before the one that is empty.
            offset = offset.wrapping_add((*index as isize).wrapping_mul(*stride));
        }
        Some(offset)
    }

    /// The bytes of a value, which never change.
    pub(super) fn of_bytes(bytes: Bytes) -> Self {
        let dtype = DType {
            code: 1,
            bits: 8,
            lanes: 1,
        };
        let shape = [bytes.len()];
        Self::of_block(BlockBody::of_bytes(bytes), dtype, &shape, true)
    }

    /// Whether the processor can read the elements.
    ///
    /// # Errors
    /// `ValueError`: the elements lie where the processor cannot reach.
    pub fn check_readable(&self) -> Result<(), Error> {
        if self.device.kind == CPU.kind {
            Ok(())
        } else {
            Err(Error::value_error(format!(
                "the array lies on {}, which only its own library can read",
                self.device
            )))
        }
    }
}
