//! The program's half of the C interface: reading a library's table, and the functions that the
//! library calls.
//!
//! * `api` – the table of functions.
//! * `library` – what a library exports, and reading it.
//! * `objects` – references, weak references, mutable fields, tracing.
//! * `trees` – nodes: their places and children.
//! * `overridable` – methods that a class made in Python overrides.
//! * `arrays` – numbers in shared memory; `events` – events, and the allocator.
//! * `values`, `containers`, `functions` – values of any kind; `data` – a frontend's lists and
//!   mappings as such.

mod api;
mod arrays;
mod containers;
mod data;
mod dlpack;
mod events;
mod functions;
mod library;
mod objects;
mod overridable;
#[cfg(test)]
mod tests;
mod trees;
mod values;

pub use api::Api;
pub use library::Table;
pub(crate) use library::{MAGIC, Refused, load_table};
