//! The C interface: libraries of C, and of every language that can call C.
//!
//! `include/pairbond/pairbond.h` is the other half: it declares these functions, with their
//! contracts. A library of C exports a table as one of Rust does ([`Table`]); the runtime calls
//! its function with a table of functions ([`Api`]), by which it describes its types and functions.
//! The result is a list of [`Member`](super::Member)s, as of a library of Rust: frontends see no
//! difference.
//!
//! 1. **Sizes come first.** Both tables begin with their size and the interface's version, which
//!    are read before anything else. They grow at their end.
//! 2. **C owns the references that it is given.** They are counted, and C gives them back; those
//!    that are lent for a call are not counted. Values are 16 bytes, laid out as
//!    [`Any`](pairbond_value::value::Any).
//! 3. **No unwinding.** A panic becomes an error before it reaches C (`errors::catch_errors`).
//!
//! * `host` – the program's half: reading what a library exports, and the functions that it calls
//!   (feature `load`).
//! * `module` – a library's description of itself; `types`, `callables`, `attributes` – its parts.
//! * `call` – arguments and result of one call; its beginning is `pb_call` in the header.
//! * `errors` – errors, and the guard of all functions here.

mod attributes;
mod call;
mod callables;
mod errors;
#[cfg(feature = "load")]
mod host;
mod module;
mod types;

pub(super) use call::{Call, Label};
pub(super) use callables::{Callback, Construct};
pub(super) use errors::take_error;
#[cfg(feature = "load")]
pub use host::{Api, Table};
#[cfg(feature = "load")]
pub(super) use host::{MAGIC, Refused, load_table};

/// A text of C: UTF-8, not terminated.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    data: *const u8,
    size: usize,
}

impl Text {
    pub(super) const EMPTY: Text = Text::new("");

    pub(super) const fn new(text: &str) -> Self {
        Text {
            data: text.as_ptr(),
            size: text.len(),
        }
    }

    /// The bytes.
    ///
    /// # Safety
    /// The bytes can be read for `'a`, or there are none.
    unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() || self.size == 0 {
            return &[];
        }
        // SAFETY: the bytes can be read for `'a`, or there are none: the caller ensures it.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }

    /// The text.
    ///
    /// # Errors
    /// `UnicodeError`: it is not UTF-8.
    ///
    /// # Safety
    /// As [`as_bytes`](Self::as_bytes).
    unsafe fn get<'a>(self) -> Result<&'a str, pairbond_core::error::Error> {
        // SAFETY: the bytes can be read for `'a`, or there are none: the caller ensures it.
        std::str::from_utf8(unsafe { self.as_bytes() }).map_err(|error| {
            pairbond_core::error::Error::new(
                pairbond_core::error::ErrorKind::Unicode,
                format!("a text of a C library is not UTF-8: {error}"),
            )
        })
    }

    /// The text for the life of the process.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    ///
    /// # Safety
    /// As [`as_bytes`](Self::as_bytes), for the call.
    unsafe fn leak_str(self) -> Result<&'static str, pairbond_core::error::Error> {
        // SAFETY: the bytes can be read during the call, or there are none: the caller ensures it.
        Ok(unsafe { self.get() }?.to_owned().leak())
    }
}
