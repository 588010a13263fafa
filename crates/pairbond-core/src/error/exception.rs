//! Exception classes that Rust defines: `#[pairbond::exception]`.
//!
//! A definition is a constant. An error names its class by key
//! ([`ErrorKind::Custom`](super::ErrorKind)); a frontend makes the class when the module that lists
//! it is imported, or when the first error of that class is raised, and each interpreter has one.

use std::collections::HashMap;
use std::sync::PoisonError;

use super::{Error, ErrorKind};
use crate::sync::statics::Mutex;

/// The definition of an exception class.
#[derive(Debug)]
#[repr(C)]
pub struct ExceptionInfo {
    /// The module and the name of the class: `"pkg.ParseError"`.
    pub key: &'static str,
    /// The documentation; empty when there is none.
    pub doc: &'static str,
    /// The base class.
    pub base: ExceptionBase,
}

/// The base of an exception class.
#[derive(Clone, Copy, Debug)]
#[repr(C, u8)]
pub enum ExceptionBase {
    /// A class of the language (`ValueError`), or of a module (`json.JSONDecodeError`), which is
    /// imported.
    Named(&'static str),
    /// A class that Rust defines.
    Defined(&'static ExceptionInfo),
}

impl ExceptionInfo {
    /// The name without the module.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.key.rsplit_once('.').map_or(self.key, |(_, name)| name)
    }

    /// The key of the base class.
    #[must_use]
    pub fn base_key(&self) -> &'static str {
        match self.base {
            ExceptionBase::Named(name) => name,
            ExceptionBase::Defined(info) => info.key,
        }
    }
}

/// An exception class that Rust defines. `#[pairbond::exception]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an exception class",
    label = "not marked `#[pairbond::exception(\"module.Name\")]`"
)]
pub trait Exception: 'static {
    /// The definition.
    const INFO: &'static ExceptionInfo;
}

/// Definitions of this binary that a frontend may be asked for, by key.
static DEFINED: Mutex<Option<HashMap<&'static str, &'static ExceptionInfo>>> = Mutex::new(None);

/// Makes a definition known to this binary's frontend.
pub fn define_exception(info: &'static ExceptionInfo) {
    let mut defined = DEFINED.lock().unwrap_or_else(PoisonError::into_inner);
    defined.get_or_insert_default().entry(info.key).or_insert(info);
}

/// Returns the definition with a key, if this binary has used it.
#[must_use]
pub fn find_exception(key: &str) -> Option<&'static ExceptionInfo> {
    let defined = DEFINED.lock().unwrap_or_else(PoisonError::into_inner);
    defined.as_ref()?.get(key).copied()
}

impl Error {
    /// Returns an error that is raised as `E`, whether or not `E`'s module has been imported.
    ///
    /// ```ignore
    /// #[pairbond::exception("pkg.ParseError", extends = ValueError)]
    /// struct ParseError;
    ///
    /// return Err(Error::of::<ParseError>("line 3: expected a name").with_field("line", 3));
    /// ```
    #[cold]
    #[must_use]
    pub fn of<E: Exception>(message: impl Into<String>) -> Self {
        define_exception(E::INFO);
        Error::new(ErrorKind::Custom(E::INFO.key.into()), message)
    }
}
