//! Conversions between separately built binaries: a [`Source`](super::Source) or
//! [`Sink`](super::Sink) as a table of functions.
//!
//! * `source_table`, `sink_table` – the tables; `place` – the sink behind one.
//! * `wire` – errors as values, because what an error owns (`dyn Error` of any crate) belongs to
//!   its own binary.
//! * `guard` – panics become errors before they leave their binary, which alone could catch them.
//! * [`words`] – calls of C functions that stay in one binary, which need none of these.

pub mod guard;
pub mod place;
pub mod sink_table;
pub mod source_table;
pub mod wire;
pub mod words;

pub use place::with_place;
pub use sink_table::ErasedSink;
pub use source_table::ErasedSource;
