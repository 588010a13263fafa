//! The common part of functions and methods: parameters, their constants and their conversion.

mod check_signature;
mod default;
mod expand_signature;
mod parse_signature;

use proc_macro2::{Ident, Span, TokenStream};
use syn::Type;

pub(crate) use check_signature::check_function;
pub(crate) use expand_signature::local_name;
pub(crate) use parse_signature::{output_type, parse_parameters, return_text, returned_at};

/// Types that take further keyword arguments, besides records.
const MAPS: [&str; 3] = ["HashMap", "BTreeMap", "Map"];

/// One parameter, the receiver not included.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    /// As written, for messages and stubs.
    pub(crate) rust_type: String,
    /// As the expansion uses it: no `Self`, no named lifetimes.
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
    pub(crate) presence: Presence,
}

/// Twin of `class::ParameterKind`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Standard,
    KeywordOnly,
    Rest,
    RestKeywords,
}

/// The behaviour if the caller passes no argument.
pub(crate) enum Presence {
    /// It is an error.
    Required,
    /// `Option<T>` becomes `None`.
    Optional,
    /// `#[default(…)]`: the expression, and its text for Python.
    Default { value: TokenStream, text: String },
    /// `#[rest]`: there are simply none.
    Rest,
}

/// Twin of `class::Signature`.
pub(crate) struct Signature {
    pub(crate) name: String,
    /// The name for messages, of a function; that of a method begins with its class.
    pub(crate) owner: Option<TokenStream>,
    pub(crate) doc: String,
    /// A variant of `class::Binding`.
    pub(crate) binding: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: String,
    /// The return type, if one is written.
    pub(crate) output: Option<Type>,
    /// Where the return type is written, for the compiler's complaints about it.
    pub(crate) returns_at: Span,
    pub(crate) detach: bool,
    /// The result is awaited.
    pub(crate) is_async: bool,
    /// The arguments are operands: of a type that is not known here, the other operand is asked.
    pub(crate) operator: bool,
}
