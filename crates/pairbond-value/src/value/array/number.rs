//! [`Number`]: the elements that Rust reads and writes. Each access is atomic (relaxed): a plain
//! move on every processor, and no race with other writers. A value that is not aligned is moved
//! byte by byte, each of them atomically.

use crate::sync::statics::Ordering;
use crate::value::DType;

mod sealed {
    pub trait Sealed {}
}

/// A type of number that an [`Array`](super::Array) can be of: the integers, `f32`, `f64`, and
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of an array",
    label = "does not implement `Number`",
    note = "elements are `i8` to `i64`, `u8` to `u64`, `f32`, `f64` and `bool`"
)]
pub trait Number: Copy + Send + Sync + sealed::Sealed + 'static {
    /// DLPack's name of the type.
    const DTYPE: DType;
    /// Whether any bytes are a value, so that memory can be looked at as a slice.
    #[doc(hidden)]
    const PLAIN: bool;
    /// Reads an element.
    ///
    /// # Safety
    /// Readable memory of that size; other writers write atomically, or are not Rust code.
    #[doc(hidden)]
    unsafe fn load(from: *const u8) -> Self;
    /// Writes an element.
    ///
    /// # Safety
    /// Writable memory of that size; as [`load`](Self::load).
    #[doc(hidden)]
    unsafe fn store(self, to: *mut u8);
}

macro_rules! bits {
    ($load:ident, $store:ident, $bits:ty, $atomic:ident) => {
        #[inline]
        unsafe fn $load(from: *const u8) -> $bits {
            use crate::sync::statics::$atomic;
            // SAFETY: readable memory of that size, which others write atomically: the caller of
            // `Number::load` ensures it.
            unsafe {
                if from.addr().is_multiple_of(size_of::<$bits>()) {
                    return $atomic::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed);
                }
                let byte = |at| {
                    crate::sync::statics::AtomicU8::from_ptr(from.cast_mut().add(at)).load(Ordering::Relaxed)
                };
                <$bits>::from_ne_bytes(std::array::from_fn(byte))
            }
        }

        #[inline]
        unsafe fn $store(to: *mut u8, bits: $bits) {
            use crate::sync::statics::$atomic;
            // SAFETY: writable memory of that size, which others access atomically: the caller of
            // `Number::store` ensures it.
            unsafe {
                if to.addr().is_multiple_of(size_of::<$bits>()) {
                    return $atomic::from_ptr(to.cast()).store(bits, Ordering::Relaxed);
                }
                for (at, byte) in bits.to_ne_bytes().into_iter().enumerate() {
                    crate::sync::statics::AtomicU8::from_ptr(to.add(at)).store(byte, Ordering::Relaxed);
                }
            }
        }
    };
}

bits!(load8, store8, u8, AtomicU8);
bits!(load16, store16, u16, AtomicU16);
bits!(load32, store32, u32, AtomicU32);
bits!(load64, store64, u64, AtomicU64);

macro_rules! numbers {
    ($($t:ty, $code:literal, $bits:literal, $load:ident, $store:ident, $b:ident => $from:expr, $v:ident => $into:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Number for $t {
            const DTYPE: DType = DType { code: $code, bits: $bits, lanes: 1 };
            const PLAIN: bool = $code != 6;
            #[inline]
            unsafe fn load(from: *const u8) -> Self {
                // SAFETY: the caller's pointer is at an element of this type.
                let $b = unsafe { $load(from) };
                $from
            }
            #[inline]
            unsafe fn store(self, to: *mut u8) {
                let $v = self;
                // SAFETY: the caller's pointer is at a writable element of this type.
                unsafe { $store(to, $into) }
            }
        }
    )*};
}

numbers! {
    i8, 0, 8, load8, store8, b => b as i8, v => v as u8;
    i16, 0, 16, load16, store16, b => b as i16, v => v as u16;
    i32, 0, 32, load32, store32, b => b as i32, v => v as u32;
    i64, 0, 64, load64, store64, b => b as i64, v => v as u64;
    u8, 1, 8, load8, store8, b => b, v => v;
    u16, 1, 16, load16, store16, b => b, v => v;
    u32, 1, 32, load32, store32, b => b, v => v;
    u64, 1, 64, load64, store64, b => b, v => v;
    f32, 2, 32, load32, store32, b => f32::from_bits(b), v => v.to_bits();
    f64, 2, 64, load64, store64, b => f64::from_bits(b), v => v.to_bits();
    bool, 6, 8, load8, store8, b => b != 0, v => v.into();
}
