//! Diagnostics and their handlers, as Python sees them.

use pairbond::prelude::*;

use crate::attributes::{Attribute, AttributeHead};
use crate::context::Context;
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

/// Hears of diagnostics of a context until it is detached, or its `with` statement ends.
#[pairbond::object("pairbond_ir.DiagnosticHandler", opaque)]
pub struct DiagnosticHandler {
    callback: Function,
    /// Where it is attached.
    context: Cell<Option<Weak<Context>>>,
    /// Whether it has raised an exception.
    #[field]
    had_error: Cell<bool>,
}

impl DiagnosticHandler {
    pub(crate) fn new(callback: Function, context: &Ref<Context>) -> Self {
        DiagnosticHandler {
            callback,
            context: Cell::new(Some(context.downgrade())),
            had_error: Cell::new(false),
        }
    }

    pub(super) fn deals_with(&self, diagnostic: &Ref<Diagnostic>) -> Result<bool> {
        let answer = self.callback.call(&[diagnostic.clone().into()]);
        if answer.is_err() {
            self.had_error.set(true);
        }
        Ok(matches!(answer?, Any::Bool(true)))
    }
}

#[pairbond::methods]
impl DiagnosticHandler {
    /// Whether it hears of anything.
    #[getter]
    fn attached(&self) -> bool {
        self.context.get().and_then(|it| it.upgrade()).is_some()
    }

    /// Hears of nothing any more.
    fn detach(this: Borrow<'_, Self>) {
        if let Some(context) = this.context.replace(None).and_then(|it| it.upgrade()) {
            context.without_handler(this);
        }
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __exit__(this: Borrow<'_, Self>, kind: Any, error: Any, traceback: Any) {
        let _ = (kind, error, traceback);
        Self::detach(this);
    }
}
