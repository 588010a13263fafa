//! Integers of any width: bytes in two's complement, the lowest first, as many as the width needs; bits above the width are zero.

use crate::types::Sign;

/// How many bytes hold a width.
pub(crate) fn sized(width: u32) -> usize {
    (width as usize).div_ceil(8)
}

/// The magnitude that digits say, the lowest byte first, without zeros at the end.
pub(crate) fn digits_of(text: &str) -> Vec<u8> {
    let (digits, base) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let mut words: Vec<u32> = Vec::new();
    for digit in digits.chars().filter_map(|digit| digit.to_digit(base)) {
        let mut carry = u64::from(digit);
        for word in &mut words {
            carry += u64::from(*word) * u64::from(base);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            words.push(carry as u32);
        }
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

fn bit(bytes: &[u8], place: u32) -> bool {
    bytes
        .get(place as usize / 8)
        .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}

fn negate(bytes: &mut [u8]) {
    let mut carry = true;
    for byte in bytes {
        (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
    }
}

fn cut(bytes: &mut [u8], width: u32) {
    if !width.is_multiple_of(8)
        && let Some(last) = bytes.last_mut()
    {
        *last &= (1 << (width % 8)) - 1;
    }
}

/// An integer of a width from a literal, `None` if it does not fit: what a sign allows, and what two's complement of a signless one can hold either way.
pub(crate) fn parse_integer(text: &str, negative: bool, width: u32, sign: Sign) -> Option<Box<[u8]>> {
    fit(digits_of(text), negative, width, sign)
}

/// The same for a magnitude, which has no zeros at its end.
pub(crate) fn fit(mut magnitude: Vec<u8>, negative: bool, width: u32, sign: Sign) -> Option<Box<[u8]>> {
    let used = magnitude.len() as u32 * 8 - magnitude.last().map_or(0, |byte| byte.leading_zeros());
    if used > width {
        return None;
    }
    magnitude.resize(sized(width), 0);
    if width == 0 {
        return (!negative).then(|| magnitude.into_boxed_slice());
    }
    if negative {
        if sign == Sign::Unsigned {
            return None;
        }
        negate(&mut magnitude);
        cut(&mut magnitude, width);
        if !bit(&magnitude, width - 1) {
            return None;
        }
    } else if sign == Sign::Signed && bit(&magnitude, width - 1) {
        return None;
    }
    Some(magnitude.into_boxed_slice())
}

/// An integer of a width from a small one, `None` if it does not fit.
pub(crate) fn integer_value(value: i128, width: u32, sign: Sign) -> Option<Box<[u8]>> {
    let mut magnitude = value.unsigned_abs().to_le_bytes().to_vec();
    while magnitude.last() == Some(&0) {
        magnitude.pop();
    }
    fit(magnitude, value < 0, width, sign)
}

/// In decimal; unsigned, or by its highest bit.
pub(crate) fn integer_text(bytes: &[u8], width: u32, signed: bool) -> String {
    let negative = signed && width > 0 && bit(bytes, width - 1);
    let mut magnitude = bytes.to_vec();
    if negative {
        negate(&mut magnitude);
        cut(&mut magnitude, width);
    }
    if magnitude.len() <= 16 {
        let mut all = [0; 16];
        all[..magnitude.len()].copy_from_slice(&magnitude);
        let sign = if negative { "-" } else { "" };
        return format!("{sign}{}", u128::from_le_bytes(all));
    }
    let mut digits = decimal(&magnitude);
    if negative {
        digits.insert(0, '-');
    }
    digits
}

/// Long division by 10⁹, again and again.
fn decimal(bytes: &[u8]) -> String {
    const BILLION: u64 = 1_000_000_000;
    let mut words: Vec<u32> = bytes
        .chunks(4)
        .map(|chunk| {
            chunk
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte))
        })
        .collect();
    let mut groups = Vec::new();
    while words.iter().any(|word| *word != 0) {
        let mut rest = 0;
        for word in words.iter_mut().rev() {
            let value = rest << 32 | u64::from(*word);
            *word = (value / BILLION) as u32;
            rest = value % BILLION;
        }
        groups.push(rest);
    }
    let Some(first) = groups.pop() else {
        return "0".to_owned();
    };
    groups
        .iter()
        .rev()
        .fold(first.to_string(), |text, group| text + &format!("{group:09}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_comes_back() {
        for (text, negative, width, shown) in [
            ("127", false, 8, "127"),
            ("255", false, 8, "-1"),
            ("128", true, 8, "-128"),
            ("0x1F", false, 32, "31"),
            ("340282366920938463463374607431768211455", false, 128, "-1"),
            (
                "115792089237316195423570985008687907853269984665640564039457584007913129639935",
                false,
                257,
                "115792089237316195423570985008687907853269984665640564039457584007913129639935",
            ),
            ("0", false, 0, "0"),
        ] {
            let value = parse_integer(text, negative, width, Sign::Signless).expect(text);
            assert_eq!(integer_text(&value, width, true), shown);
        }
        assert_eq!(parse_integer("256", false, 8, Sign::Signless), None);
        assert_eq!(parse_integer("129", true, 8, Sign::Signless), None);
        assert_eq!(parse_integer("128", false, 8, Sign::Signed), None);
        assert_eq!(parse_integer("1", true, 8, Sign::Unsigned), None);
        assert_eq!(
            integer_value(-1, 17, Sign::Signless).as_deref(),
            Some(&[0xFF, 0xFF, 1][..])
        );
    }
}
