//! `pairbond.Array`: numbers that share their memory with numpy and others.
//!
//! * `array_class` – the class, its attributes and methods, and their `arguments`; `index` –
//!   subscripts; `scalar` – single elements; `format` – the buffer protocol's names of types.
//! * `export` – lending memory as a buffer, also for classes whose `__buffer__` gives an array;
//!   `lend` – borrowing from others; `dlpack` – the same by DLPack.
//!
//! The borrower keeps the lender alive: an exported buffer or capsule owns the native block
//! (released by any thread), and a block of borrowed memory owns a [`lend`] object, which returns
//! the memory when the interpreter releases it: on an attached thread, wherever the block died.

#[cfg(feature = "package")]
mod arguments;
#[cfg(feature = "package")]
mod array_class;
mod dlpack;
mod export;
mod format;
#[cfg(feature = "package")]
mod index;
mod lend;
#[cfg(feature = "package")]
mod scalar;

#[cfg(feature = "package")]
pub(crate) use array_class::publish_array;
pub(crate) use export::{buffer_release, lend_from};

use pairbond_core::error::{Error, ErrorKind};

/// `BufferError`
#[cold]
fn buffer_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), message)
}
