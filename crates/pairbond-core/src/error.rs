//! One error type for both sides of the border.
//!
//! An [`Error`] knows which kind of exception it becomes, its message, its cause, and – when it
//! came from a frontend – the exception object itself, which goes back out as the very same object.
//! It is one pointer wide; the success path pays nothing for it. Any `std::error::Error` converts
//! into it with `?`.

use std::backtrace::Backtrace;
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::alloc::boxed_or_reserved;
pub use crate::raw::{Error, ErrorKind};
use crate::raw::{Foreign, Holds, Inner, More, RawAny, Words};

pub mod exception;
pub mod panics;
mod room;

#[doc(hidden)]
pub use room::{Gather, Grow, Room, filled_vec, or_unwind};
pub use room::{check_room, keep_reserve};

impl ErrorKind {
    /// The number of the kind where it crosses to other binaries, and what belongs to it.
    #[doc(hidden)]
    #[must_use]
    pub fn wire_number(&self) -> (i64, Option<i32>, Option<&str>) {
        let code = match self {
            ErrorKind::Type => 1,
            ErrorKind::Value => 2,
            ErrorKind::Key => 3,
            ErrorKind::Index => 4,
            ErrorKind::Attribute => 5,
            ErrorKind::Overflow => 6,
            ErrorKind::ZeroDivision => 7,
            ErrorKind::Runtime => 8,
            ErrorKind::NotImplemented => 9,
            ErrorKind::StopIteration => 10,
            ErrorKind::Memory => 11,
            ErrorKind::Os(number) => return (12, *number, None),
            ErrorKind::FileNotFound => 13,
            ErrorKind::Permission => 14,
            ErrorKind::Timeout => 15,
            ErrorKind::Unicode => 16,
            ErrorKind::Import => 17,
            ErrorKind::Interpreter => 18,
            ErrorKind::Closed => 19,
            ErrorKind::Invalidated => 20,
            ErrorKind::Panic => 21,
            ErrorKind::Custom(name) => return (22, None, Some(name)),
            ErrorKind::NoSuchOperation => 23,
            ErrorKind::Foreign => 24,
        };
        (code, None, None)
    }
}

/// Where we are, if the environment asks for it: `RUST_LIB_BACKTRACE=1`, or `RUST_BACKTRACE=full`.
/// Not `RUST_BACKTRACE=1`, which explains panics: errors are a way to return, and a backtrace for
/// each takes a thousand times as long as the error.
fn capture_backtrace(kind: &ErrorKind) -> Option<Box<Backtrace>> {
    // Errors that are handled by the caller.
    let silent = matches!(kind, ErrorKind::NoSuchOperation | ErrorKind::StopIteration);
    (wants_backtraces() && !silent).then(|| Box::new(Backtrace::force_capture()))
}

/// Whether the environment asks for backtraces. The first call allocates.
pub(crate) fn wants_backtraces() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| match std::env::var_os("RUST_LIB_BACKTRACE") {
        Some(value) => value != "0",
        None => std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full"),
    })
}

impl RawAny {
    /// An error, as the result of a failed call.
    #[must_use]
    pub fn from_error(error: Error) -> Self {
        RawAny::Error(std::sync::Arc::new(error))
    }

    /// Returns the error that a function wrote when it failed. `what` is what failed, for one that
    /// wrote none.
    #[cold]
    #[must_use]
    pub fn into_error(self, what: impl std::fmt::Display) -> Error {
        match self {
            RawAny::Error(error) => Error::from_shared(error),
            _ => Error::runtime_error(format!("{what} failed and does not say why")),
        }
    }
}

/// `Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind with a message.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let backtrace = capture_backtrace(&kind);
        let mut error = Error(boxed_or_reserved(Inner {
            kind,
            words: Words::Message(message.into()),
            more: None,
        }));
        if backtrace.is_some() {
            error.extra_mut().backtrace = backtrace;
        }
        error
    }

    fn extra_mut(&mut self) -> &mut More {
        self.0.more.get_or_insert_default()
    }

    /// `TypeError`
    #[cold]
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Type, message)
    }

    /// `ValueError`
    #[cold]
    pub fn value_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Value, message)
    }

    /// `KeyError`
    #[cold]
    pub fn key_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Key, message)
    }

    /// `IndexError`
    #[cold]
    pub fn index_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Index, message)
    }

    /// `RuntimeError`
    #[cold]
    pub fn runtime_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Runtime, message)
    }

    /// Returned by a binary operator or comparison that does not know the other operand, so that
    /// the other one is asked.
    #[cold]
    pub fn not_implemented() -> Self {
        Self::new(
            ErrorKind::NoSuchOperation,
            "operation not supported between these operands",
        )
    }

    /// Unwinds with this error, for where no `Result` can be returned and hardly ever is: as when
    /// memory cannot be had in the middle of a computation. A frontend that called gets this error,
    /// and not one of kind [`ErrorKind::Panic`]; Rust code sees a panic.
    ///
    /// # Panics
    /// Always.
    #[cold]
    pub fn unwind(self) -> ! {
        std::panic::panic_any(self)
    }

    /// An error with another error as its cause.
    #[cold]
    pub fn caused_by(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let mut error = Self::new(kind, message);
        error.extra_mut().source = Some(source.into());
        error
    }

    /// An exception that exists in a frontend; it goes back out as the same object. The message of
    /// most is never read, and reading it may run code of theirs: `describe` is called on first
    /// use.
    #[cold]
    #[must_use]
    pub fn from_foreign(exception: Foreign, describe: fn(&Foreign) -> Option<String>) -> Self {
        Error(boxed_or_reserved(Inner {
            kind: ErrorKind::Foreign,
            words: Words::Foreign(exception, describe, OnceLock::new()),
            // No backtrace: the exception has a traceback of its own.
            more: None,
        }))
    }

    /// Returns the error itself if it is not shared, else [a copy](Self::copy).
    #[doc(hidden)]
    pub fn from_shared(error: std::sync::Arc<Error>) -> Self {
        std::sync::Arc::try_unwrap(error).unwrap_or_else(|error| error.copy())
    }

    /// The same error once more, with its cause in words only.
    pub fn copy(&self) -> Self {
        Error(boxed_or_reserved(Inner {
            kind: self.0.kind.clone(),
            words: self.0.words.clone(),
            more: self.0.more.as_ref().map(|more| {
                Box::new(More {
                    source: more.source.as_ref().map(|cause| cause.to_string().into()),
                    notes: more.notes.clone(),
                    fields: more.fields.clone(),
                    path: more.path.clone(),
                    backtrace: None,
                    cause: more.cause.as_ref().map(Error::copy),
                })
            }),
        }))
    }

    /// The same error as another kind of exception.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Adds a note that the exception will carry (Python: `__notes__`).
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.extra_mut().notes.push(note.into());
        self
    }

    /// Gives the exception an attribute (Python: `error.line`), for programs that want to know more
    /// than words say. A later value of a name takes the place of an earlier one. What the class of
    /// the exception does not let anybody assign is left out.
    ///
    /// ```
    /// use pairbond_core::error::Error;
    /// # use pairbond_value as _;
    ///
    /// let error = Error::value_error("line 3: a name is missing").with_field("line", 3);
    /// assert_eq!(error.field("line").and_then(|it| it.as_i64()), Some(3));
    /// ```
    #[must_use]
    pub fn with_field<V>(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<V>) -> Self
    where
        RawAny: Holds<V>,
    {
        let (name, value) = (name.into(), RawAny::new(value.into()));
        let fields = &mut self.extra_mut().fields;
        fields.retain(|(known, _)| *known != name);
        fields.push((name, value));
        self
    }

    /// Says which file an error of the operating system is about (Python: `OSError.filename`).
    #[must_use]
    pub fn with_path(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.extra_mut().path = Some(path.into());
        self
    }

    /// Names the error that led to this one (Python: `__cause__`); an exception of a frontend stays
    /// the same object.
    #[must_use]
    pub fn with_cause(mut self, cause: Error) -> Self {
        self.extra_mut().cause = Some(cause);
        self
    }

    /// The file that an error of the operating system is about.
    #[must_use]
    pub fn path(&self) -> Option<&std::path::Path> {
        self.0.more.as_ref()?.path.as_deref()
    }

    /// The error that led to this one, if [`with_cause`](Self::with_cause) named it.
    #[must_use]
    pub fn cause(&self) -> Option<&Error> {
        self.0.more.as_ref()?.cause.as_ref()
    }

    /// Where the error was made, if `RUST_LIB_BACKTRACE=1` (or `RUST_BACKTRACE=full`) asks for it.
    #[must_use]
    pub fn backtrace(&self) -> Option<&Backtrace> {
        self.0.more.as_ref()?.backtrace.as_deref()
    }

    /// The kind of exception.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        let (exception, describe, message) = match &self.0.words {
            Words::Message(message) => return message,
            Words::Foreign(exception, describe, message) => (exception, describe, message),
        };
        if let Some(message) = message.get() {
            return message;
        }
        match describe(exception) {
            Some(found) => message.get_or_init(|| found),
            None => "an exception that can be read by a thread of its interpreter only",
        }
    }

    /// Whether it is a kind and a message, or an exception of a frontend, and nothing else.
    #[doc(hidden)]
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.0.more.is_none()
    }

    /// Notes added by [`with_note`](Self::with_note).
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.0.more.as_ref().map_or(&[], |more| &more.notes)
    }

    /// What [`with_field`](Self::with_field) gave by a name. Attributes of an exception that came
    /// from a frontend are not among them.
    #[must_use]
    pub fn field<V: 'static>(&self, name: &str) -> Option<&V>
    where
        RawAny: Holds<V>,
    {
        self.fields()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Everything that [`with_field`](Self::with_field) gave, in that order.
    pub fn fields<V: 'static>(&self) -> impl Iterator<Item = (&str, &V)>
    where
        RawAny: Holds<V>,
    {
        let more = self.0.more.as_ref();
        more.into_iter()
            .flat_map(|more| &more.fields)
            .map(|(name, value)| (&**name, value.as_value()))
    }

    /// The exception object, when the error came from a frontend.
    #[must_use]
    pub fn foreign(&self) -> Option<&Foreign> {
        match &self.0.words {
            Words::Foreign(exception, ..) => Some(exception),
            Words::Message(_) => None,
        }
    }

    /// The exception object of an error that came from a frontend, given away.
    ///
    /// # Errors
    /// The error came from elsewhere, or has been given [more](Self::is_plain); it is returned.
    #[doc(hidden)]
    pub fn into_foreign(self) -> Result<Foreign, Error> {
        match self.0.words {
            Words::Foreign(exception, ..) if self.0.more.is_none() => Ok(exception),
            _ => Err(self),
        }
    }

    /// The cause.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.more.as_ref()?.source.as_deref();
        source.map(|e| e as &(dyn std::error::Error + 'static))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.message())
            .field("source", &self.source())
            .finish()
    }
}

/// Finds the error that one of another library stands for, which would lose something otherwise.
#[cfg(feature = "pyo3")]
pub(crate) type Recognize = fn(&dyn std::any::Any) -> Option<Error>;

#[cfg(feature = "pyo3")]
static RECOGNIZE: OnceLock<Recognize> = OnceLock::new();

/// Sets the function that another library's errors are shown to when they become [`Error`]s; the
/// first call counts.
#[cfg(feature = "pyo3")]
pub(crate) fn recognize_errors(recognize: Recognize) {
    let _ = RECOGNIZE.set(recognize);
}

/// Chooses the kind from the standard library's errors; everything else is a `RuntimeError`
/// (name another with [`ResultExt::or_raise`]).
impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    #[cold]
    fn from(error: E) -> Self {
        #[cfg(feature = "pyo3")]
        if let Some(error) = RECOGNIZE.get().and_then(|recognize| recognize(&error)) {
            return error;
        }
        let kind = kind_of(&error);
        if kind == ErrorKind::Memory {
            crate::alloc::use_reserve();
        }
        Error::caused_by(kind, error.to_string(), error)
    }
}

fn kind_of(error: &(dyn std::error::Error + 'static)) -> ErrorKind {
    use std::io;
    if let Some(e) = error.downcast_ref::<io::Error>() {
        return match e.kind() {
            io::ErrorKind::NotFound => ErrorKind::FileNotFound,
            io::ErrorKind::PermissionDenied => ErrorKind::Permission,
            io::ErrorKind::TimedOut => ErrorKind::Timeout,
            io::ErrorKind::OutOfMemory => ErrorKind::Memory,
            _ => ErrorKind::Os(e.raw_os_error()),
        };
    }
    if error.is::<std::num::ParseIntError>()
        || error.is::<std::num::ParseFloatError>()
        || error.is::<std::char::ParseCharError>()
        || error.is::<std::str::ParseBoolError>()
    {
        return ErrorKind::Value;
    }
    if error.is::<std::num::TryFromIntError>() {
        return ErrorKind::Overflow;
    }
    if error.is::<std::str::Utf8Error>() || error.is::<std::string::FromUtf8Error>() {
        return ErrorKind::Unicode;
    }
    if error.is::<crate::alloc::AllocationError>() || error.is::<std::collections::TryReserveError>() {
        return ErrorKind::Memory;
    }
    ErrorKind::Runtime
}

/// `?` with a kind: `text.parse::<Level>().or_raise(ErrorKind::Value)?`.
///
/// ```
/// use pairbond_core::error::{ErrorKind, Result, ResultExt};
///
/// fn level(text: &str) -> Result<u8> {
///     text.parse::<u8>().or_raise(ErrorKind::Value)
/// }
/// assert_eq!(level("3")?, 3);
/// assert_eq!(level("much").unwrap_err().kind(), &ErrorKind::Value);
/// let missing = std::fs::read("no/such/file").at_path("no/such/file").unwrap_err();
/// assert_eq!(missing.path(), Some("no/such/file".as_ref()));
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
pub trait ResultExt<T> {
    /// # Errors
    /// The same error, as an exception of the given kind.
    fn or_raise(self, kind: ErrorKind) -> Result<T>;
    /// # Errors
    /// The same error, about a file: `std::fs::read(path).at_path(path)?`.
    fn at_path(self, path: impl AsRef<std::path::Path>) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for Result<T, E> {
    fn or_raise(self, kind: ErrorKind) -> Result<T> {
        self.map_err(|e| e.into().with_kind(kind))
    }
    fn at_path(self, path: impl AsRef<std::path::Path>) -> Result<T> {
        self.map_err(|e| e.into().with_path(path.as_ref()))
    }
}
