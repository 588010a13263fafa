//! Functions of floats that a loop computes for several numbers at a time: polynomials without branches, of which the compiler makes the processor's
//! vectors. `pulp` asks once which of these the processor has.
//!
//! Each result is at most 2 units in the last place off (`exp` and f32 1), for all numbers with the infinities, NaN and those next to zero.

use pulp::{Arch, NullaryFnOnce};

use crate::tensor::Float;

/// Fewer numbers are not worth asking for vectors.
const FEW: usize = 16;

/// Functions of a float that have no branches.
pub(crate) trait Vector: Float + PartialOrd {
    fn exp(self) -> Self;
    fn tanh(self) -> Self;
    fn ln(self) -> Self;
}

/// Writes `f` of each number to the place beside it.
pub(crate) fn fill<A: Copy, O>(numbers: &[A], out: &mut [O], f: impl Fn(A) -> O) {
    struct Loop<'a, A, O, F>(&'a [A], &'a mut [O], F);
    impl<A: Copy, O, F: Fn(A) -> O> NullaryFnOnce for Loop<'_, A, O, F> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            let Loop(numbers, out, f) = self;
            for (out, &number) in out.iter_mut().zip(numbers) {
                *out = f(number);
            }
        }
    }
    let all = Loop(numbers, out, f);
    if numbers.len() < FEW {
        all.call();
    } else {
        Arch::new().dispatch(all);
    }
}

/// `f` of each number.
pub(crate) fn each<A: Copy, O: Float>(numbers: &[A], f: impl Fn(A) -> O) -> Vec<O> {
    let mut out = vec![O::ZERO; numbers.len()];
    fill(numbers, &mut out, f);
    out
}

/// The coefficient of each power, from the highest on.
macro_rules! polynomial {
    ($x:expr; $($of:expr),*) => {{
        let (x, mut sum) = ($x, 0.0);
        $(sum = sum * x + $of;)*
        sum
    }};
}

macro_rules! functions {
    (
        $t:ident, mantissa $mantissa:literal, bias $bias:literal, rounding $rounding:literal, ends $ends:literal,
        ln2 [$high:expr, $low:expr], taylor $($factorial:literal)*, tanh $($p:literal)* / $($q:literal)*
    ) => {
        impl Vector for $t {
            /// 2ⁿ times a polynomial of what is left over, which is at most ln 2 / 2.
            #[inline(always)]
            fn exp(self) -> $t {
                // Adding it rounds, and leaves the integer in the low bits.
                const ROUNDING: $t = $rounding;
                // Beyond these it is infinite or zero. NaN stays.
                let x = if self > $ends { $ends } else { self };
                let x = if x < -1.1 * $ends { -1.1 * $ends } else { x };
                let n = (x * std::$t::consts::LOG2_E + ROUNDING) - ROUNDING;
                let rest = (x - n * ($high)) - n * $low;
                let power = 1.0 + (rest + rest * rest * polynomial!(rest; $(1.0 / $factorial),*));
                // In two steps: 2ⁿ by itself may be too large, or too small.
                let half = (n * 0.5 + ROUNDING) - ROUNDING;
                let two = |n: $t| {
                    let n = (n + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits());
                    $t::from_bits(n.wrapping_add($bias) << $mantissa)
                };
                power * two(half) * two(n - half)
            }

            /// A quotient of polynomials near zero, where the other formula would lose digits.
            #[inline(always)]
            fn tanh(self) -> $t {
                let size = self.abs();
                let square = size * size;
                let near = size + size * square * (polynomial!(square; $($p),*) / polynomial!(square; $($q),*));
                let far = 1.0 - 2.0 / (Vector::exp(size + size) + 1.0);
                (if size < 0.625 { near } else { far }).copysign(self)
            }

            #[inline]
            fn ln(self) -> $t {
                self.ln()
            }
        }
    };
}

functions!(
    f32, mantissa 23, bias 127, rounding 12_582_912.0, ends 95.0,
    ln2 [355.0 / 512.0, -2.121_944_4e-4], taylor 5040.0 720.0 120.0 24.0 6.0 2.0,
    tanh -5.704_988_7e-3 2.063_908_8e-2 -5.373_971_6e-2 1.333_144_2e-1 -3.333_328e-1 / 1.0
);
functions!(
    f64, mantissa 52, bias 1023, rounding 6_755_399_441_055_744.0, ends 710.0,
    ln2 [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10],
    taylor 6_227_020_800.0 479_001_600.0 39_916_800.0 3_628_800.0 362_880.0 40_320.0 5040.0 720.0 120.0 24.0 6.0 2.0,
    tanh -9.643_991_794_250_522e-1 -9.928_772_310_019_186e1 -1.614_687_684_417_084_5e3
        / 1.0 1.128_116_784_916_329_3e2 2.235_488_390_601_004_5e3 4.844_063_053_251_255e3
);

#[cfg(test)]
mod tests {
    use super::*;

    /// How many floats lie between both.
    fn distance(a: i64, b: i64) -> u64 {
        let order = |bits: i64| if bits < 0 { i64::MIN - bits } else { bits };
        order(a).abs_diff(order(b))
    }

    fn of_f32(name: &str, ours: fn(f32) -> f32, theirs: fn(f64) -> f64, off: u64) {
        let special = [
            0.0,
            -0.0,
            f32::INFINITY,
            -f32::INFINITY,
            f32::NAN,
            88.72,
            88.73,
            -87.4,
            -103.9,
            -104.1,
        ];
        let all = (0..u32::MAX).step_by(9_973).map(f32::from_bits);
        for x in special.into_iter().chain(all) {
            // Rounded once from more digits than are asked for.
            let (found, expected) = (ours(x), theirs(f64::from(x)) as f32);
            let bits = |x: f32| i64::from(x.to_bits().cast_signed());
            let order = |x: f32| {
                if bits(x) < 0 {
                    i64::from(i32::MIN) - bits(x)
                } else {
                    bits(x)
                }
            };
            let same = found.is_nan() && expected.is_nan();
            assert!(
                same || order(found).abs_diff(order(expected)) <= off,
                "{name}({x:e}): {found:e}, not {expected:e}"
            );
            assert!(
                same || found.is_sign_negative() == expected.is_sign_negative(),
                "{name}({x:e})"
            );
        }
    }

    fn of_f64(name: &str, ours: fn(f64) -> f64, theirs: fn(f64) -> f64, off: u64) {
        let special = [
            0.0,
            -0.0,
            f64::INFINITY,
            -f64::INFINITY,
            f64::NAN,
            709.78,
            709.79,
            -708.5,
            -745.1,
            -745.2,
        ];
        let bits = (0..u64::MAX).step_by(50_000_000_000_017).map(f64::from_bits);
        let near = (0..400_000).map(|i| f64::from(i) * 0.003_77 - 754.0);
        let nearer = (0..400_000).map(|i| f64::from(i) * 1e-5 - 2.0);
        for x in special.into_iter().chain(bits).chain(near).chain(nearer) {
            let (found, expected) = (ours(x), theirs(x));
            let same = found.is_nan() && expected.is_nan();
            let bits = |x: f64| x.to_bits().cast_signed();
            assert!(
                same || distance(bits(found), bits(expected)) <= off,
                "{name}({x:e}): {found:e}, not {expected:e}"
            );
            assert!(
                same || found.is_sign_negative() == expected.is_sign_negative(),
                "{name}({x:e})"
            );
        }
    }

    #[test]
    fn they_are_right_in_the_last_places() {
        of_f32("exp", Vector::exp, f64::exp, 1);
        of_f32("tanh", Vector::tanh, f64::tanh, 1);
        of_f64("exp", Vector::exp, f64::exp, 1);
        of_f64("tanh", Vector::tanh, f64::tanh, 2);
    }

    #[test]
    fn vectors_give_what_single_numbers_give() {
        for len in [0, 1, 15, 16, 17, 1000] {
            let numbers: Vec<f32> = (0..len).map(|i| i as f32 * 0.17 - 80.0).collect();
            let expected: Vec<f32> = numbers.iter().map(|&x| Vector::exp(x)).collect();
            let all = each(&numbers, Vector::exp);
            // With other instructions it may be rounded elsewhere.
            assert!(
                all.iter()
                    .zip(&expected)
                    .all(|(a, b)| a.to_bits().abs_diff(b.to_bits()) <= 1)
            );
            assert_eq!(all.len(), len);
        }
    }
}
