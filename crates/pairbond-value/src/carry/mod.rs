//! [`Carry`]: how the value of a field is taken apart and made again, for writing, copying and
//! comparing graphs of objects.
//!
//! * `parts` – the trait, and where values go and come from.
//! * `table` – functions of fields and types at run time, so that types made by any language take
//!   part.
//! * `std_types`, `collections` – implementations for types of the standard library and this one.

mod collections;
#[allow(unsafe_code, reason = "parts cross to other binaries by tables")]
mod parts;
mod std_types;
#[allow(unsafe_code, reason = "fields are read and written at offsets")]
mod table;

pub use crate::types::{CarryTable, Carrying};
pub use crate::value::Kinds;
pub use parts::{Carry, Fault, Item, Loading, Part, Saver};
#[doc(hidden)]
pub use parts::{NextParts, PutPart, status, take_error};
pub use table::default_of;
#[doc(hidden)]
pub use table::{carry_table, show_field_kinds, show_kinds, with_element};
