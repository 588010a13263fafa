//! [`KeyRef`]: how keys are hashed and compared.
//!
//! Promises, in order of weight:
//! 1. Keys that Python takes for one are one: `1`, `1.0` and `True`; `"a"` and a Python object that is equal to `"a"` and has its hash. So numbers
//!    hash as Python documents it ("Hashing of numeric types"), tuples as CPython's do, and strings by the function that the process's
//!    runtime was given ([`set_text_hash`](crate::runtime::set_text_hash)) – CPython's own, unless a string was hashed before Python was there.
//! 2. Comparing says at once what natives know ([`Verdict`]); only `Ask` runs foreign code, and never under a lock.
//! 3. Native objects are compared by their type's `__eq__` and `__hash__` in Rust where it has them, and by identity otherwise. Overrides in Python
//!    subclasses are not asked: a key must hash alike on threads that cannot reach Python.
//!
//! A NaN is the same key as a NaN with the same bits: floats are stored by value, and have no identity.

use crate::error::Error;
use crate::frontend::frontend;
use crate::object::ErasedBorrow;
use crate::runtime;
use crate::value::depth::deeper;
use crate::value::frozen::FrozenMapBody;
use crate::value::list::ListBody;
use crate::value::map::MapBody;
use crate::value::set::SetBody;
use crate::value::tuple::TupleBody;
use crate::value::{Any, BigInt, Bytes, DType, Device, Foreign, Function, Str};

/// A key, borrowed.
#[derive(Clone, Copy)]
pub enum KeyRef<'a> {
    /// Nothing.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger one.
    BigInt(&'a BigInt),
    /// A float.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A native object.
    Object(ErasedBorrow<'a>),
    /// A function.
    Function(&'a Function),
    /// An object of a frontend.
    Foreign(&'a Foreign),
    /// What the elements of an array are.
    DType(DType),
    /// Where an array lies.
    Device(Device),
    /// Nothing that can be a key.
    Other(&'a Any),
}

impl<'a> From<&'a Any> for KeyRef<'a> {
    fn from(value: &'a Any) -> Self {
        match value {
            Any::None => KeyRef::None,
            Any::Bool(value) => KeyRef::Bool(*value),
            Any::Int(value) => KeyRef::Int(*value),
            Any::BigInt(value) => value.to_i64().map_or(KeyRef::BigInt(value), KeyRef::Int),
            Any::Float(value) => KeyRef::Float(*value),
            Any::Str(value) => KeyRef::Str(value),
            Any::Bytes(value) => KeyRef::Bytes(value),
            Any::Object(value) => KeyRef::Object(value.as_borrow()),
            Any::Function(value) => KeyRef::Function(value),
            Any::Foreign(value) => KeyRef::Foreign(value),
            Any::DType(value) => KeyRef::DType(*value),
            Any::Device(value) => KeyRef::Device(*value),
            other => KeyRef::Other(other),
        }
    }
}

/// What natives know about two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One key.
    Same,
    /// Two.
    Different,
    /// Their owners must be asked ([`equal`]).
    Ask,
}

impl KeyRef<'_> {
    /// The key as a value of its own.
    #[must_use]
    pub fn to_any(self) -> Any {
        match self {
            KeyRef::None => Any::None,
            KeyRef::Bool(value) => Any::Bool(value),
            KeyRef::Int(value) => Any::Int(value),
            KeyRef::BigInt(value) => Any::BigInt(value.clone()),
            KeyRef::Float(value) => Any::Float(value),
            KeyRef::Str(value) => Any::Str(Str::from(value)),
            KeyRef::Bytes(value) => Any::Bytes(Bytes::from(value)),
            KeyRef::Object(value) => Any::Object(value.to_ref()),
            KeyRef::Function(value) => Any::Function(value.clone()),
            KeyRef::Foreign(value) => Any::Foreign(value.clone()),
            KeyRef::DType(value) => Any::DType(value),
            KeyRef::Device(value) => Any::Device(value),
            KeyRef::Other(value) => value.clone(),
        }
    }

    /// Whether both are one key, without running foreign code.
    #[inline]
    #[must_use]
    pub fn compare(self, other: KeyRef<'_>) -> Verdict {
        use KeyRef::{BigInt, Bool, Bytes, DType, Device, Float, Foreign, Function, Int, None, Object, Str};
        let same = match (self, other) {
            (None, None) => true,
            (Str(a), Str(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Bytes(a), Bytes(b)) => a == b,
            (Bool(a), Bool(b)) => a == b,
            (Bool(a), Int(b)) | (Int(b), Bool(a)) => i64::from(a) == b,
            (Float(a), Float(b)) => a == b || a.to_bits() == b.to_bits(),
            (Int(a), Float(b)) | (Float(b), Int(a)) => is_integer(b, a),
            (Bool(a), Float(b)) | (Float(b), Bool(a)) => is_integer(b, a.into()),
            (Object(a), Object(b)) => {
                if std::ptr::eq(a.header(), b.header()) {
                    true
                } else if asks(a) || asks(b) {
                    return Verdict::Ask;
                } else {
                    false
                }
            }
            (Foreign(a), Foreign(b)) if a.tag() != b.tag() => false,
            (Foreign(a), Foreign(b)) if a.is(b) => true,
            (Foreign(_), _) | (_, Foreign(_)) => return Verdict::Ask,
            (Function(a), Function(b)) if a.is(b) => true,
            // Python callables have an `__eq__`: bound methods of one object are equal.
            (Function(a), Function(b)) if a.foreign().is_some() && b.foreign().is_some() => {
                return Verdict::Ask;
            }
            (BigInt(a), BigInt(b)) => a == b,
            (BigInt(a), Float(b)) | (Float(b), BigInt(a)) => is_large_integer(b, a),
            (DType(a), DType(b)) => a == b,
            (Device(a), Device(b)) => a == b,
            _ => false,
        };
        if same { Verdict::Same } else { Verdict::Different }
    }

    /// The hash, as Python's `hash()` gives it.
    ///
    /// # Errors
    /// `TypeError` when it is not hashable; what `__hash__` raised.
    #[inline]
    pub fn hash(self) -> Result<i64, Error> {
        Ok(match self {
            KeyRef::None => 0xfca8_6420,
            KeyRef::Bool(value) => value.into(),
            KeyRef::Int(value) => hash_small(value),
            KeyRef::Float(value) => hash_float(value),
            KeyRef::Str(value) => runtime::text_hash(value.as_bytes(), true),
            KeyRef::Bytes(value) => runtime::text_hash(value, false),
            KeyRef::BigInt(value) => hash_large(value),
            KeyRef::DType(value) => hash_plain(value),
            KeyRef::Device(value) => hash_plain(value),
            KeyRef::Function(value) => match (value.foreign(), value.native()) {
                (Some(foreign), _) => return frontend(foreign.tag()).hash(foreign),
                (None, Some(native)) => hash_address(std::ptr::from_ref(native.get()).addr()),
                (None, None) => 0,
            },
            KeyRef::Object(value) => return hash_object(value),
            KeyRef::Foreign(value) => return frontend(value.tag()).hash(value),
            KeyRef::Other(value) => return Err(unhashable(value.kind())),
        })
    }
}

/// Whether two keys are equal, asking whoever knows. Runs foreign code: nothing may be locked.
///
/// # Errors
/// What a comparison raised.
pub fn equal(a: &Any, b: &Any) -> Result<bool, Error> {
    match KeyRef::from(a).compare(KeyRef::from(b)) {
        Verdict::Same => return Ok(true),
        Verdict::Different => return Ok(false),
        Verdict::Ask => {}
    }
    match (a, b) {
        (Any::Foreign(foreign), _) | (_, Any::Foreign(foreign)) => frontend(foreign.tag()).equal(a, b),
        (Any::Function(function), _) => match function.foreign() {
            Some(foreign) => frontend(foreign.tag()).equal(a, b),
            None => Ok(false),
        },
        (Any::Object(a), Any::Object(b)) => equal_objects(a.as_borrow(), b.as_borrow()),
        _ => Ok(false),
    }
}

/// Whether an object is compared by more than its identity.
fn asks(object: ErasedBorrow<'_>) -> bool {
    object.is::<TupleBody>() || object.is::<FrozenMapBody>() || object.header().info().equality().is_some()
}

fn equal_objects(a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<bool, Error> {
    if let (Some(a), Some(b)) = (a.downcast::<TupleBody>(), b.downcast::<TupleBody>()) {
        return deeper(|| a.get().same(b.get()));
    }
    if let (Some(a), Some(b)) = (a.downcast::<FrozenMapBody>(), b.downcast::<FrozenMapBody>()) {
        return deeper(|| a.get().same(b.get()));
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(equality) = a.header().info().equality()
            && let Some(answer) = equality.equal(a, b)?
        {
            return Ok(answer);
        }
    }
    Ok(false)
}

fn hash_object(object: ErasedBorrow<'_>) -> Result<i64, Error> {
    if let Some(tuple) = object.downcast::<TupleBody>() {
        return deeper(|| tuple.get().hash());
    }
    if let Some(map) = object.downcast::<FrozenMapBody>() {
        return deeper(|| map.get().hash());
    }
    if object.is::<ListBody>() || object.is::<MapBody>() || object.is::<SetBody>() {
        return Err(unhashable(object.header().info().key()));
    }
    let info = object.header().info();
    match info.equality() {
        None => Ok(hash_address(std::ptr::from_ref(object.header()).addr())),
        Some(equality) => match equality.hash(object)? {
            Some(hash) => Ok(hash),
            None => Err(unhashable(info.key())),
        },
    }
}

/// Sixteen bytes lie between objects at least; CPython turns the low bits of an address likewise.
fn hash_address(address: usize) -> i64 {
    address.rotate_right(4) as i64
}

#[cold]
fn unhashable(kind: &str) -> Error {
    Error::type_error(format!("unhashable type: '{kind}'"))
}

/// 2^61 - 1, the modulus of numeric hashes.
const MODULUS: u64 = (1 << 61) - 1;

/// -1 means an error to CPython, so nothing hashes to it.
const fn never_minus_one(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

#[inline]
const fn hash_small(value: i64) -> i64 {
    if value >= 0 && (value as u64) < MODULUS {
        return value;
    }
    let rest = (value.unsigned_abs() % MODULUS) as i64;
    never_minus_one(if value < 0 { -rest } else { rest })
}

fn hash_float(value: f64) -> i64 {
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
    // value = mantissa × 2^exponent; multiplying by 2 modulo 2^61 - 1 turns the 61 bits round by one.
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
fn hash_large(value: &BigInt) -> i64 {
    let (bytes, negative) = (value.as_le_bytes(), value.is_negative());
    // The magnitude of two's complement: all bits turned, and one more.
    let rest = bytes.iter().rev().fold(0_u128, |rest, byte| {
        let byte = if negative { !byte } else { *byte };
        (rest << 8 | u128::from(byte)) % u128::from(MODULUS)
    });
    let rest = ((rest + u128::from(negative)) % u128::from(MODULUS)) as i64;
    never_minus_one(if negative { -rest } else { rest })
}

/// Of values that only natives know: the same in every binary of the process.
fn hash_plain(value: impl std::hash::Hash) -> i64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    never_minus_one(BuildHasherDefault::<DefaultHasher>::default().hash_one(value) as i64)
}

/// Whether a float is exactly that integer, beyond 64 bits.
fn is_large_integer(float: f64, int: &BigInt) -> bool {
    if !float.is_finite() || float.fract() != 0.0 {
        return false;
    }
    let bits = float.abs().to_bits();
    let exponent = (bits >> 52) as usize;
    if exponent < 1075 {
        // Below 2^53: not beyond 64 bits.
        return false;
    }
    let shift = exponent - 1075;
    let mantissa = i128::from((bits & ((1 << 52) - 1)) | 1 << 52) << (shift % 8);
    let signed = if float < 0.0 { -mantissa } else { mantissa };
    let mut bytes = vec![0; shift / 8];
    bytes.extend(signed.to_le_bytes());
    BigInt::from_le_bytes(&bytes) == *int
}

/// Whether a float is exactly that integer.
fn is_integer(float: f64, int: i64) -> bool {
    // The bounds are exact as floats; within them the conversion is exact for an integral float.
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float)
        && float as i64 == int
        && float.fract() == 0.0
}

/// The hash of a sequence, as CPython hashes tuples (xxHash's way of mixing).
pub(crate) fn hash_sequence(hashes: impl ExactSizeIterator<Item = Result<i64, Error>>) -> Result<i64, Error> {
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

    /// What CPython says: `[hash(v) for v in (…)]`.
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
