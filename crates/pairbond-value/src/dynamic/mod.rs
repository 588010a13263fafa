//! Types that are made while the program runs, from a table of fields: those that a program in
//! another language defines.
//!
//! They are registered types like those of Rust structs: the same header, the same table of types,
//! single inheritance (also from Rust types), reflection. What the compiler does for a struct, the
//! table of fields does here:
//!
//! * [`FieldKind`] – what a field takes, and how it says so.
//! * `field` – one field, read and written ([`Field`]); `table` – where fields lie, and dropping,
//!   tracing and emptying them ([`Table`]).
//! * `build` – from a description to a registered type ([`Builder`]).
//! * `carry` – how fields are taken apart and made again.
//! * `compare` – their objects as keys.
//! * `making` – objects of such types: made from values ([`Making`]), read and changed by name.
//!
//! Rules for a key that is defined again, in this process: the same fields (names, kinds, order),
//! base and options give the same type; anything else is refused, because objects of the first may
//! be alive, and a type lives as long as the process.

mod build;
mod carry;
mod compare;
mod field;
mod making;
mod table;

pub use crate::value::{FieldKind, Later};
pub use build::{Builder, FieldDescription};
pub use field::{Field, Storage, Value};
pub use making::{DynamicFields, MakeObject, Making};
pub use table::Table;

use crate::types::{DescribedBy, FieldInfo, TypeInfo};

// SAFETY: only `Builder::register` makes such types.
unsafe impl DescribedBy<Table> for TypeInfo {}
// SAFETY: `Builder::register` describes each field of such types by a `Field`.
unsafe impl DescribedBy<Field> for FieldInfo {}
