//! Errors of this library: `pairbond_ir.IRError` in Python.

use pairbond::prelude::*;

/// An `IRError`.
#[cold]
pub(crate) fn ir(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Custom("pairbond_ir.IRError".into()), message)
}
