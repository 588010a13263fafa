//! [`Digits`]: the bytes of an integer.

use smallvec::SmallVec;

use crate::room;

/// How many bytes need no memory of their own: as many as the pointer and length of more take.
const FEW: usize = 16;

/// The bytes of an integer, the lowest first.
pub type Digits = SmallVec<[u8; FEW]>;

/// Returns bytes as digits. Unwinds with a `MemoryError` where there is no memory for them.
#[inline]
pub(super) fn copy_digits(bytes: &[u8]) -> Digits {
    match bytes.len() {
        ..=FEW => SmallVec::from_slice(bytes),
        _ => room::boxed_bytes(bytes).into_vec().into(),
    }
}

/// Returns so many times a byte, as [`copy_digits`] does.
pub(super) fn repeat_byte(byte: u8, count: usize) -> Digits {
    match count {
        ..=FEW => SmallVec::from_elem(byte, count),
        _ => room::filled_vec(byte, count).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{copy_digits, repeat_byte};

    #[test]
    fn few_and_many_bytes_are_the_same_thing() {
        for count in [0, 1, 8, 15, 16, 17, 40] {
            let bytes: Vec<u8> = (0..count).collect();
            let digits = copy_digits(&bytes);
            assert_eq!(*digits, bytes[..]);
            assert_eq!(*repeat_byte(3, bytes.len()), vec![3; bytes.len()][..]);
            assert_eq!(digits.spilled(), count > 16);
        }
    }
}
