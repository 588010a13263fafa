//! Hashes as Python documents them ("Hashing of numeric types"), or as CPython computes them where
//! it does not say.

use num_traits::{FromPrimitive, ToPrimitive};

use crate::error::Error;
use crate::value::BigInt;

/// Sixteen bytes lie between objects at least; CPython turns the low bits of an address likewise.
pub(super) fn hash_address(address: usize) -> i64 {
    address.rotate_right(4) as i64
}

/// 2^61 - 1, the modulus of numeric hashes.
const MODULUS: u64 = (1 << 61) - 1;

/// -1 means an error to CPython, so nothing hashes to it.
const fn never_minus_one(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

#[inline]
pub(super) const fn hash_small(value: i64) -> i64 {
    if value >= 0 && (value as u64) < MODULUS {
        return value;
    }
    let rest = (value.unsigned_abs() % MODULUS) as i64;
    never_minus_one(if value < 0 { -rest } else { rest })
}

pub(super) fn hash_float(value: f64) -> i64 {
    if !value.is_finite() {
        return if value.is_nan() {
            // Not by identity, as CPython does: a float that is stored by value has none.
            never_minus_one((value.to_bits() % MODULUS) as i64)
        } else if value > 0.0 {
            314_159
        } else {
            -314_159
        };
    }
    // value = mantissa × 2^exponent; multiplying by 2 modulo 2^61 - 1 turns the 61 bits round by
    // one.
    let bits = value.abs().to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i64);
    let (mantissa, exponent) = if exponent == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 1075)
    };
    let turn = exponent.rem_euclid(61) as u32;
    let turned = ((mantissa << turn) & MODULUS) | (u128::from(mantissa) << turn >> 61) as u64;
    let rest = (turned % MODULUS) as i64;
    never_minus_one(if value < 0.0 { -rest } else { rest })
}

/// As ints of any size are hashed: the remainder, with the sign.
pub(super) fn hash_large(value: &BigInt) -> i64 {
    let rest = num_bigint::BigInt::from(value) % MODULUS;
    never_minus_one(rest.to_i64().expect("the modulus has 61 bits"))
}

/// Of values that only natives know: the same in every binary of the process.
pub(super) fn hash_plain(value: impl std::hash::Hash) -> i64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    never_minus_one(BuildHasherDefault::<DefaultHasher>::default().hash_one(value) as i64)
}

/// Whether a float is exactly that integer, beyond 64 bits.
pub(super) fn is_large_integer(float: f64, int: &BigInt) -> bool {
    float.fract() == 0.0 && num_bigint::BigInt::from_f64(float).is_some_and(|number| number == int.into())
}

/// Whether a float is exactly that integer.
pub(super) fn is_integer(float: f64, int: i64) -> bool {
    // The bounds are exact as floats; within them the conversion is exact for an integral float.
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float)
        && float as i64 == int
        && float.fract() == 0.0
}

/// Returns the hash of a sequence from the hashes of its elements, as CPython hashes tuples
/// (xxHash's way of mixing).
///
/// # Errors
/// The first error among the elements' hashes.
pub fn hash_sequence(hashes: impl ExactSizeIterator<Item = Result<i64, Error>>) -> Result<i64, Error> {
    const PRIME_1: u64 = 11_400_714_785_074_694_791;
    const PRIME_2: u64 = 14_029_467_366_897_019_727;
    const PRIME_5: u64 = 2_870_177_450_012_600_261;
    let len = hashes.len() as u64;
    let mut all = PRIME_5;
    for hash in hashes {
        all = all.wrapping_add((hash? as u64).wrapping_mul(PRIME_2));
        all = all.rotate_left(31).wrapping_mul(PRIME_1);
    }
    all = all.wrapping_add(len ^ (PRIME_5 ^ 3_527_539));
    Ok(if all == u64::MAX {
        1_546_275_796
    } else {
        all as i64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of CPython: `[hash(v) for v in (…)]`.
    #[test]
    fn numbers_hash_as_python_documents_it() {
        for (value, hash) in [
            (0, 0),
            (-1, -2),
            (i64::MAX, 3),
            (i64::MIN, -4),
            (1 << 61, 1),
            (-(1 << 61) + 1, 0),
        ] {
            assert_eq!(hash_small(value), hash, "{value}");
        }
        for (value, hash) in [
            (0.0, 0),
            (-0.0, 0),
            (1.0, 1),
            (-1.0, -2),
            (0.5, 1_152_921_504_606_846_976),
            (-2.5, -1_152_921_504_606_846_978),
            (1e300, 1_224_995_262_755_759_164),
            (5e-324, 16_777_216),
            (f64::INFINITY, 314_159),
            (f64::NEG_INFINITY, -314_159),
            (9_007_199_254_740_993.0, 9_007_199_254_740_992),
        ] {
            assert_eq!(hash_float(value), hash, "{value}");
        }
        for int in [0, 1, -1, 7, 1 << 53, -(1 << 40), i64::MIN] {
            assert_eq!(hash_small(int), hash_float(int as f64), "{int}");
        }
    }

    #[test]
    fn large_integers_hash_and_compare_as_in_python() {
        for (value, hash, float) in [
            ("1180591620717411303424", 512, Some(1180591620717411303424.0)),
            ("-1180591620717411303424", -512, Some(-1180591620717411303424.0)),
            ("1180591620717411303425", 513, None),
            ("-9223372036854775809", -5, None),
            ("18446744073709551615", 7, None),
        ] {
            let int: BigInt = value.parse().unwrap();
            assert_eq!(hash_large(&int), hash, "{value}");
            assert_eq!(
                is_large_integer(value.parse().unwrap(), &int),
                float.is_some(),
                "{value}"
            );
            if let Some(float) = float {
                assert_eq!(hash_float(float), hash);
            }
        }
    }

    #[test]
    fn sequences_hash_as_tuples_do() {
        let hash = |values: &[i64]| hash_sequence(values.iter().map(|v| Ok(*v))).unwrap();
        assert_eq!(hash(&[]), 5_740_354_900_026_072_187);
        assert_eq!(hash(&[1, 2, 3]), 529_344_067_295_497_451);
    }

    #[test]
    fn a_float_is_an_integer_only_exactly() {
        assert!(is_integer(1.0, 1) && is_integer(-0.0, 0) && is_integer(i64::MIN as f64, i64::MIN));
        assert!(!is_integer(1.5, 1) && !is_integer(f64::NAN, 0) && !is_integer(i64::MAX as f64, i64::MAX));
        assert!(!is_integer(9_007_199_254_740_992.0, 9_007_199_254_740_993));
    }
}
