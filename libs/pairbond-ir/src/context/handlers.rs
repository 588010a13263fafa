//! [`DiagnosticHandler`]: what a context calls with each diagnostic. Diagnostics themselves are in
//! [`crate::diagnostics`].

use pairbond::prelude::*;

use super::Context;

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

    /// Calls the function with a diagnostic. Returns whether that took it.
    ///
    /// # Errors
    /// What the function raises.
    pub(crate) fn deals_with(&self, diagnostic: Any) -> Result<bool> {
        let answer = self.callback.call(&[diagnostic]);
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
