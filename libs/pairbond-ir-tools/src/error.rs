//! Errors of this library: `pairbond_ir.IRError` in Python.

use std::fmt;

use pairbond::prelude::*;

/// A place in a file or a text.
pub struct Place {
    /// The name of the file, or of the text.
    pub file: String,
    /// Counted from one.
    pub line: i64,
    /// Counted from one.
    pub column: i64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Of Python: raises what becomes of an exception of a callback (`python/pairbond_ir/_errors.py`).
const OF_CALLBACK: &str = "pairbond_ir.of_callback";

/// The error of a function that calls a callback: a `RuntimeError` with the callback's exception as
/// its cause, as with MLIR's bindings. One that ends the program (`KeyboardInterrupt`) stays.
#[cold]
#[must_use]
pub fn of_callback(error: Error) -> Error {
    let Some(exception) = error.foreign() else {
        return error;
    };
    let raised =
        pairbond::registry::get_function(OF_CALLBACK).and_then(|it| it.call(&[exception.clone().into()]));
    raised.err().unwrap_or(error)
}

/// Of Python: shows an exception that has no caller to go to (`python/pairbond_ir/_errors.py`).
const UNRAISABLE: &str = "pairbond_ir.unraisable";

/// Shows the error of a callback whose caller goes on: Python's goes to `sys.unraisablehook`.
///
/// # Errors
/// The error itself, if it ends the program (`KeyboardInterrupt`) or is none of Python's.
#[cold]
pub fn report_unraisable(error: Error) -> Result<()> {
    let Some(exception) = error.foreign() else {
        return Err(error);
    };
    let shown = pairbond::registry::get_function(UNRAISABLE)?.call(&[exception.clone().into()])?;
    if matches!(shown, Any::Bool(true)) {
        Ok(())
    } else {
        Err(error)
    }
}

const IR: &str = "pairbond_ir.IRError";

/// Returns an `IRError`.
#[cold]
pub fn ir_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Custom(IR.into()), message)
}

/// Returns an `IRError` that knows its place; `shown` stands below the message.
#[cold]
#[must_use]
pub fn error_at(place: &Place, what: &str, shown: &str) -> Error {
    ir_error(format!("{place}: error: {what}{shown}"))
        .with_field("message", what)
        .with_field("filename", &*place.file)
        .with_field("line", place.line)
        .with_field("column", place.column)
}

/// Adds what failed to an `IRError`, as MLIR's bindings begin their texts with it
/// (`python/pairbond_ir/_errors.py`). One that has it already keeps it.
#[cold]
#[must_use]
pub fn add_failure(error: Error, what: impl std::fmt::Display) -> Error {
    match is_ir(&error) && error.field(FAILED).is_none() {
        true => error.with_field(FAILED, what.to_string()),
        false => error,
    }
}

const FAILED: &str = "_failed";

/// Whether it is an `IRError` of this library's own: one that comes back from Python is Python's.
#[must_use]
pub fn is_ir(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Custom(name) if name == IR)
}
