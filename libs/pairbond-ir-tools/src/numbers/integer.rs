//! Integers of any width: bytes in two's complement, the lowest first, as many as the width needs;
//! bits above the width are zero.

use num_bigint::{BigInt, BigUint, Sign as Signum};

use super::digits::{Digits, copy_digits, repeat_byte};

/// Whether integers have a sign.
#[pairbond::object("pairbond_ir.Signedness")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `i8`: the operations know.
    #[name("SIGNLESS")]
    Signless,
    /// `si8`
    #[name("SIGNED")]
    Signed,
    /// `ui8`
    #[name("UNSIGNED")]
    Unsigned,
}

/// How many bytes hold a width.
#[inline]
#[must_use]
pub fn byte_width(width: u32) -> usize {
    (width as usize).div_ceil(8)
}

/// An integer of a width from a literal, `None` if it does not fit: what a sign allows, and what
/// two's complement of a signless one can hold either way.
#[must_use]
pub fn parse_integer(text: &str, negative: bool, width: u32, sign: Sign) -> Option<Digits> {
    let (digits, base) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let fitted = match i128::from_str_radix(digits, base) {
        Ok(small) => fit_small(if negative { -small } else { small }, width, sign),
        Err(_) => {
            let magnitude = BigUint::parse_bytes(digits.as_bytes(), base)?;
            let signum = if negative { Signum::Minus } else { Signum::Plus };
            fit_bigint(&BigInt::from_biguint(signum, magnitude), width, sign)
        }
    };
    // As in MLIR, no type has a negative zero.
    fitted.filter(|bytes| !negative || bytes.iter().any(|byte| *byte != 0))
}

/// The same for a number.
#[must_use]
pub fn fit_bigint(value: &BigInt, width: u32, sign: Sign) -> Option<Digits> {
    let negative = value.sign() == Signum::Minus;
    let bits = if negative {
        (value + 1_u32).bits()
    } else {
        value.bits()
    };
    store_twos_complement(&value.to_signed_bytes_le(), negative, bits, width, sign)
}

/// The same for a small number, without an allocation on the way.
#[must_use]
pub fn fit_small(value: i128, width: u32, sign: Sign) -> Option<Digits> {
    let bits = 128 - (value ^ (value >> 127)).leading_zeros();
    store_twos_complement(&value.to_le_bytes(), value < 0, bits.into(), width, sign)
}

/// The bytes of a number in two's complement, if a type has a place for its `bits`, those of its
/// sign left out.
fn store_twos_complement(bytes: &[u8], negative: bool, bits: u64, width: u32, sign: Sign) -> Option<Digits> {
    let width_of_bits = match (negative, sign) {
        (true, Sign::Unsigned) => return None,
        (false, Sign::Signless | Sign::Unsigned) => u64::from(width),
        // Beside the sign.
        _ => u64::from(width.checked_sub(1).or((!negative).then_some(0))?),
    };
    if bits > width_of_bits {
        return None;
    }
    let size = byte_width(width);
    let mut stored = match bytes.get(..size) {
        Some(bytes) => copy_digits(bytes),
        None => {
            let mut stored = repeat_byte(if negative { 0xFF } else { 0 }, size);
            stored[..bytes.len()].copy_from_slice(bytes);
            stored
        }
    };
    if !width.is_multiple_of(8)
        && let Some(last) = stored.last_mut()
    {
        *last &= (1 << (width % 8)) - 1;
    }
    Some(stored)
}

/// The number in two's complement, for which an unsigned one has a byte more; signed by its highest
/// bit.
///
/// # Panics
/// There are fewer bytes than the width has.
#[must_use]
pub fn sign_extend(bytes: &[u8], width: u32, signed: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let negative = signed && width > 0 && bytes[(width as usize - 1) / 8] >> ((width - 1) % 8) & 1 == 1;
    if negative && !width.is_multiple_of(8) {
        *bytes.last_mut().expect("it has bits") |= !((1 << (width % 8)) - 1);
    }
    bytes.push(if negative { 0xFF } else { 0 });
    bytes
}

/// The number in decimal; unsigned, or by its highest bit.
///
/// # Panics
/// There are fewer bytes than the width has.
#[must_use]
pub fn integer_text(bytes: &[u8], width: u32, signed: bool) -> String {
    let bytes = sign_extend(bytes, width, signed);
    if bytes.len() > 16 {
        return BigInt::from_signed_bytes_le(&bytes).to_string();
    }
    let fill = *bytes.last().expect("there is one more");
    let mut all = [fill; 16];
    all[..bytes.len()].copy_from_slice(&bytes);
    i128::from_le_bytes(all).to_string()
}
