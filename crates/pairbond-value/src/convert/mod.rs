//! Values that cross a border, in terms of no particular language.
//!
//! A frontend offers a [`Source`] (one argument that came in) and a [`Sink`] (a place for one
//! result). Rust types say in terms of those how they are read ([`FromValue`]) and written
//! ([`IntoValue`], or [`Emit`] for a borrowed field): the data model of serde, cut down to what
//! object graphs need, plus object references. Everything is monomorphised; there is no boxing.

mod any_sink;
#[allow(unsafe_code, reason = "an object lives as long as its value")]
mod any_source;
mod array;
mod containers;
mod crates;
mod datetime;
#[doc(hidden)]
#[allow(unsafe_code, reason = "values cross to other binaries by tables")]
pub mod erased;
mod few;
mod from_value;
mod into_value;
mod library_values;
#[allow(unsafe_code, reason = "an object on its way is traced")]
mod moved;
mod new;
pub mod record;
mod sink;
mod source;
mod std_types;
mod subscript;
mod typed_function;

pub use any_sink::{AnySink, Pushed, to_any};
pub use any_source::AnySource;
pub use few::Few;
pub use from_value::{FromValue, Stored, by_value};
pub use into_value::{AsBytes, Emit, IntoValue, Outcome, Step};
pub use moved::MovedBody;
#[cfg(feature = "pyo3")]
pub(crate) use moved::moved_object;
pub use new::New;
pub use record::{Record, RecordField, RecordInfo};
pub use sink::Sink;
pub use source::{Mismatch, Source};
pub use subscript::{IntOrSlice, Subscript};
pub use typed_function::Typed;

pub use crate::value::{Part, Request};
