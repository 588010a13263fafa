//! Tokens, one at a time and without copying.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word: `module`, `i32`, `arith.addi`.
    Word,
    /// `12`, `0xFF`
    Integer,
    /// `1.5e10`
    Float,
    /// `"text"`, with its quotes.
    String,
    /// `@name` or `@"name"`
    At,
    /// `#name`
    Hash,
    /// `!name`
    Bang,
    /// `%name`
    Percent,
    /// `^name`
    Caret,
    /// `->`
    Arrow,
    /// `::`
    Scope,
    /// `...`
    Ellipsis,
    /// `{-#`
    Resources,
    /// One of `(){}[]<>,:=-+*?/|`
    Mark(u8),
    /// The end.
    End,
    /// Something else, with the lexer's error message.
    Wrong(&'static str),
}

/// A piece of text, from `start` to `end` in bytes. Both stand between two characters.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Where its first byte is.
    pub start: usize,
    /// Where the byte behind its last one is.
    pub end: usize,
}

/// The kinds of tokens that a byte may be part of, as bits.
const WORD: u8 = 1;
const SUFFIX: u8 = 2;
const DIGIT: u8 = 4;
const BLANK: u8 = 8;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let this = byte as u8;
        let in_word = this.is_ascii_alphanumeric() || matches!(this, b'_' | b'$' | b'.');
        classes[byte] = if in_word { WORD | SUFFIX } else { 0 }
            | if this == b'-' { SUFFIX } else { 0 }
            | if this.is_ascii_digit() { DIGIT } else { 0 }
            | if this.is_ascii_whitespace() { BLANK } else { 0 };
        byte += 1;
    }
    classes
};

#[inline]
fn has_class(byte: u8, class: u8) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// Past the bytes of a class.
#[inline]
fn skip_class(text: &[u8], at: usize, class: u8) -> usize {
    skip_while(text, at, |byte| has_class(byte, class))
}

#[inline]
fn skip_while(text: &[u8], at: usize, of: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !of(*byte)).unwrap_or(rest.len())
}

/// Past blanks and comments.
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        at = skip_class(text, at, BLANK);
        if text.get(at) != Some(&b'/') || text.get(at + 1) != Some(&b'/') {
            return at;
        }
        at = skip_while(text, at, |byte| byte != b'\n');
    }
}

/// The nearest place between two characters that is not behind another place.
#[inline]
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The nearest place between two characters that is not before another place.
fn boundary_behind(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Returns the token from `at` on.
#[must_use]
pub fn next_token(source: &str, at: usize) -> Token {
    let text = source.as_bytes();
    let start = skip_blanks(text, at);
    let (kind, end) = match text.get(start..) {
        None | Some([]) => (Kind::End, start),
        Some(rest) => scan_token(text, start, rest),
    };
    // All others end behind a byte of ASCII.
    let end = match kind {
        Kind::Wrong(_) => boundary_behind(source, end),
        _ => end,
    };
    Token { kind, start, end }
}

fn scan_token(text: &[u8], start: usize, rest: &[u8]) -> (Kind, usize) {
    match rest {
        [b'"', ..] => match string_end(text, start) {
            Ok(end) => (Kind::String, end),
            Err(what) => (Kind::Wrong(what), start + 1),
        },
        [b'-', b'>', ..] => (Kind::Arrow, start + 2),
        [b':', b':', ..] => (Kind::Scope, start + 2),
        [b'.', b'.', b'.', ..] => (Kind::Ellipsis, start + 3),
        [b'{', b'-', b'#', ..] => (Kind::Resources, start + 3),
        [
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'-' | b'+' | b'*'
            | b'?' | b'/' | b'|',
            ..,
        ] => (Kind::Mark(rest[0]), start + 1),
        [b'@', b'"', ..] => match string_end(text, start + 1) {
            Ok(end) => (Kind::At, end),
            Err(what) => (Kind::Wrong(what), start + 1),
        },
        [b'@', first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            (Kind::At, skip_class(text, start + 1, WORD))
        }
        [b'@', ..] => (
            Kind::Wrong("@ identifier expected to start with letter or '_'"),
            start + 1,
        ),
        [mark @ (b'#' | b'!' | b'%' | b'^'), first, ..] if has_class(*first, SUFFIX) => {
            (name_kind(*mark), name_end(text, start + 1))
        }
        [b'#' | b'!' | b'%' | b'^', ..] => (Kind::Wrong("invalid identifier"), start + 1),
        [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            (Kind::Word, skip_class(text, start, WORD))
        }
        [b'0'..=b'9', ..] => scan_number(text, start),
        _ => (Kind::Wrong("unexpected character"), start + 1),
    }
}

fn name_kind(mark: u8) -> Kind {
    match mark {
        b'#' => Kind::Hash,
        b'!' => Kind::Bang,
        b'%' => Kind::Percent,
        _ => Kind::Caret,
    }
}

/// A name behind a mark: digits, or a word that may have dashes.
fn name_end(text: &[u8], at: usize) -> usize {
    match text[at].is_ascii_digit() {
        true => skip_class(text, at, DIGIT),
        false => {
            let mut end = skip_class(text, at, SUFFIX);
            // `->` is not part of a name.
            if text.get(end) == Some(&b'>') && text[end - 1] == b'-' {
                end -= 1;
            }
            end
        }
    }
}

fn scan_number(text: &[u8], start: usize) -> (Kind, usize) {
    if text[start] == b'0'
        && text.get(start + 1) == Some(&b'x')
        && text.get(start + 2).is_some_and(u8::is_ascii_hexdigit)
    {
        return (
            Kind::Integer,
            skip_while(text, start + 2, |byte| byte.is_ascii_hexdigit()),
        );
    }
    let digits = |at| skip_class(text, at, DIGIT);
    let end = digits(start);
    if text.get(end) != Some(&b'.') {
        return (Kind::Integer, end);
    }
    let end = digits(end + 1);
    if let Some(b'e' | b'E') = text.get(end) {
        let signed = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        if text.get(signed).is_some_and(u8::is_ascii_digit) {
            return (Kind::Float, digits(signed));
        }
    }
    (Kind::Float, end)
}

/// The end of a string that begins at `at`, or an error.
///
/// # Errors
/// It has no end in its line, or an escape that means nothing.
pub fn string_end(text: &[u8], at: usize) -> Result<usize, &'static str> {
    let mut end = at + 1;
    loop {
        match text.get(end) {
            Some(b'"') => return Ok(end + 1),
            Some(b'\\') => match text.get(end + 1..) {
                Some([b'"' | b'\\' | b'n' | b't', ..]) => end += 2,
                Some([a, b, ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => end += 3,
                _ => return Err("unknown escape in string literal"),
            },
            None | Some(b'\n' | 0x0B | 0x0C) => return Err("expected '\"' in string literal"),
            Some(_) => end += 1,
        }
    }
}

/// Returns the contents of a string, without quotes and escapes.
///
/// # Panics
/// It is no [`Kind::String`].
#[must_use]
pub fn unquote_string(quoted: &str) -> Vec<u8> {
    let inner = &quoted.as_bytes()[1..quoted.len() - 1];
    let mut out = Vec::new();
    pairbond::memory::or_unwind(out.try_reserve_exact(inner.len()));
    let mut at = 0;
    while let Some(byte) = inner.get(at) {
        if *byte != b'\\' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let (value, taken) = match inner[at + 1] {
            b'n' => (b'\n', 2),
            b't' => (b'\t', 2),
            escaped @ (b'"' | b'\\') => (escaped, 2),
            high => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
                (digit(high) << 4 | digit(inner[at + 2]), 3)
            }
        };
        out.push(value);
        at += taken;
    }
    out
}
