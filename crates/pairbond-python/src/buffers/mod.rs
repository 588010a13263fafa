//! The buffer protocol: memory of arrays, lent to readers of buffers.
//!
//! * `export` – lending memory as a buffer, also for classes whose `__buffer__` gives an array;
//!   `format` – the protocol's names of element types.

mod export;
mod format;

#[cfg(feature = "arrays")]
pub(crate) use export::buffer_get;
pub(crate) use export::{buffer_release, lend_from};
#[cfg(feature = "arrays")]
pub(crate) use format::parse_format;

use pairbond_core::error::{Error, ErrorKind};

/// `BufferError`
#[cold]
pub(crate) fn buffer_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), message)
}
