//! [`Digits`]: the bytes of an integer.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use crate::room::boxed_bytes;

/// How many bytes need no memory of their own.
const FEW: usize = 8;

/// The bytes of an integer, the lowest first. Those of integers of up to 64 bits lie inside.
#[derive(Clone)]
pub struct Digits(Bytes);

#[derive(Clone)]
enum Bytes {
    Few(u8, [u8; FEW]),
    Many(Box<[u8]>),
}

impl Digits {
    /// Returns so many times a byte.
    pub(crate) fn filled(byte: u8, count: usize) -> Self {
        match count {
            ..=FEW => Digits(Bytes::Few(count as u8, [byte; FEW])),
            _ => Digits(Bytes::Many(crate::room::filled(byte, count).into())),
        }
    }
}

impl From<&[u8]> for Digits {
    #[inline]
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() > FEW {
            return Digits(Bytes::Many(boxed_bytes(bytes)));
        }
        let mut few = [0; FEW];
        few[..bytes.len()].copy_from_slice(bytes);
        Digits(Bytes::Few(bytes.len() as u8, few))
    }
}

impl Deref for Digits {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Few(count, bytes) => &bytes[..usize::from(*count)],
            Bytes::Many(bytes) => bytes,
        }
    }
}

impl DerefMut for Digits {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Bytes::Few(count, bytes) => &mut bytes[..usize::from(*count)],
            Bytes::Many(bytes) => bytes,
        }
    }
}

impl PartialEq for Digits {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Digits {}

impl Hash for Digits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn few_and_many_bytes_are_the_same_thing() {
        for count in [0, 1, 7, 8, 9, 16, 40] {
            let bytes: Vec<u8> = (0..count).collect();
            let mut digits = Digits::from(&bytes[..]);
            assert_eq!(*digits, bytes[..]);
            assert_eq!(digits, digits.clone());
            assert_eq!(format!("{digits:?}"), format!("{bytes:?}"));
            assert_eq!(*Digits::filled(3, bytes.len()), vec![3; bytes.len()][..]);
            if let Some(last) = digits.last_mut() {
                *last ^= 1;
                assert_ne!(*digits, bytes[..]);
            }
        }
    }
}
