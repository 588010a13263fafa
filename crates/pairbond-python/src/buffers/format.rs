//! The buffer protocol's names of element types (those of the `struct` module, and numpy's for
//! complex numbers).

use std::ffi::CStr;

use pairbond_core::error::Error;
use pairbond_value::value::DType;

use super::buffer_error;

const fn dtype_of_format(code: u8, bits: u8) -> DType {
    DType { code, bits, lanes: 1 }
}

const FORMATS: [(DType, &CStr); 14] = [
    (dtype_of_format(0, 8), c"b"),
    (dtype_of_format(0, 16), c"h"),
    (dtype_of_format(0, 32), c"i"),
    (dtype_of_format(0, 64), c"q"),
    (dtype_of_format(1, 8), c"B"),
    (dtype_of_format(1, 16), c"H"),
    (dtype_of_format(1, 32), c"I"),
    (dtype_of_format(1, 64), c"Q"),
    (dtype_of_format(2, 16), c"e"),
    (dtype_of_format(2, 32), c"f"),
    (dtype_of_format(2, 64), c"d"),
    (dtype_of_format(5, 64), c"Zf"),
    (dtype_of_format(5, 128), c"Zd"),
    (dtype_of_format(6, 8), c"?"),
];

/// # Errors
/// `BufferError` when there is no name for the type.
pub(super) fn format_of(of: DType) -> Result<&'static CStr, Error> {
    FORMATS
        .iter()
        .find(|(known, _)| *known == of)
        .map(|(_, name)| *name)
        .ok_or_else(|| buffer_error(format!("buffers have no name for {of}; DLPack has")))
}

/// The type that a format means; sizes of `long` and the like are those that `size` says.
///
/// # Errors
/// `BufferError` when the elements are no numbers, or their bytes are in another order than this
/// processor's.
#[cfg(feature = "arrays")]
pub(crate) fn parse_format(name: Option<&CStr>, size: usize) -> Result<DType, Error> {
    let name = name.map_or(&b"B"[..], CStr::to_bytes);
    let (foreign, letters) = match name {
        [b'@' | b'=', rest @ ..] => (false, rest),
        [b'<', rest @ ..] => (cfg!(target_endian = "big"), rest),
        [b'>' | b'!', rest @ ..] => (cfg!(target_endian = "little"), rest),
        rest => (false, rest),
    };
    let code = match letters {
        b"b" | b"h" | b"i" | b"l" | b"q" | b"n" => 0,
        b"B" | b"H" | b"I" | b"L" | b"Q" | b"N" | b"c" => 1,
        b"e" | b"f" | b"d" => 2,
        b"Zf" | b"Zd" => 5,
        b"?" => 6,
        _ => u8::MAX,
    };
    let bits = size.checked_mul(8).and_then(|bits| u8::try_from(bits).ok());
    let found = bits
        .map(|bits| dtype_of_format(code, bits))
        .filter(|found| FORMATS.iter().any(|(known, _)| known == found));
    let shown = || String::from_utf8_lossy(name);
    match found {
        Some(_) if foreign && size > 1 => Err(buffer_error(format!(
            "the elements ('{}') have their bytes in the order of another processor; copy them first (numpy: a.astype(a.dtype.newbyteorder('=')))",
            shown()
        ))),
        Some(found) => Ok(found),
        None => Err(buffer_error(format!(
            "elements of format '{}' and {size} bytes are no numbers that pairbond knows",
            shown()
        ))),
    }
}
