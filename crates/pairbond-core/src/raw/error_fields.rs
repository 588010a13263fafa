//! Errors.

use std::backtrace::Backtrace;
use std::borrow::Cow;
use std::sync::OnceLock;

use super::{Foreign, RawAny};

/// The class of exception that an [`Error`] becomes. The names are Python's, which most users will
/// see; a frontend of another language maps them to its nearest.
///
/// ```
/// use pairbond_core::error::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Custom("shop.PriceError".into()), "7 is not a price");
/// assert_eq!(error.kind(), &ErrorKind::Custom("shop.PriceError".into()));
/// assert_eq!(Error::value_error("7 is not a price").kind(), &ErrorKind::Value);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `TypeError`
    Type,
    /// `ValueError`
    Value,
    /// `KeyError`
    Key,
    /// `IndexError`
    Index,
    /// `AttributeError`
    Attribute,
    /// `OverflowError`
    Overflow,
    /// `ZeroDivisionError`
    ZeroDivision,
    /// `RuntimeError`: the default
    Runtime,
    /// `NotImplementedError`
    NotImplemented,
    /// `StopIteration`
    StopIteration,
    /// `MemoryError`
    Memory,
    /// `OSError` with an `errno` (the subclass is chosen by it), or without
    Os(Option<i32>),
    /// `FileNotFoundError`
    FileNotFound,
    /// `PermissionError`
    Permission,
    /// `TimeoutError`
    Timeout,
    /// `UnicodeError`
    Unicode,
    /// `ImportError`
    Import,
    /// `pairbond.InterpreterError`: the object belongs to another interpreter
    Interpreter,
    /// `pairbond.ClosedError`: the interpreter that would be needed is gone
    Closed,
    /// `pairbond.InvalidatedError`: the object was moved away or erased
    Invalidated,
    /// `pairbond.PanicError`: Rust code panicked; the object stays usable
    Panic,
    /// An exception class of a module, `"module.Name"`; the module is imported when the error is
    /// raised. Without such a class it is a `RuntimeError` with a note that says why.
    Custom(Cow<'static, str>),
    /// An operator that does not know the other operand; Python's `NotImplemented` protocol, not an
    /// exception
    NoSuchOperation,
    /// An exception that already exists in a frontend
    Foreign,
}

/// An error on its way to, or from, a frontend.
///
/// ```
/// use pairbond_core::error::{Error, ErrorKind};
///
/// fn port(text: &str) -> Result<u16, Error> {
///     text.parse().map_err(|cause| {
///         Error::value_error(format!("{text:?} is not a port"))
///             .with_note("ports are numbers below 65536")
///             .with_cause(Error::from(cause))
///     })
/// }
/// let error = port("http").unwrap_err();
/// assert_eq!((error.kind(), error.message()), (&ErrorKind::Value, "\"http\" is not a port"));
/// assert_eq!(error.notes(), ["ports are numbers below 65536"]);
/// assert_eq!(error.cause().unwrap().message(), "invalid digit found in string");
/// ```
#[repr(transparent)]
pub struct Error(pub(crate) Box<Inner>);

pub(crate) struct Inner {
    pub(crate) kind: ErrorKind,
    pub(crate) words: Words,
    /// What few errors have: none of it costs the others anything.
    pub(crate) more: Option<Box<More>>,
}

/// What an error says.
#[derive(Clone)]
pub(crate) enum Words {
    Message(String),
    /// An exception of a frontend, and its message, which is made on first use.
    Foreign(Foreign, Describe, OnceLock<String>),
}

#[derive(Default)]
pub(crate) struct More {
    pub(crate) source: Option<Box<dyn std::error::Error + Send + Sync>>,
    pub(crate) notes: Vec<String>,
    /// Attributes that the exception will have.
    pub(crate) fields: Vec<(Cow<'static, str>, RawAny)>,
    /// The file that an error of the operating system is about.
    pub(crate) path: Option<std::path::PathBuf>,
    /// Where the error was made, if the environment asks for it.
    pub(crate) backtrace: Option<Box<Backtrace>>,
    /// The error that led to this one, when it is one of ours.
    pub(crate) cause: Option<Error>,
}

/// Puts an exception into words; `None` when that cannot be done on this thread now.
pub(crate) type Describe = fn(&Foreign) -> Option<String>;
