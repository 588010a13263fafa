//! Errors about the arguments of a call, in the words that CPython uses for functions written in
//! Python.

use pairbond_core::error::Error;
use pairbond_value::class::{Parameter, ParameterKind, Signature};
use pyo3_ffi as py;

use crate::convert::short_description;
use crate::errors::text_of;
use crate::owned::Owned;

/// `f() takes from 1 to 2 positional arguments but 3 were given`
#[cold]
pub(super) fn too_many(signature: &Signature, given: usize) -> Error {
    let most = signature.positional_count();
    let least = signature.parameters[..most]
        .iter()
        .filter(|p| p.default.is_none())
        .count();
    let takes = if least < most {
        format!("from {least} to {most}")
    } else {
        most.to_string()
    };
    let (s, were) = (
        if most == 1 { "" } else { "s" },
        if given == 1 { "was" } else { "were" },
    );
    Error::type_error(format!(
        "{}() takes {takes} positional argument{s} but {given} {were} given",
        signature.qualified
    ))
}

/// `f() missing 2 required positional arguments: 'x' and 'y'`
#[cold]
pub(super) fn missing_arguments(signature: &Signature, missing: impl Fn(usize) -> bool) -> Error {
    let absent = |kind: ParameterKind| -> Vec<&Parameter> {
        let all = signature.parameters.iter().enumerate();
        all.filter(|(at, p)| p.kind == kind && missing(*at))
            .map(|(_, p)| p)
            .collect()
    };
    let positional = absent(ParameterKind::Standard);
    let (kind, names) = if positional.is_empty() {
        ("keyword-only", absent(ParameterKind::KeywordOnly))
    } else {
        ("positional", positional)
    };
    let s = if names.len() == 1 { "" } else { "s" };
    let count = names.len();
    Error::type_error(format!(
        "{}() missing {count} required {kind} argument{s}: {}",
        signature.qualified,
        quote_names(&names, "and")
    ))
}

/// `f() got an unexpected keyword argument 'nmae' (it takes 'name' and 'version')`
#[cold]
pub(super) fn unexpected_keyword(signature: &Signature, name: *mut py::PyObject) -> Error {
    // SAFETY: attached; a living object.
    let text = unsafe {
        if py::PyUnicode_Check(name) == 0 {
            return Error::type_error(format!(
                "{}() keywords must be strings, not {}",
                signature.qualified,
                short_description(name)
            ));
        }
        text_of(&Owned::from_borrowed(name)).unwrap_or_default()
    };
    let names: Vec<&Parameter> = signature
        .parameters
        .iter()
        .filter(|p| !p.kind.takes_rest())
        .collect();
    let takes = if names.is_empty() {
        "no keywords".into()
    } else {
        quote_names(&names, "and")
    };
    Error::type_error(format!(
        "{}() got an unexpected keyword argument '{text}' (it takes {takes})",
        signature.qualified
    ))
}

/// `f() got multiple values for argument 'x'`
#[cold]
pub(super) fn given_twice(signature: &Signature, index: usize) -> Error {
    let name = signature.parameters[index].name;
    Error::type_error(format!(
        "{}() got multiple values for argument '{name}'",
        signature.qualified
    ))
}

/// `'a', 'b' and 'c'`, with a comma before the last of three as CPython has it.
fn quote_names(parameters: &[&Parameter], word: &str) -> String {
    let names: Vec<String> = parameters.iter().map(|p| format!("'{}'", p.name)).collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.clone(),
        [a, b] => format!("{a} {word} {b}"),
        [first @ .., last] => format!("{}, {word} {last}", first.join(", ")),
    }
}
