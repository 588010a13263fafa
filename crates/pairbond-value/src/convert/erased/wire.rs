//! Errors between binaries, as values.
//!
//! An error is a list: kind, number, text, message, exception, notes, path, cause. Lists belong to
//! the runtime, whichever binary made them.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::sync::OnceLock;

use crate::convert::Mismatch;
use crate::error::{Error, ErrorKind};
use crate::value::{Any, Bytes, Foreign, List};

/// Puts an exception of the frontend into words.
type Describe = fn(&Foreign) -> Option<String>;

static DESCRIBE: OnceLock<Describe> = OnceLock::new();

/// Sets how exceptions are put into words in this binary. The first call decides.
pub fn set_describe(describe: Describe) {
    let _ = DESCRIBE.set(describe);
}

fn describe_foreign(exception: &Foreign) -> Option<String> {
    DESCRIBE.get().and_then(|describe| describe(exception))
}

/// An end of the chain of causes.
const CAUSES: usize = 32;

pub fn kind_of(code: i64, number: Option<i32>, text: Option<&str>) -> ErrorKind {
    match code {
        1 => ErrorKind::Type,
        2 => ErrorKind::Value,
        3 => ErrorKind::Key,
        4 => ErrorKind::Index,
        5 => ErrorKind::Attribute,
        6 => ErrorKind::Overflow,
        7 => ErrorKind::ZeroDivision,
        9 => ErrorKind::NotImplemented,
        10 => ErrorKind::StopIteration,
        11 => ErrorKind::Memory,
        12 => ErrorKind::Os(number),
        13 => ErrorKind::FileNotFound,
        14 => ErrorKind::Permission,
        15 => ErrorKind::Timeout,
        16 => ErrorKind::Unicode,
        17 => ErrorKind::Import,
        18 => ErrorKind::Interpreter,
        19 => ErrorKind::Closed,
        20 => ErrorKind::Invalidated,
        21 => ErrorKind::Panic,
        22 => ErrorKind::Custom(text.unwrap_or_default().to_owned().into()),
        23 => ErrorKind::NoSuchOperation,
        _ => ErrorKind::Runtime,
    }
}

/// The source of an error that is none of ours, in words.
#[derive(Debug)]
struct Below {
    message: String,
    below: Option<Box<Below>>,
}

impl fmt::Display for Below {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Below {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.below.as_deref().map(|below| below as _)
    }
}

pub fn pack_error(error: &Error) -> Any {
    let (code, kind_number, text) = error.kind().wire_number();
    let system = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    let number = kind_number.or_else(|| system?.raw_os_error());
    let foreign = error.foreign().cloned();
    let message = if foreign.is_some() {
        Any::None
    } else {
        Any::from(error.message())
    };
    let notes: List<Any> = error
        .notes()
        .iter()
        .map(|note| Any::from(note.as_str()))
        .collect();
    if let Some(frames) = error.backtrace() {
        notes.push(Any::from(format!("Rust frames:\n{frames}")));
    }
    let path = error
        .path()
        .map(|path| Bytes::from(path.as_os_str().as_encoded_bytes()));
    let cause = match error.cause() {
        Some(cause) => pack_error(cause),
        None => cause_texts(error),
    };
    let parts = [
        Any::Int(code),
        number.map_or(Any::None, |number| Any::Int(number.into())),
        text.map_or(Any::None, Any::from),
        message,
        foreign.map_or(Any::None, Any::Foreign),
        notes.into(),
        path.map_or(Any::None, Any::Bytes),
        cause,
    ];
    // Names and values in turn; nothing, if there are none, as those have it who know of none.
    let fields = error
        .fields()
        .flat_map(|(name, value)| [Any::from(name), value.clone()]);
    parts.into_iter().chain(fields).collect::<List<Any>>().into()
}

/// The messages below an error; one text is what an error of the system says itself.
fn cause_texts(error: &Error) -> Any {
    let (mut all, mut next) = (Vec::new(), error.source());
    while let Some(cause) = next {
        all.push(cause.to_string());
        next = if all.len() < CAUSES { cause.source() } else { None };
    }
    if all.is_empty() {
        return Any::None;
    }
    all.into_iter().map(Any::from).collect::<List<Any>>().into()
}

pub fn unpack_error(packed: &Any) -> Error {
    let parts = list_items(packed);
    let [
        code,
        number,
        text,
        message,
        foreign,
        notes,
        path,
        cause,
        fields @ ..,
    ] = &parts[..]
    else {
        return Error::runtime_error("an error that a library could not tell");
    };
    let number = number.as_i64().and_then(|number| i32::try_from(number).ok());
    let kind = kind_of(code.as_i64().unwrap_or(0), number, text.as_str());
    let message = message.as_str().unwrap_or_default();
    let below = list_items(cause);
    let mut error = match (foreign, number) {
        (Any::Foreign(exception), _) => Error::from_foreign(exception.clone(), describe_foreign),
        (_, Some(number)) if below.len() <= 1 => {
            Error::caused_by(kind, message, io::Error::from_raw_os_error(number))
        }
        _ if below.is_empty() || below[0].as_str().is_none() => Error::new(kind, message),
        _ => {
            let texts = below
                .iter()
                .rev()
                .map(|text| text.as_str().unwrap_or_default().to_owned());
            let chain = texts.fold(None, |below, message| Some(Box::new(Below { message, below })));
            Error::caused_by(kind, message, chain.expect("it is not empty"))
        }
    };
    if below.first().is_some_and(|first| first.as_str().is_none()) {
        error = error.with_cause(unpack_error(cause));
    }
    for note in list_items(notes) {
        error = error.with_note(note.as_str().unwrap_or_default());
    }
    for field in fields.chunks_exact(2) {
        error = error.with_field(field[0].as_str().unwrap_or_default().to_owned(), field[1].clone());
    }
    if let Any::Bytes(path) = path {
        // SAFETY: the encoded bytes of a path, made above.
        error = error.with_path(unsafe { OsStr::from_encoded_bytes_unchecked(path) });
    }
    error
}

fn list_items(any: &Any) -> Vec<Any> {
    match any {
        Any::None => Vec::new(),
        any => any
            .to::<List<Any>>()
            .map_or_else(|_| Vec::new(), |list| list.iter().collect()),
    }
}

pub fn pack_mismatch(mismatch: Mismatch) -> Any {
    match mismatch {
        Mismatch::Type => Any::None,
        Mismatch::Overflow => Any::Bool(true),
        Mismatch::Value(why) => Any::from(why),
        Mismatch::Shape(why) => [Any::from(why)].into_iter().collect::<List<Any>>().into(),
        Mismatch::Raised(error) => pack_error(&error),
        Mismatch::Inside(inner) => {
            let (at, expected, came, inner) = *inner;
            let parts = [
                Any::from(at),
                Any::from(expected),
                Any::from(came),
                pack_mismatch(inner),
            ];
            parts.into_iter().collect::<List<Any>>().into()
        }
    }
}

pub fn unpack_mismatch(packed: &Any) -> Mismatch {
    match packed {
        Any::None => Mismatch::Type,
        Any::Bool(_) => Mismatch::Overflow,
        Any::Str(why) => Mismatch::Value(why.to_string()),
        packed => match &list_items(packed)[..] {
            [why] => Mismatch::Shape(why.as_str().unwrap_or_default().to_owned()),
            [at, expected, came, inner] => {
                let text = |any: &Any| any.as_str().unwrap_or_default().to_owned();
                Mismatch::Inside(Box::new((
                    text(at),
                    text(expected),
                    text(came),
                    unpack_mismatch(inner),
                )))
            }
            _ => Mismatch::Raised(unpack_error(packed)),
        },
    }
}
