//! Strings and names.

use pairbond::memory::or_unwind;

use super::Writer;

/// What stands between quotes: printable ASCII as it is, anything else in hexadecimal. Unwinds with
/// a `MemoryError` where there is no memory.
pub(crate) fn escape_string(bytes: &[u8]) -> String {
    let size = |byte: &u8| match byte {
        b'\\' => 2,
        b'"' => 3,
        0x20..=0x7E => 1,
        _ => 3,
    };
    let mut out = String::new();
    or_unwind(out.try_reserve_exact(bytes.iter().map(size).sum()));
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            0x20..=0x7E => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\{byte:02X}")),
        }
    }
    out
}

impl Writer {
    /// Between quotes, [`escape_string`] where that is needed.
    pub(crate) fn print_quoted(&mut self, bytes: &[u8]) {
        let plain = |byte: &u8| matches!(byte, 0x20..=0x7E) && !matches!(byte, b'\\' | b'"');
        self.push("\"");
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.iter().all(plain) => self.push(text),
            _ => self.push(&escape_string(bytes)),
        }
        self.push("\"");
    }
}

fn is_word(name: &str, also: &str) -> bool {
    let mut chars = name.chars();
    let first = chars
        .next()
        .is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
    first && chars.all(|it| it.is_ascii_alphanumeric() || it == '_' || also.contains(it))
}

/// Whether a key of a dictionary is written without quotes.
pub(crate) fn is_bare_name(name: &str) -> bool {
    is_word(name, "$.")
}

/// `@name`, with quotes where it needs them.
pub(crate) fn symbol_name(name: &str) -> String {
    match is_word(name, "$.") {
        true => format!("@{name}"),
        false => format!("@\"{}\"", escape_string(name.as_bytes())),
    }
}
