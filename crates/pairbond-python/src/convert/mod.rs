//! Python objects as a [`Source`](pairbond_value::convert::Source) and a
//! [`Sink`](pairbond_value::convert::Sink).
//!
//! * `source`, `sink` – the two traits; longer conversions are in the files below.
//! * `int`, `text` – numbers, strings, bytes and paths, both ways.
//! * `containers` – sequences and mappings, which may change while they are read.
//! * `parts` – values of classes of Python's library, by name.
//! * `any` – values of any kind, callables, opaque objects; `callables` – calling them.
//! * `lent` – memory that objects lend; `subscript` – what stands in brackets.
//! * `words` – the two as functions, for C.
//! * `pyo3_bridge` – the same for PyO3 (feature `pyo3`).
//! * `describe` – a value in a message.
//!
//! Readers leave no exception behind: what Python raised becomes the
//! [`Mismatch`].

mod any;
mod callables;
mod containers;
mod describe;
mod int;
mod lent;
pub(crate) mod parts;
#[cfg(feature = "pyo3")]
mod pyo3_bridge;
mod sink;
mod source;
mod subscript;
mod text;
mod words;

pub(crate) use any::is_nan;
pub use callables::{call_python, call_python_each, key};
pub(crate) use describe::short_description;
#[cfg(feature = "pyo3")]
pub(crate) use pyo3_bridge::connect_bridge;
pub(crate) use sink::FEW;
pub(crate) use sink::{Elements, foreign_at_hand};
pub use sink::{PySink, Slot};
pub use source::PySource;
pub(crate) use subscript::{Places, Subscript, index_place, slice_places};
pub(crate) use text::{from_text, intern_text, utf8_of};
pub(crate) use words::PyWords;

use pairbond_value::convert::Mismatch;

use crate::errors::take;

/// What a conversion that raised comes to: an object whose type has the protocol raised it itself,
/// any other is of a wrong type.
#[cold]
fn refused_conversion(has_protocol: bool) -> Mismatch {
    if has_protocol {
        return Mismatch::Raised(take());
    }
    crate::errors::clear();
    Mismatch::Type
}
