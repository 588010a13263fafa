//! Encodings of values that text formats lack.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use pairbond_core::error::{Error, ErrorKind};

pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn of_base64(text: &str) -> Result<Vec<u8>, Error> {
    STANDARD
        .decode(text)
        .map_err(|error| Error::caused_by(ErrorKind::Value, "these bytes are not written in base 64", error))
}

pub(super) fn special_float(value: f64) -> &'static str {
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
