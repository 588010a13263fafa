//! [`BigInt`]: an integer of any size, exactly.
//!
//! Only what a border needs: bytes in and out, comparison, decimal digits. The bytes are those of `num_bigint::BigInt::to_signed_bytes_le`, so
//! that a program that computes with large numbers takes the crate of its choice; this one depends on none.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::value::Bytes;

/// An integer of any size. Immutable and shared: cloning counts a reference.
///
/// ```
/// use pairbond_core::value::BigInt;
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
        // Rounded once, by whom it is done exactly.
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Sign and magnitude in digits of 32 bits, the least significant first.
    fn magnitude(&self) -> (bool, Vec<u32>) {
        let negative = self.is_negative();
        let fill = if negative { 0xff } else { 0 };
        let mut digits: Vec<u32> = self
            .0
            .chunks(4)
            .map(|chunk| {
                let mut bytes = [fill; 4];
                bytes[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(bytes)
            })
            .collect();
        if negative {
            let mut carry = true;
            for digit in &mut digits {
                (*digit, carry) = (!*digit).overflowing_add(carry.into());
            }
            if carry {
                digits.push(1);
            }
        }
        (negative, digits)
    }

    fn from_magnitude(negative: bool, mut digits: Vec<u32>) -> Self {
        digits.push(0);
        if negative {
            let mut carry = true;
            for digit in &mut digits {
                (*digit, carry) = (!*digit).overflowing_add(carry.into());
            }
        }
        let bytes: Vec<u8> = digits.iter().flat_map(|digit| digit.to_le_bytes()).collect();
        Self::from_le_bytes(&bytes)
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
        let by_sign = other.is_negative().cmp(&self.is_negative());
        // Of two numbers of one sign the longer is further from zero; of one length, two's complement keeps the order.
        let longer = self.0.len().cmp(&other.0.len());
        let by_length = if self.is_negative() {
            longer.reverse()
        } else {
            longer
        };
        by_sign
            .then(by_length)
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

const CHUNK: u32 = 1_000_000_000;

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, mut digits) = self.magnitude();
        let mut chunks = Vec::new();
        while !digits.is_empty() {
            let mut remainder = 0;
            for digit in digits.iter_mut().rev() {
                let value = u64::from(remainder) << 32 | u64::from(*digit);
                *digit = (value / u64::from(CHUNK)) as u32;
                remainder = (value % u64::from(CHUNK)) as u32;
            }
            chunks.push(remainder);
            while digits.last() == Some(&0) {
                digits.pop();
            }
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            text.push_str(&format!("{chunk:09}"));
        }
        f.pad_integral(!negative, "", &text)
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
        let (negative, number) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
            return Err(Error::value_error(format!("{text:?} is not an integer")));
        }
        let mut digits: Vec<u32> = Vec::new();
        for part in number.chunks(9) {
            let value = part.iter().fold(0_u32, |sum, c| sum * 10 + u32::from(c - b'0'));
            let mut carry = u64::from(value);
            for digit in &mut digits {
                carry += u64::from(*digit) * 10_u64.pow(part.len() as u32);
                *digit = carry as u32;
                carry >>= 32;
            }
            if carry > 0 {
                digits.push(carry as u32);
            }
        }
        Ok(Self::from_magnitude(negative, digits))
    }
}
