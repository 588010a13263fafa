//! [`BigInt`]: an integer of any size, exactly.
//!
//! Only what a border needs: bytes in and out, comparison, decimal digits. The bytes are those of
//! `num_bigint::BigInt::to_signed_bytes_le`: shared, of one word, and read by separately built
//! binaries, which num_bigint's own layout is not for. What takes arithmetic is done by num_bigint.

use std::fmt;
use std::str::FromStr;

use num_traits::ToPrimitive;

use crate::error::Error;
use crate::value::Bytes;

/// An integer of any size. Immutable and shared: cloning counts a reference.
///
/// ```
/// use pairbond_value::value::BigInt;
///
/// let large: BigInt = "-340282366920938463463374607431768211456".parse()?;
/// assert_eq!(large.to_i128(), None);
/// assert_eq!(BigInt::from_le_bytes(&large.to_le_bytes()), large);
/// assert_eq!(large.to_string(), "-340282366920938463463374607431768211456");
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BigInt(
    /// Two's complement, least significant byte first, as few bytes as will do; zero has one.
    Bytes,
);

impl BigInt {
    /// From two's complement, the least significant byte first. No bytes are zero.
    #[must_use]
    pub fn from_le_bytes(bytes: &[u8]) -> Self {
        let sign = if bytes.last().is_some_and(|last| last & 0x80 != 0) {
            0xff
        } else {
            0
        };
        let mut len = bytes.len();
        while len > 1 && bytes[len - 1] == sign && bytes[len - 2] & 0x80 == sign & 0x80 {
            len -= 1;
        }
        if len == 0 {
            return BigInt(Bytes::from(&[0][..]));
        }
        BigInt(Bytes::from(&bytes[..len]))
    }

    /// Two's complement, the least significant byte first, as few bytes as will do.
    #[must_use]
    pub fn to_le_bytes(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// The same without copying.
    #[must_use]
    pub fn as_le_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether it is less than zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.last().is_some_and(|last| last & 0x80 != 0)
    }

    /// The number in 64 bits, if it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        self.to_i128().and_then(|value| value.try_into().ok())
    }

    /// The number in 128 bits, if it fits.
    #[must_use]
    pub fn to_i128(&self) -> Option<i128> {
        let mut bytes = [if self.is_negative() { 0xff } else { 0 }; 16];
        bytes.get_mut(..self.0.len())?.copy_from_slice(&self.0);
        Some(i128::from_le_bytes(bytes))
    }

    /// The number in 128 bits without sign, if it fits.
    #[must_use]
    pub fn to_u128(&self) -> Option<u128> {
        if self.is_negative() {
            return None;
        }
        let digits = match &self.0[..] {
            [digits @ .., 0] if digits.len() == 16 => digits,
            digits => digits,
        };
        let mut bytes = [0; 16];
        bytes.get_mut(..digits.len())?.copy_from_slice(digits);
        Some(u128::from_le_bytes(bytes))
    }

    /// The nearest floating-point number; infinite when there is none.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        num_bigint::BigInt::from(self).to_f64().unwrap_or(f64::NAN)
    }
}

impl From<&BigInt> for num_bigint::BigInt {
    fn from(value: &BigInt) -> Self {
        num_bigint::BigInt::from_signed_bytes_le(&value.0)
    }
}

impl From<&num_bigint::BigInt> for BigInt {
    fn from(value: &num_bigint::BigInt) -> Self {
        BigInt::from_le_bytes(&value.to_signed_bytes_le())
    }
}

macro_rules! from {
    ($($t:ty),*) => {$(
        impl From<$t> for BigInt {
            fn from(value: $t) -> Self {
                BigInt::from_le_bytes(&value.to_le_bytes())
            }
        }
    )*};
}
from!(i64, i128);

impl From<u128> for BigInt {
    fn from(value: u128) -> Self {
        let mut bytes = [0; 17];
        bytes[..16].copy_from_slice(&value.to_le_bytes());
        BigInt::from_le_bytes(&bytes)
    }
}

impl PartialOrd for BigInt {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BigInt {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        num_bigint::BigInt::from(self).cmp(&other.into())
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&num_bigint::BigInt::from(self), f)
    }
}

impl fmt::Debug for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BigInt {
    type Err = Error;

    /// Decimal digits, with a sign or without.
    fn from_str(text: &str) -> Result<Self, Error> {
        // num_bigint allows underscores between digits.
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !digits.is_empty()
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && let Ok(number) = text.parse::<num_bigint::BigInt>()
        {
            return Ok((&number).into());
        }
        Err(Error::value_error(format!("{text:?} is not an integer")))
    }
}
