//! Floats of every kind, as their bits.

use super::decimal;

/// The kinds of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FloatKind {
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    TF32,
    F32,
    F64,
    F80,
    F128,
}

/// What there is beside finite numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Specials {
    /// Infinities and NaNs, as IEEE 754 has them.
    Ieee,
    /// One NaN per sign, all bits set.
    AllOnes,
    /// One NaN, which is where minus zero would be.
    NegativeZero,
    /// Nothing.
    None,
}

/// How a kind's bits are laid out.
pub(super) struct Layout {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    /// Of the mantissa, as it is stored.
    pub(super) mantissa: u32,
    pub(super) bias: i32,
    pub(super) specials: Specials,
}

impl FloatKind {
    /// All of them.
    pub const ALL: [FloatKind; 18] = {
        use FloatKind::*;
        [
            F4E2M1FN,
            F6E2M3FN,
            F6E3M2FN,
            F8E3M4,
            F8E4M3,
            F8E4M3FN,
            F8E4M3FNUZ,
            F8E4M3B11FNUZ,
            F8E5M2,
            F8E5M2FNUZ,
            F8E8M0FNU,
            BF16,
            F16,
            TF32,
            F32,
            F64,
            F80,
            F128,
        ]
    };

    #[rustfmt::skip]
    pub(super) const fn layout(self) -> Layout {
        use Specials::{AllOnes, Ieee, NegativeZero};
        let (name, bits, mantissa, bias, specials) = match self {
            FloatKind::F4E2M1FN => ("f4E2M1FN", 4, 1, 1, Specials::None),
            FloatKind::F6E2M3FN => ("f6E2M3FN", 6, 3, 1, Specials::None),
            FloatKind::F6E3M2FN => ("f6E3M2FN", 6, 2, 3, Specials::None),
            FloatKind::F8E3M4 => ("f8E3M4", 8, 4, 3, Ieee),
            FloatKind::F8E4M3 => ("f8E4M3", 8, 3, 7, Ieee),
            FloatKind::F8E4M3FN => ("f8E4M3FN", 8, 3, 7, AllOnes),
            FloatKind::F8E4M3FNUZ => ("f8E4M3FNUZ", 8, 3, 8, NegativeZero),
            FloatKind::F8E4M3B11FNUZ => ("f8E4M3B11FNUZ", 8, 3, 11, NegativeZero),
            FloatKind::F8E5M2 => ("f8E5M2", 8, 2, 15, Ieee),
            FloatKind::F8E5M2FNUZ => ("f8E5M2FNUZ", 8, 2, 16, NegativeZero),
            FloatKind::F8E8M0FNU => ("f8E8M0FNU", 8, 0, 127, AllOnes),
            FloatKind::BF16 => ("bf16", 16, 7, 127, Ieee),
            FloatKind::F16 => ("f16", 16, 10, 15, Ieee),
            FloatKind::TF32 => ("tf32", 19, 10, 127, Ieee),
            FloatKind::F32 => ("f32", 32, 23, 127, Ieee),
            FloatKind::F64 => ("f64", 64, 52, 1023, Ieee),
            FloatKind::F80 => ("f80", 80, 64, 16383, Ieee),
            FloatKind::F128 => ("f128", 128, 112, 16383, Ieee),
        };
        Layout { name, bits, mantissa, bias, specials }
    }

    /// As types are written.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.layout().name
    }

    /// How many bits a value has.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.layout().bits
    }

    /// The kind that is written so.
    #[must_use]
    pub fn by_name(name: &str) -> Option<FloatKind> {
        FloatKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn signed(self) -> bool {
        self != FloatKind::F8E8M0FNU
    }

    /// Of x87 the leading bit of the mantissa is stored; `mantissa` counts it.
    fn fraction(self) -> u32 {
        self.layout().mantissa - u32::from(self == FloatKind::F80)
    }

    fn exponent_bits(self) -> u32 {
        self.layout().bits - self.layout().mantissa - u32::from(self.signed())
    }

    /// The nearest value, ties to even; beyond the largest what the kind has for it.
    #[must_use]
    #[allow(clippy::cast_possible_wrap, reason = "exponents and widths are small")]
    pub fn encode(self, value: f64) -> u128 {
        let layout = self.layout();
        let sign = u128::from(value.is_sign_negative() && self.signed()) << (layout.bits - 1);
        let top = (1_u128 << self.exponent_bits()) - 1;
        if value.is_nan() {
            return self.nan(sign);
        }
        if value.is_infinite() {
            return self.beyond(sign);
        }
        if value == 0.0 {
            return if layout.specials == Specials::NegativeZero {
                0
            } else {
                sign
            };
        }
        // value = significand × 2^exponent, exactly.
        let bits = value.abs().to_bits();
        let stored = (bits >> 52) as i32;
        let (mut significand, mut exponent) = match stored {
            0 => (u128::from(bits), -1074),
            _ => (u128::from(bits & ((1 << 52) - 1) | 1 << 52), stored - 1075),
        };
        // Normalise to 53 bits, so that the leading bit is worth 2^(exponent + 52).
        let shift = significand.leading_zeros() as i32 - (128 - 53);
        significand <<= shift;
        exponent -= shift;
        let fraction = self.fraction() as i32;
        // No kind but the one without zero goes below the exponent 1 without losing bits.
        let lowest = if self.signed() { 1 } else { 0 };
        let biased = exponent + 52 + layout.bias;
        let subnormal = (lowest - biased).max(0);
        let drop = 52 - fraction + subnormal;
        let rounded = if drop <= 0 {
            significand << -drop
        } else {
            nearest_even(significand, drop as u32)
        };
        // Rounding up may carry into the exponent, which is what the addition does.
        let base = if subnormal > 0 { lowest - 1 } else { biased - 1 };
        let base = if self.signed() {
            base
        } else {
            base + 1 - i32::from(subnormal == 0)
        };
        let mut magnitude = ((base.max(0) as u128) << fraction) + rounded;
        if !self.signed() {
            magnitude = u128::from((biased.max(0) as u32 + u32::from(rounded > 1)).min(255));
        }
        let largest = match layout.specials {
            Specials::Ieee => (top << fraction) - 1,
            Specials::AllOnes => ((top << fraction) | ((1 << fraction) - 1)) - 1,
            Specials::NegativeZero | Specials::None => (top << fraction) | ((1 << fraction) - 1),
        };
        if magnitude > largest {
            return self.beyond(sign);
        }
        if magnitude == 0 && layout.specials == Specials::NegativeZero {
            return 0;
        }
        match self {
            // The leading bit is explicit.
            FloatKind::F80 => {
                let (exponent, fraction) = (magnitude >> 63, magnitude & ((1 << 63) - 1));
                sign | exponent << 64 | u128::from(exponent != 0) << 63 | fraction
            }
            _ => sign | magnitude,
        }
    }

    fn nan(self, sign: u128) -> u128 {
        let layout = self.layout();
        let top = (1_u128 << self.exponent_bits()) - 1;
        match layout.specials {
            Specials::Ieee if self == FloatKind::F80 => sign | top << 64 | 3 << 62,
            Specials::Ieee => sign | top << layout.mantissa | 1 << (layout.mantissa - 1),
            Specials::AllOnes => sign | ((1 << (layout.bits - u32::from(self.signed()))) - 1),
            Specials::NegativeZero => 1 << (layout.bits - 1),
            Specials::None => 1 << (layout.bits - 1),
        }
    }

    /// What stands for too large a number: infinity, or else NaN, or else the largest.
    fn beyond(self, sign: u128) -> u128 {
        let layout = self.layout();
        let top = (1_u128 << self.exponent_bits()) - 1;
        match layout.specials {
            Specials::Ieee if self == FloatKind::F80 => sign | top << 64 | 1 << 63,
            Specials::Ieee => sign | top << layout.mantissa,
            Specials::None => sign | top << layout.mantissa | ((1 << layout.mantissa) - 1),
            _ => self.nan(sign),
        }
    }

    /// The value as an `f64`; `None` if an `f64` cannot hold it exactly, or it is not a finite number.
    #[must_use]
    #[allow(
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "at most 53 bits are converted"
    )]
    pub fn decode(self, bits: u128) -> Option<f64> {
        let layout = self.layout();
        let negative = self.signed() && bits >> (layout.bits - 1) & 1 == 1;
        let magnitude =
            bits & (((1 << (layout.bits - 1)) - 1) | (u128::from(!self.signed()) << (layout.bits - 1)));
        if self.is_special(bits) {
            return None;
        }
        let exponent = (magnitude >> layout.mantissa) as i32;
        let fraction = magnitude & ((1 << layout.mantissa) - 1);
        let implicit = self != FloatKind::F80;
        let (significand, exponent) = match exponent {
            0 if self.signed() => (fraction, 1),
            _ if implicit => (fraction | 1 << layout.mantissa, exponent),
            _ => (fraction, exponent),
        };
        if significand == 0 {
            return Some(if negative { -0.0 } else { 0.0 });
        }
        let zeros = significand.trailing_zeros();
        let significand = significand >> zeros;
        let exponent = exponent - layout.bias - self.fraction() as i32 + zeros as i32;
        let width = 128 - significand.leading_zeros() as i32;
        // It must have a place among the f64s: not too long, not beyond the ends.
        if width > 53 || exponent + width > 1024 || exponent < -1074 {
            return None;
        }
        let (half, rest) = (exponent / 2, exponent - exponent / 2);
        let value = significand as f64 * 2_f64.powi(half) * 2_f64.powi(rest);
        Some(if negative { -value } else { value })
    }

    /// The `f64` that is nearest: infinities and NaNs, too. What is finer than an `f64` is cut off.
    #[must_use]
    pub fn nearest(self, bits: u128) -> f64 {
        if let Some(value) = self.decode(bits) {
            return value;
        }
        let layout = self.layout();
        let negative = self.signed() && bits >> (layout.bits - 1) & 1 == 1;
        let magnitude = bits & ((1 << (layout.bits - 1)) - 1);
        if !self.is_special(bits) {
            // Only f80 and f128 come here. Without the lowest bits of the fraction it is an f64, unless it lies beyond the ends.
            let cut = magnitude >> (self.fraction() - 52) << (self.fraction() - 52);
            let beyond = if magnitude >> layout.mantissa > layout.bias as u128 {
                f64::INFINITY
            } else {
                0.0
            };
            let value = self.decode(cut).unwrap_or(beyond);
            return if negative { -value } else { value };
        }
        let infinite = self.beyond(0) == magnitude && layout.specials == Specials::Ieee;
        match (infinite, negative) {
            (false, _) => f64::NAN,
            (true, false) => f64::INFINITY,
            (true, true) => f64::NEG_INFINITY,
        }
    }

    fn is_special(self, bits: u128) -> bool {
        let layout = self.layout();
        let magnitude = bits & ((1 << (layout.bits - u32::from(self.signed()))) - 1);
        let top = (1_u128 << self.exponent_bits()) - 1;
        match layout.specials {
            Specials::Ieee => magnitude >> layout.mantissa == top,
            Specials::AllOnes => magnitude == (1 << (layout.bits - u32::from(self.signed()))) - 1,
            Specials::NegativeZero => bits == 1 << (layout.bits - 1),
            Specials::None => false,
        }
    }
}

fn nearest_even(significand: u128, drop: u32) -> u128 {
    if drop > 64 {
        return 0;
    }
    let (kept, lost, half) = (
        significand >> drop,
        significand & ((1 << drop) - 1),
        1 << (drop - 1),
    );
    kept + u128::from(lost > half || lost == half && kept & 1 == 1)
}

/// The value that a decimal literal says, of a kind.
pub(crate) fn parse_float(text: &str, kind: FloatKind) -> Option<u128> {
    let value: f64 = text.parse().ok()?;
    Some(kind.encode(value))
}

/// As MLIR writes it, and whether that is in hexadecimal: six digits if these say it all, else as many as distinguish it, else its bits.
pub(crate) fn float_text(bits: u128, kind: FloatKind) -> (String, bool) {
    if let Some(value) = kind.decode(bits) {
        let short = decimal::scientific(value);
        if parse_float(&short, kind) == Some(bits) {
            return (short, false);
        }
        let precision = kind.fraction() + 1;
        let long = decimal::natural(value, 2 + precision as usize * 59 / 196);
        if long.contains('.') {
            return (long, false);
        }
    }
    (format!("0x{bits:X}"), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_of_small_kinds_come_back() {
        for kind in FloatKind::ALL.into_iter().filter(|kind| kind.bits() <= 16) {
            for bits in 0..1_u128 << kind.bits() {
                if let Some(value) = kind.decode(bits) {
                    assert_eq!(kind.encode(value), bits, "{kind:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn between_two_values_the_even_one_is_nearer() {
        for kind in FloatKind::ALL.into_iter().filter(|kind| kind.bits() <= 16) {
            for bits in 0..1_u128 << (kind.bits() - 1) {
                let (Some(low), Some(high)) = (kind.decode(bits), kind.decode(bits + 1)) else {
                    continue;
                };
                if low <= 0.0 || low >= high {
                    continue;
                }
                let middle = low / 2.0 + high / 2.0;
                let even = if kind == FloatKind::F8E8M0FNU {
                    bits + 1
                } else {
                    bits + (bits & 1)
                };
                assert_eq!(kind.encode(middle), even, "{kind:?} {bits:#x}");
                assert_eq!(kind.encode(low + (high - low) * 0.25), bits, "{kind:?} {bits:#x}");
                assert_eq!(
                    kind.encode(low + (high - low) * 0.75),
                    bits + 1,
                    "{kind:?} {bits:#x}"
                );
            }
        }
    }

    #[test]
    fn large_kinds() {
        assert_eq!(FloatKind::F32.encode(0.1), u128::from(0.1_f32.to_bits()));
        assert_eq!(FloatKind::F32.encode(1e-45), 1);
        assert_eq!(FloatKind::F32.encode(1e300), 0x7F80_0000);
        for value in [0.1, -1e300, 5e-324, 1.0, 0.0, -0.0, f64::MAX] {
            assert_eq!(FloatKind::F64.encode(value), u128::from(value.to_bits()));
            for kind in [FloatKind::F64, FloatKind::F80, FloatKind::F128] {
                let back = kind.decode(kind.encode(value)).expect("it is finite");
                assert_eq!(back.to_bits(), value.to_bits(), "{kind:?}");
            }
        }
        assert_eq!(FloatKind::F80.encode(1.0), 0x3FFF_8000_0000_0000_0000);
        assert_eq!(FloatKind::F128.encode(1.0), 0x3FFF << 112);
    }
}
