//! What formats of text have no values for.

use crate::error::Error;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= three.len() { digit.into() } else { '=' });
        }
    }
    text
}

pub(super) fn of_base64(text: &str) -> Result<Vec<u8>, Error> {
    let wrong = || Error::value_error("these bytes are not written in base 64");
    let digits = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return Err(wrong());
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut bits = 0_u32;
        for digit in four {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(wrong()),
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - four.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    Ok(bytes)
}

pub(super) fn special(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "nan",
        (_, true) => "inf",
        _ => "-inf",
    }
}

pub(super) fn of_special(text: &str) -> Result<f64, Error> {
    match text {
        "nan" => Ok(f64::NAN),
        "inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        other => Err(Error::value_error(format!("no float: {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\xfe\xfd\xfc", "//79/A=="),
        ] {
            assert_eq!(to_base64(bytes), text);
            assert_eq!(of_base64(text).unwrap(), bytes);
        }
        for wrong in ["Z", "Zg=", "Z===", "Zg-=", "ä==="] {
            assert!(of_base64(wrong).is_err(), "{wrong}");
        }
    }
}
