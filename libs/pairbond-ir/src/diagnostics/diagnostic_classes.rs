//! Diagnostics as Python sees them.

use pairbond::prelude::*;

use crate::context::attributes::{Attribute, AttributeHead, Location};
use crate::print;

/// How bad it is.
#[pairbond::object("pairbond_ir.DiagnosticSeverity")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It cannot be.
    #[name("ERROR")]
    Error,
    /// It may be wrong.
    #[name("WARNING")]
    Warning,
    /// About another diagnostic.
    #[name("NOTE")]
    Note,
    /// Good to know.
    #[name("REMARK")]
    Remark,
}

/// A diagnostic at a location. It stays as it is after the handler that got it has returned.
#[pairbond::object("pairbond_ir.Diagnostic", opaque)]
pub struct Diagnostic {
    /// How bad it is.
    #[untraced]
    severity: Severity,
    /// The place.
    #[field]
    location: Ref<Attribute>,
    /// The message.
    #[field]
    message: Str,
    notes: Vec<Ref<Diagnostic>>,
}

impl Diagnostic {
    pub(super) fn new_diagnostic(
        severity: Severity,
        location: Ref<Attribute>,
        message: &str,
        notes: Vec<Ref<Diagnostic>>,
    ) -> Self {
        Diagnostic {
            severity,
            location,
            message: message.into(),
            notes,
        }
    }

    /// As standard error shows it.
    pub(super) fn format_line(&self) -> String {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Remark => "remark",
        };
        match self.location.head() {
            AttributeHead::UnknownLoc => format!("{severity}: {}", self.message),
            _ => format!(
                "{}: {severity}: {}",
                print::attribute_text(&self.location),
                self.message
            ),
        }
    }
}

#[pairbond::methods]
impl Diagnostic {
    /// How bad it is.
    #[getter]
    fn severity(&self) -> Severity {
        self.severity
    }

    /// More about it. Python has them as `notes`, a tuple.
    #[getter]
    #[name("_notes")]
    pub(super) fn notes(&self) -> Vec<Ref<Diagnostic>> {
        self.notes.clone()
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}>", self.format_line())
    }
}

#[pairbond::methods(block = 1)]
impl Location {
    /// Reports an error at this location to the context's diagnostic handlers, and goes on. If no
    /// handler takes it, it is written to standard error.
    fn emit_error(this: Borrow<'_, Self>, message: &str) -> Result<()> {
        super::report_diagnostic(Severity::Error, &this.to_ref().upcast(), message, &[])
    }
}
