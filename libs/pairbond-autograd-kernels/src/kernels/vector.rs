//! Functions of floats that a loop computes for several numbers at a time: polynomials without
//! branches, of which the compiler makes the processor's vectors. `pulp` asks once which of these
//! the processor has.
//!
//! Each result is at most 2 units in the last place off (`exp`, and f32 `tanh`, 1), for all numbers
//! with the infinities, NaN and those next to zero.

use pulp::{Arch, NullaryFnOnce};

use super::threads;
use crate::data::Float;
use crate::data::room::filled_vec;

/// Fewer numbers are not worth asking for vectors.
const FEW: usize = 16;

/// Fewer numbers are not worth a thread.
const GRAIN: usize = 1 << 16;

/// Functions of a float that have no branches.
pub trait Vector: Float + PartialOrd {
    /// Added to a small number and taken away again it rounds to an integer, which stands in the
    /// low bits in between.
    const ROUNDING: Self;
    /// ln 2, in two parts: integers times the first are exact.
    const LN_2: [Self; 2];
    /// e to the power of it, as (1 + the first) · the second · the third.
    fn exp_factors(self) -> [Self; 3];
    /// Returns e to the power of it.
    fn exp(self) -> Self;
    /// Returns e to the power of it, less one: exact near zero.
    fn exp_m1(self) -> Self;
    /// Returns its hyperbolic tangent.
    fn tanh(self) -> Self;
}

/// The function of a loop over numbers. A closure is one. A long function is rather a type whose
/// method is always inlined: the compiler would not inline it otherwise, and a loop with a call in
/// it is not vectorised.
pub trait Each<A, O> {
    /// Returns the function of a number.
    fn apply_to(&self, number: A) -> O;
}

impl<A, O, F: Fn(A) -> O> Each<A, O> for F {
    #[inline(always)]
    fn apply_to(&self, number: A) -> O {
        self(number)
    }
}

/// What another makes.
struct By<'a, F>(&'a F);

impl<A, O, F: Each<A, O>> Each<A, O> for By<'_, F> {
    #[inline(always)]
    fn apply_to(&self, number: A) -> O {
        self.0.apply_to(number)
    }
}

/// Writes what `make` makes of each number to the place beside it.
pub(super) fn fill_vectorized<A: Copy, O>(numbers: &[A], out: &mut [O], make: impl Each<A, O>) {
    struct Loop<'a, A, O, F>(&'a [A], &'a mut [O], F);
    impl<A: Copy, O, F: Each<A, O>> NullaryFnOnce for Loop<'_, A, O, F> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            let Loop(numbers, out, make) = self;
            for (out, &number) in out.iter_mut().zip(numbers) {
                *out = make.apply_to(number);
            }
        }
    }
    let all = Loop(numbers, out, make);
    if numbers.len() < FEW {
        all.call();
    } else {
        Arch::new().dispatch(all);
    }
}

/// Applies `make` to each number.
pub fn map_vectorized<A: Copy + Sync, O: Float>(numbers: &[A], make: impl Each<A, O> + Sync) -> Vec<O> {
    let mut out = filled_vec(O::ZERO, numbers.len());
    threads::split_result(&mut out, 1, GRAIN, |first, out| {
        fill_vectorized(&numbers[first..first + out.len()], out, By(&make));
    });
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
pub(super) use polynomial;

macro_rules! functions {
    (
        $t:ident, mantissa $mantissa:literal, bias $bias:literal, rounding $rounding:literal, ends $ends:literal,
        ln2 $ln2:expr, taylor $($factorial:literal)*, tanh $($p:literal)* / $($q:literal)*
    ) => {
        impl Vector for $t {
            const ROUNDING: $t = $rounding;
            const LN_2: [$t; 2] = $ln2;

            /// 2ⁿ is two factors: by itself it may be too large, or too small.
            #[inline(always)]
            fn exp_factors(self) -> [$t; 3] {
                const ROUNDING: $t = $rounding;
                // Beyond these it is infinite or zero. NaN stays.
                let x = if self > $ends { $ends } else { self };
                let x = if x < -1.1 * $ends { -1.1 * $ends } else { x };
                let n = (x * std::$t::consts::LOG2_E + ROUNDING) - ROUNDING;
                // At most ln 2 / 2 is left over.
                let rest = (x - n * $t::LN_2[0]) - n * $t::LN_2[1];
                let half = (n * 0.5 + ROUNDING) - ROUNDING;
                let two = |n: $t| {
                    let n = (n + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits());
                    $t::from_bits(n.wrapping_add($bias) << $mantissa)
                };
                let above_one = rest + rest * rest * polynomial!(rest; $(1.0 / $factorial),*);
                [above_one, two(half), two(n - half)]
            }

            /// 2ⁿ times that of the remainder.
            #[inline(always)]
            fn exp(self) -> $t {
                let [above_one, two, rest_of_two] = self.exp_factors();
                (1.0 + above_one) * two * rest_of_two
            }

            /// The same less one, which is taken away before digits are lost.
            #[inline(always)]
            fn exp_m1(self) -> $t {
                let [above_one, two, rest_of_two] = self.exp_factors();
                ((two * above_one + (two - 1.0 / rest_of_two)) * rest_of_two).copysign(self)
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
    use super::super::ulps::{of_f32, of_f64};
    use super::*;

    #[test]
    fn they_are_right_in_the_last_places() {
        of_f32("exp", Vector::exp, f64::exp, 1);
        of_f32("exp_m1", Vector::exp_m1, f64::exp_m1, 2);
        of_f32("tanh", Vector::tanh, f64::tanh, 1);
        of_f64("exp", Vector::exp, f64::exp, 1);
        of_f64("exp_m1", Vector::exp_m1, f64::exp_m1, 2);
        of_f64("tanh", Vector::tanh, f64::tanh, 2);
    }

    #[test]
    fn vectors_give_what_single_numbers_give() {
        for len in [0, 1, 15, 16, 17, 1000] {
            let numbers: Vec<f32> = (0..len).map(|i| i as f32 * 0.17 - 80.0).collect();
            let expected: Vec<f32> = numbers.iter().map(|&x| Vector::exp(x)).collect();
            let all = map_vectorized(&numbers, Vector::exp);
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
