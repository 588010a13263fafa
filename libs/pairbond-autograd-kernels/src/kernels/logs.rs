//! Logarithms, without branches, as in `vector`.

use super::vector::{Vector, polynomial};

/// Logarithms that have no branches.
pub trait Logs: Vector {
    /// It as 2ⁿ · (1 + f), where 1 + f lies between the roots of one half and of two: n and f.
    fn split_exponent(self) -> [Self; 2];
    /// The logarithm of 1 + it, which [`split_exponent`](Logs::split_exponent) made, and `more`,
    /// which is small.
    fn near_one(self, more: Self) -> Self;
    /// It as the logarithm of `x`, unless that is none of the positive finite numbers.
    fn finite_or_special(self, x: Self) -> Self;
    /// Returns its natural logarithm.
    fn ln(self) -> Self;
    /// Returns its logarithm to the base 2.
    fn log2(self) -> Self;
    /// Returns the natural logarithm of 1 + it: exact near zero.
    fn ln_1p(self) -> Self;
}

macro_rules! logs {
    ($t:ident $bits:ident, mantissa $mantissa:literal, bias $bias:literal, odd $($odd:literal)*) => {
        impl Logs for $t {
            #[inline(always)]
            fn split_exponent(self) -> [$t; 2] {
                const LEAST: $bits = std::$t::consts::FRAC_1_SQRT_2.to_bits();
                const ONE: $bits = (1.0 as $t).to_bits();
                // Numbers next to zero are scaled, so that they have all bits.
                let scale = (1_u64 << $mantissa) as $t;
                let tiny = self < $t::MIN_POSITIVE;
                let x = if tiny { self * scale } else { self };
                let scaled = if tiny { $mantissa as $t } else { 0.0 };
                // From the root of two on a carry goes to the exponent.
                let bits = x.to_bits().wrapping_add(ONE - LEAST);
                let n = $t::from_bits($t::ROUNDING.to_bits() + (bits >> $mantissa)) - ($t::ROUNDING + $bias);
                let one_and_f = $t::from_bits((bits & ((1 << $mantissa) - 1)) + LEAST);
                [n - scaled, one_and_f - 1.0]
            }

            /// The series of (1 + s) / (1 - s), the larger terms of which are exact.
            #[inline(always)]
            fn near_one(self, more: $t) -> $t {
                let s = self / (2.0 + self);
                let square = s * s;
                let series = square * polynomial!(square; $(2.0 / $odd),*);
                let half = 0.5 * self * self;
                self - (half - (s * (half + series) + more))
            }

            #[inline(always)]
            fn finite_or_special(self, x: $t) -> $t {
                let out = if x > 0.0 { self } else { $t::NAN };
                let out = if x == 0.0 { -$t::INFINITY } else { out };
                if x == $t::INFINITY { x } else { out }
            }

            #[inline(always)]
            fn ln(self) -> $t {
                let [n, f] = self.split_exponent();
                (n * $t::LN_2[0] + f.near_one(n * $t::LN_2[1])).finite_or_special(self)
            }

            #[inline(always)]
            fn log2(self) -> $t {
                let [n, f] = self.split_exponent();
                (n + f.near_one(0.0) * std::$t::consts::LOG2_E).finite_or_special(self)
            }

            /// That of the sum as it is rounded, and what the rounding lost.
            #[inline(always)]
            fn ln_1p(self) -> $t {
                let sum = 1.0 + self;
                let lost = (self - (sum - 1.0)) / sum;
                let [n, f] = sum.split_exponent();
                (n * $t::LN_2[0] + f.near_one(n * $t::LN_2[1] + lost)).finite_or_special(sum).copysign(self)
            }
        }
    };
}

logs!(f32 u32, mantissa 23, bias 127.0, odd 11.0 9.0 7.0 5.0 3.0);
logs!(f64 u64, mantissa 52, bias 1023.0, odd 23.0 21.0 19.0 17.0 15.0 13.0 11.0 9.0 7.0 5.0 3.0);

#[cfg(test)]
mod tests {
    use super::super::ulps::{of_f32, of_f64};
    use super::*;

    #[test]
    fn they_are_right_in_the_last_places() {
        of_f32("ln", Logs::ln, f64::ln, 1);
        of_f32("log2", Logs::log2, f64::log2, 2);
        of_f32("ln_1p", Logs::ln_1p, f64::ln_1p, 1);
        of_f64("ln", Logs::ln, f64::ln, 1);
        of_f64("log2", Logs::log2, f64::log2, 2);
        of_f64("ln_1p", Logs::ln_1p, f64::ln_1p, 2);
    }

    #[test]
    fn powers_of_two_are_exact() {
        let mut power = f64::from_bits(1);
        for n in -1074..1024 {
            assert_eq!(Logs::log2(power), f64::from(n));
            power *= 2.0;
        }
    }
}
