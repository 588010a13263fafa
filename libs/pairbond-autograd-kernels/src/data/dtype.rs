//! [`DType`]: what the elements are; [`Element`]: the same for Rust's types.

use pairbond::prelude::*;

use super::memory::{Block, Memory};

/// `dispatch!(dtype, E => expression of E)`, for the type of elements.
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, $e:ident => $body:expr) => {
        match $dtype {
            $crate::data::DType::Bool => {
                type $e = bool;
                $body
            }
            $crate::data::DType::Int64 => {
                type $e = i64;
                $body
            }
            $crate::data::DType::Float32 => {
                type $e = f32;
                $body
            }
            $crate::data::DType::Float64 => {
                type $e = f64;
                $body
            }
        }
    };
}
pub use crate::dispatch;

/// The type of a tensor's elements.
#[pairbond::object("pairbond_autograd.DType")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DType {
    /// Truth values.
    #[name("bool")]
    Bool,
    /// Integers of 64 bits.
    #[name("int64")]
    Int64,
    /// Numbers of 32 bits.
    #[name("float32")]
    Float32,
    /// Numbers of 64 bits.
    #[name("float64")]
    Float64,
}

impl DType {
    /// Whether there are derivatives.
    pub fn is_float(self) -> bool {
        matches!(self, DType::Float32 | DType::Float64)
    }

    /// Returns the name that PyTorch gives it.
    pub fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::Int64 => "int64",
            DType::Float32 => "float32",
            DType::Float64 => "float64",
        }
    }

    /// The bytes of an element.
    pub fn element_size(self) -> usize {
        dispatch!(self, E => size_of::<E>())
    }

    /// Returns the type that holds the values of both.
    pub fn promote_with(self, other: DType) -> DType {
        if self as u8 >= other as u8 { self } else { other }
    }

    /// The error of an operation that has no derivative.
    pub fn check_float(self, what: &str) -> Result<()> {
        if self.is_float() {
            return Ok(());
        }
        Err(Error::runtime_error(format!(
            "{what}, but it is of dtype {}",
            self.name()
        )))
    }
}

/// A type of elements.
pub trait Element: Copy + PartialEq + Send + Sync + 'static {
    /// Itself, where it is an element of an array that others see.
    type Number: pairbond::value::Number;
    /// Its value of [`DType`].
    const DTYPE: DType;
    /// Zero, or false.
    const ZERO: Self;
    /// Numbers of this type as numbers of any.
    fn wrap_block(block: Block<Self>) -> Memory;
    /// The reverse; `None` if they are of another type.
    fn into_block(memory: Memory) -> Option<Block<Self>>;
    /// The same, borrowed.
    fn typed_block(memory: &Memory) -> Option<&Block<Self>>;
    /// The same, for writing.
    fn block_mut(memory: &mut Memory) -> Option<&mut Block<Self>>;
    /// The nearest value.
    fn of_f64(value: f64) -> Self;
    /// The nearest value.
    fn of_i64(value: i64) -> Self;
    /// The nearest float of 64 bits.
    fn to_f64(self) -> f64;
    /// The integer, without the part behind the point.
    fn to_i64(self) -> i64;
    /// From an element of an array that others see.
    fn of_number(number: Self::Number) -> Self;
    /// As an element of an array that others see.
    fn to_number(self) -> Self::Number;
    /// Whether both are written alike: zeros have a sign.
    fn same_repr(self, other: Self) -> bool {
        self == other && self.to_f64().is_sign_negative() == other.to_f64().is_sign_negative()
    }
    /// The sum: integers wrap, and truth values are joined by "or".
    fn add(self, other: Self) -> Self;
    /// The product: integers wrap, and truth values are joined by "and".
    fn mul(self, other: Self) -> Self;
}

/// A type of elements that has derivatives.
pub trait Float: Element + std::ops::Neg<Output = Self> + ndarray::LinalgScalar {}

macro_rules! element {
    ($t:ty, $variant:ident, $dtype:ident, $zero:expr, $f64:expr, $i64:expr, $to_f64:expr, $to_i64:expr, $add:expr, $mul:expr) => {
        impl Element for $t {
            type Number = $t;
            const DTYPE: DType = DType::$dtype;
            const ZERO: Self = $zero;
            fn wrap_block(block: Block<Self>) -> Memory {
                Memory::$variant(block)
            }
            fn into_block(memory: Memory) -> Option<Block<Self>> {
                match memory {
                    Memory::$variant(block) => Some(block),
                    _ => None,
                }
            }
            fn typed_block(memory: &Memory) -> Option<&Block<Self>> {
                match memory {
                    Memory::$variant(block) => Some(block),
                    _ => None,
                }
            }
            fn block_mut(memory: &mut Memory) -> Option<&mut Block<Self>> {
                match memory {
                    Memory::$variant(block) => Some(block),
                    _ => None,
                }
            }
            #[inline]
            fn of_f64(value: f64) -> Self {
                $f64(value)
            }
            #[inline]
            fn of_i64(value: i64) -> Self {
                $i64(value)
            }
            #[inline]
            fn to_f64(self) -> f64 {
                $to_f64(self)
            }
            #[inline]
            fn to_i64(self) -> i64 {
                $to_i64(self)
            }
            #[inline]
            fn of_number(number: $t) -> Self {
                number
            }
            #[inline]
            fn to_number(self) -> $t {
                self
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                $add(self, other)
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                $mul(self, other)
            }
        }
    };
}

element!(
    f32,
    F32,
    Float32,
    0.0,
    |v| v as f32,
    |v| v as f32,
    f64::from,
    |v| v as i64,
    |a, b| a + b,
    |a, b| a * b
);
element!(
    f64,
    F64,
    Float64,
    0.0,
    |v| v,
    |v| v as f64,
    |v| v,
    |v| v as i64,
    |a, b| a + b,
    |a, b| a * b
);
element!(
    i64,
    I64,
    Int64,
    0,
    |v| v as i64,
    |v| v,
    |v| v as f64,
    |v| v,
    i64::wrapping_add,
    i64::wrapping_mul
);
element!(
    bool,
    Bool,
    Bool,
    false,
    |v| v != 0.0,
    |v| v != 0,
    |v| f64::from(u8::from(v)),
    i64::from,
    |a, b| a | b,
    |a, b| a & b
);

impl Float for f32 {}
impl Float for f64 {}

/// The same where only floats are possible; an error for others.
#[macro_export]
macro_rules! dispatch_float {
    ($dtype:expr, $what:expr, $e:ident => $body:expr) => {
        match $dtype {
            $crate::data::DType::Float32 => {
                type $e = f32;
                $body
            }
            $crate::data::DType::Float64 => {
                type $e = f64;
                $body
            }
            other => Err(pairbond::Error::new(
                pairbond::ErrorKind::NotImplemented,
                format!("\"{}\" not implemented for {}", $what, other.name()),
            )),
        }
    };
}
pub use crate::dispatch_float;
