//! Diagnostics: messages about locations for the handlers of a context, while the program goes on.
//!
//! A failure in this library is an error, which is raised; it is reported to handlers as well where
//! a context asks for that ([`with_captured_diagnostics`]).
//!
//! # Promises
//! * The newest handler is called first, and others until one returns true. A diagnostic that no
//!   handler takes is written to standard error.
//! * No lock is held while a handler runs: it may report, attach and detach. One that is attached
//!   meanwhile is not asked any more.

mod diagnostic_classes;

use pairbond::prelude::*;

use crate::context::attributes::{Attribute, in_file, unknown_location};
use crate::context::{Context, context_or_current};
use crate::error;
use crate::print;
pub use diagnostic_classes::{Diagnostic, Severity};

/// Tells something about a place.
///
/// # Errors
/// That of a handler which ends the program (`KeyboardInterrupt`); others do not end it.
pub(crate) fn report_diagnostic(
    severity: Severity,
    location: &Ref<Attribute>,
    message: &str,
    notes: &[&str],
) -> Result<()> {
    let new = |severity, message: &str, notes| {
        Ref::new(Diagnostic::new_diagnostic(
            severity,
            location.clone(),
            message,
            notes,
        ))
    };
    let notes = notes.iter().map(|it| new(Severity::Note, it, Vec::new()));
    let diagnostic = new(severity, message, notes.collect());
    for handler in location.context().diagnostic_handlers().iter().rev() {
        match handler.deals_with(diagnostic.clone().into()) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(raised) => error::report_unraisable(raised)?,
        }
    }
    print::dump_text(&diagnostic.format_line());
    diagnostic
        .notes()
        .iter()
        .for_each(|it| print::dump_text(&it.format_line()));
    Ok(())
}

/// Reads a "module", say, in the context that was named, or else in that of the innermost `with`;
/// an error is [reported](report_diagnostic), too.
///
/// # Errors
/// There is no context, or that of `read`.
pub(crate) fn with_parse_errors<V>(
    context: Option<Ref<Context>>,
    kind: &str,
    read: impl FnOnce(&Ref<Context>) -> Result<V>,
) -> Result<V> {
    let context = context_or_current(context)?;
    with_captured_diagnostics(&context, format_args!("Unable to parse {kind}"), read(&context))
}

/// Returns the result of something that was done in a context. An `IRError` has what failed in its
/// text, and is told to the context's handlers if it asks for that.
///
/// # Errors
/// As it was; what a handler raised that ends the program is its cause.
pub(crate) fn with_captured_diagnostics<V>(
    context: &Ref<Context>,
    failed: impl std::fmt::Display,
    result: Result<V>,
) -> Result<V> {
    let result = result.map_err(|it| error::add_failure(it, failed));
    let Err(error) = &result else { return result };
    if !context.tells_errors() || !error::is_ir(error) {
        return result;
    }
    let text = |name: &str| match error.field(name) {
        Some(Any::Str(text)) => Some(text.to_string()),
        _ => None,
    };
    let number = |name: &str| match error.field(name) {
        Some(Any::Int(number)) => u32::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let location = match (error.field("location"), text("filename")) {
        (Some(Any::Object(it)), _) => it.clone().downcast::<Attribute>().ok(),
        (_, Some(file)) => {
            let place = (number("line"), number("column"));
            in_file(&file, place, place, Some(context.clone())).ok()
        }
        _ => None,
    };
    let location = location.unwrap_or_else(|| unknown_location(context));
    let notes: Vec<&str> = error.notes().iter().map(AsRef::as_ref).collect();
    let message = text("message").unwrap_or_else(|| error.message().to_owned());
    match report_diagnostic(Severity::Error, &location, &message, &notes) {
        // Its diagnostics are the handlers' then, as with MLIR's bindings.
        Ok(()) => result.map_err(|it| it.with_field("_told", true)),
        Err(raised) => result.map_err(|it| it.with_cause(raised)),
    }
}
