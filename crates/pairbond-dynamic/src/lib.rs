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

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "fields are described by where they lie")]
mod build;
#[allow(unsafe_code, reason = "fields are read and written at offsets")]
mod carry;
#[allow(unsafe_code, reason = "fields are read at offsets")]
mod compare;
#[allow(unsafe_code, reason = "fields lie at offsets")]
mod field;
#[allow(unsafe_code, reason = "values are written into objects that are being made")]
mod making;
#[allow(unsafe_code, reason = "fields are dropped, traced and emptied at offsets")]
mod table;

pub use build::{Builder, FieldDescription};
pub use field::{Field, Storage, Value};
pub use making::{DynamicFields, MakeObject, Making};
pub use pairbond_value::value::{FieldKind, Later};
pub use table::Table;

const _: () = {
    use pairbond_core::abi::shapes::values::DYNAMIC;
    let shapes = [
        (size_of::<Table>(), align_of::<Table>()),
        (size_of::<Field>(), align_of::<Field>()),
        (size_of::<FieldKind>(), align_of::<FieldKind>()),
    ];
    let mut at = 0;
    while at < shapes.len() {
        assert!(
            DYNAMIC[at].0 == shapes[at].0 && DYNAMIC[at].1 == shapes[at].1,
            "the core tells other binaries other sizes of these types (abi/shapes.rs)"
        );
        at += 1;
    }
};
