//! [`Carry`]: disassembling and rebuilding the value of a field, for writing, copying and
//! comparing graphs of objects.
//!
//! * `parts` – the trait, and where values go and come from.
//! * `field_functions` – functions of fields and types at run time, so that types made by any
//!   language take part.
//! * `std_fields`, `collections` – implementations for types of the standard library and this one.

mod collections;
#[allow(unsafe_code, reason = "fields are read and written at offsets")]
mod field_functions;
#[allow(unsafe_code, reason = "parts cross to other binaries by tables")]
mod parts;
mod std_fields;

pub use crate::types::{CarryTable, Carrying};
pub use crate::value::Kinds;
pub use field_functions::default_of;
#[doc(hidden)]
pub use field_functions::{carry_table, show_field_kinds, show_kinds, with_element};
pub use parts::{Carry, Fault, Item, Loading, Part, Saver};
#[doc(hidden)]
pub use parts::{NextParts, PutPart, status, take_error};
