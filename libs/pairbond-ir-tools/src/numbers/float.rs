//! Floats of every kind, as their bits. rustc_apfloat, the Rust project's port of LLVM's `APFloat`,
//! converts, reads and writes them; the few kinds that it lacks are in `small.rs`.

use std::borrow::Cow;

use rustc_apfloat::ieee::{
    BFloat, Double, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Quad, Semantics, Single, X87DoubleExtended,
};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::small::{Nan, Small};

/// Formats that are laid out as IEEE 754 has it, which is all that rustc_apfloat must know of them.
macro_rules! formats {
    ($($name:ident: $bits:literal bits, $exponent:literal of them the exponent;)*) => {$(
        struct $name;

        impl Semantics for $name {
            const BITS: usize = $bits;
            const EXP_BITS: usize = $exponent;
        }
    )*};
}
formats! {
    E3M4: 8 bits, 3 of them the exponent;
    E4M3: 8 bits, 4 of them the exponent;
    Tensor: 19 bits, 8 of them the exponent;
}

macro_rules! kinds {
    ($($kind:ident $name:literal $bits:literal $precision:literal $format:tt;)*) => {
        /// The kinds of floating-point numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum FloatKind {
            $($kind,)*
        }

        impl FloatKind {
            /// All of them.
            pub const ALL: [FloatKind; [$($bits),*].len()] = [$(FloatKind::$kind),*];

            /// As types are written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(FloatKind::$kind => $name,)* }
            }

            /// How many bits a value has.
            #[inline]
            #[must_use]
            pub fn bits(self) -> u32 {
                match self { $(FloatKind::$kind => $bits,)* }
            }

            /// The bits of the significand, the leading one included.
            fn significand_bits(self) -> usize {
                match self { $(FloatKind::$kind => $precision,)* }
            }

            /// The same value in the widest format, which has them all.
            fn to_quad(self, bits: u128) -> Quad {
                match self { $(FloatKind::$kind => kinds!(widen $format bits),)* }
            }

            /// The nearest value, ties to even.
            fn round_double(self, value: Double) -> u128 {
                match self { $(FloatKind::$kind => kinds!(round $format value),)* }
            }
        }
    };
    (widen ($type:ty) $bits:ident) => { convert_float::<_, Quad>(<$type>::from_bits($bits)) };
    (round ($type:ty) $value:ident) => { convert_float::<_, $type>($value).to_bits() };
    (widen $small:tt $bits:ident) => { convert_float(to_double(Small $small.decode($bits as u8))) };
    (round $small:tt $value:ident) => { Small $small.encode(from_apfloat($value)).into() };
}
kinds! {
    F4E2M1FN "f4E2M1FN" 4 2 { bits: 4, mantissa: 1, bias: 1, nan: Nan::None };
    F6E2M3FN "f6E2M3FN" 6 4 { bits: 6, mantissa: 3, bias: 1, nan: Nan::None };
    F6E3M2FN "f6E3M2FN" 6 3 { bits: 6, mantissa: 2, bias: 3, nan: Nan::None };
    F8E3M4 "f8E3M4" 8 5 (IeeeFloat<E3M4>);
    F8E4M3 "f8E4M3" 8 4 (IeeeFloat<E4M3>);
    F8E4M3FN "f8E4M3FN" 8 4 (Float8E4M3FN);
    F8E4M3FNUZ "f8E4M3FNUZ" 8 4 { bits: 8, mantissa: 3, bias: 8, nan: Nan::NegativeZero };
    F8E4M3B11FNUZ "f8E4M3B11FNUZ" 8 4 { bits: 8, mantissa: 3, bias: 11, nan: Nan::NegativeZero };
    F8E5M2 "f8E5M2" 8 3 (Float8E5M2);
    F8E5M2FNUZ "f8E5M2FNUZ" 8 3 { bits: 8, mantissa: 2, bias: 16, nan: Nan::NegativeZero };
    F8E8M0FNU "f8E8M0FNU" 8 1 { bits: 8, mantissa: 0, bias: 127, nan: Nan::AllOnes };
    BF16 "bf16" 16 8 (BFloat);
    F16 "f16" 16 11 (Half);
    TF32 "tf32" 19 11 (IeeeFloat<Tensor>);
    F32 "f32" 32 24 (Single);
    F64 "f64" 64 53 (Double);
    F80 "f80" 80 64 (X87DoubleExtended);
    F128 "f128" 128 113 (Quad);
}

/// The nearest value of another format, ties to even.
fn convert_float<F: FloatConvert<T>, T: Float>(value: F) -> T {
    value.convert(&mut false).value
}

fn to_double(value: f64) -> Double {
    Double::from_bits(value.to_bits().into())
}

fn from_apfloat(value: Double) -> f64 {
    f64::from_bits(value.to_bits() as u64)
}

impl FloatKind {
    /// The kind that is written so.
    #[must_use]
    pub fn by_name(name: &str) -> Option<FloatKind> {
        FloatKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The bits of the nearest value, ties to even; beyond the largest what the kind has for it. Of
    /// a NaN its sign and as much of its payload as the kind has room for.
    #[must_use]
    pub fn encode(self, value: f64) -> u128 {
        match self {
            FloatKind::F64 => value.to_bits().into(),
            // Which NaN a cast results in, Rust leaves open.
            FloatKind::F32 if !value.is_nan() => (value as f32).to_bits().into(),
            _ => self.round_double(to_double(value)),
        }
    }

    /// The value as an `f64`; `None` if an `f64` cannot hold it exactly, or it is not a finite
    /// number.
    #[must_use]
    pub fn decode(self, bits: u128) -> Option<f64> {
        let (value, mut inexact) = (self.to_quad(bits), false);
        let value: Double = value.convert(&mut inexact).value;
        (value.is_finite() && !inexact).then(|| from_apfloat(value))
    }

    /// The `f64` that is nearest: infinities and NaNs, too.
    #[must_use]
    pub fn nearest(self, bits: u128) -> f64 {
        match self {
            FloatKind::F64 => f64::from_bits(bits as u64),
            _ => from_apfloat(convert_float(self.to_quad(bits))),
        }
    }

    /// The bits of a decimal literal. As in MLIR, it is rounded to an `f64` and then to a narrower
    /// kind; of wider ones, which lose in MLIR what an `f64` cannot hold, it is the nearest value.
    #[must_use]
    pub fn parse_literal(self, text: &str, negative: bool) -> Option<u128> {
        fn parse_wide<F: Float>(text: &str, negative: bool) -> Option<u128> {
            let value = F::from_str_r(&shorten_literal(text), Round::NearestTiesToEven)
                .ok()?
                .value;
            Some(if negative { -value } else { value }.to_bits())
        }
        match self {
            FloatKind::F80 => parse_wide::<X87DoubleExtended>(text, negative),
            FloatKind::F128 => parse_wide::<Quad>(text, negative),
            _ => {
                let value: f64 = text.parse().ok()?;
                Some(self.encode(if negative { -value } else { value }))
            }
        }
    }

    /// The bits that a literal in hexadecimal stands for. Some of f80 are none that a processor
    /// makes, and are replaced as in LLVM.
    #[inline]
    #[must_use]
    pub fn canonical_bits(self, bits: u128) -> u128 {
        match self {
            FloatKind::F80 => X87DoubleExtended::from_bits(bits).to_bits(),
            _ => bits,
        }
    }
}

/// More digits do not decide between two values of f128: what lies halfway between them has 11,564
/// of them.
const DIGITS: usize = 12_000;

/// A number that is rounded to the same value, in no more digits than that and one for the rest:
/// reading takes time by the square of their number.
fn shorten_literal(text: &str) -> Cow<'_, str> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if mantissa.len() <= DIGITS {
        return text.into();
    }
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    let (Some((kept, rest)), Ok(exponent)) = (digits.split_at_checked(DIGITS), exponent.parse::<i64>())
    else {
        return text.into();
    };
    let rest = u8::from(rest.bytes().any(|digit| digit != b'0'));
    let place = whole.len() as i64 - (all.len() - digits.len()) as i64;
    format!("0.{kept}{rest}e{}", exponent.saturating_add(place)).into()
}

/// As MLIR writes it, and whether that is in hexadecimal: six digits if these say it all, else as
/// many as distinguish it, else its bits.
#[must_use]
pub fn float_text(bits: u128, kind: FloatKind) -> (String, bool) {
    let value = kind.to_quad(bits);
    if value.is_finite() {
        // The width is the number of zeros for which no exponent is written.
        let short = format!("{value:#0$.6}", 0);
        if kind.parse_literal(&short, false) == Some(bits) {
            return (short, false);
        }
        let long = format!("{value:.*}", 2 + kind.significand_bits() * 59 / 196);
        if long.contains('.') {
            return (long, false);
        }
    }
    (format!("0x{bits:X}"), true)
}
