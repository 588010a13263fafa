//! Formats of at most eight bits that rustc_apfloat lacks: those whose only NaN stands where minus
//! zero would, those without any NaN, and powers of two.
//!
//! Each of their values is an `f64`, and is found by the arithmetic of these.

/// A format of at most eight bits.
#[derive(Clone, Copy)]
pub(super) struct Small {
    pub(super) bits: u32,
    /// The stored bits of the mantissa.
    pub(super) mantissa: u32,
    pub(super) bias: i32,
    pub(super) nan: Nan,
}

/// The values of a format besides finite numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nan {
    /// One NaN, where minus zero would be; numbers that are too large become NaN.
    NegativeZero,
    /// None; numbers that are too large become the largest.
    None,
    /// One NaN, all bits set, and neither sign nor zero.
    AllOnes,
}

impl Small {
    fn has_sign(self) -> bool {
        self.nan != Nan::AllOnes
    }

    fn sign_bit(self) -> u8 {
        1 << (self.bits - 1)
    }

    /// The bits of the largest value.
    fn largest_bits(self) -> u8 {
        if self.has_sign() {
            self.sign_bit() - 1
        } else {
            u8::MAX - 1
        }
    }

    fn nan_bits(self) -> u8 {
        if self.has_sign() { self.sign_bit() } else { u8::MAX }
    }

    /// The value of bits.
    pub(super) fn decode(self, bits: u8) -> f64 {
        if self.nan != Nan::None && bits == self.nan_bits() {
            return f64::NAN;
        }
        let negative = self.has_sign() && bits & self.sign_bit() != 0;
        let magnitude = if negative { bits & !self.sign_bit() } else { bits };
        let (exponent, fraction) = (
            i32::from(magnitude >> self.mantissa),
            i32::from(magnitude & ((1 << self.mantissa) - 1)),
        );
        let (significand, exponent) = match exponent {
            0 if self.has_sign() => (fraction, 1),
            _ => (fraction | 1 << self.mantissa, exponent),
        };
        let value = f64::from(significand) * 2_f64.powi(exponent - self.bias - self.mantissa as i32);
        if negative { -value } else { value }
    }

    /// The bits of the nearest value, ties to even.
    pub(super) fn encode(self, value: f64) -> u8 {
        if value.is_nan() {
            return self.nan_bits();
        }
        let negative = value.is_sign_negative() && self.has_sign();
        // Below the lowest exponent the distance between values stays the same; powers of two end
        // there.
        let lowest = i32::from(self.has_sign()) - self.bias;
        let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(lowest);
        let scaled = value.abs() * 2_f64.powi(self.mantissa as i32 - exponent);
        // Rounding up may carry into the exponent, as the addition does. Infinity has the largest
        // exponent.
        let significand = scaled.round_ties_even() as i32;
        let magnitude = ((exponent + self.bias - 1) << self.mantissa).saturating_add(significand);
        let bits = match u8::try_from(magnitude.max(0)) {
            Ok(bits) if bits <= self.largest_bits() => bits,
            _ if self.nan == Nan::None => self.largest_bits(),
            _ => return self.nan_bits(),
        };
        if negative && (bits != 0 || self.nan == Nan::None) {
            self.sign_bit() | bits
        } else {
            bits
        }
    }
}
