//! Libraries without Python code: a `cdylib` that exports a description of itself, and its loader.
//!
//! A library that is built without a frontend exports one table ([`Table`]); `pairbond::module!`
//! writes it. The loader checks the table, lets the library join the process's runtime, and
//! receives its classes and functions in *erased* form: each callable is an [`Entry`], which takes
//! its arguments from, and gives its result to, tables of functions, so that values cross by
//! [`Source`](pairbond_value::convert::Source) and [`Sink`](pairbond_value::convert::Sink), as if
//! caller and callee had been compiled together.
//!
//! 1. **A wrong file does nothing.** It is read before it is opened (`image`): a file that is no
//!    library, is not whole, or is another library is refused before any of its code runs, and a
//!    library of another version before any of its functions is called.
//! 2. **A library that has joined stays.** Its code is in types, which live for the process, and so
//!    in every object, class and thread-local destructor that came of them. The last use could only
//!    be found by counting, which would cost each of them something; the price of staying is an
//!    address range. It is closed only when it was refused before it was called.
//! 3. **What crosses is checked.** Tables are `repr(C)`, and their
//!    [heads](pairbond_core::abi::Head) are read first; errors travel as values (`wire`), because
//!    what an error owns (`dyn Error` of any crate) is of its own binary. A panic becomes an error
//!    before it leaves its binary (`guard`): another could not catch it.
//!
//! * `table` – what a library exports.
//! * `image` – what a file is, from its bytes.
//! * `open` – loading: `load`, `Library` (feature `load`, as `image`).
//! * `describe` – a module's members in erased form.
//! * `entry`, `attribute` – a callable, a constructor, a field or property in erased form.
//! * `args` – the arguments of a call. Single values, errors and panics:
//!   [`erased`](pairbond_value::convert::erased).
//! * [`c`] – libraries of C, and of every language that can call C.

#![deny(unsafe_code)]
#![cfg_attr(
    not(feature = "load"),
    allow(unused, reason = "the interface of C is for those that are loaded")
)]

#[allow(unsafe_code, reason = "libraries are called through tables")]
mod args;
#[allow(unsafe_code, reason = "libraries are called through tables")]
mod attribute;
#[allow(unsafe_code, reason = "libraries of C are called through tables")]
pub mod c;
#[allow(unsafe_code, reason = "libraries are called through tables")]
mod describe;
#[allow(unsafe_code, reason = "libraries are called through tables")]
mod entry;
#[cfg(feature = "load")]
pub mod image;
#[cfg(feature = "load")]
#[allow(unsafe_code, reason = "libraries are called through tables")]
mod open;
#[allow(unsafe_code, reason = "libraries are called through tables")]
mod table;

pub use attribute::AttributeEntry;
pub use describe::{ClassEntry, ConstantEntry, EnumEntry, Member, ModuleEntry};
pub use entry::{Entry, FastCall, Init, QuickFunction};
#[cfg(feature = "load")]
#[doc(hidden)]
pub use open::load_table;
#[cfg(feature = "load")]
pub use open::{Library, load, load_for};
pub use table::{Host, Table, set_host};

#[cfg(all(test, target_pointer_width = "64", not(pairbond_next_abi)))]
mod tests {
    /// Version 1 of the interface: bytes of the types that cross, as `pairbond_core::abi` has them
    /// of the runtime. Tables whose size is in a head may grow.
    #[test]
    fn what_crosses_stays_as_it_is() {
        assert!(size_of::<super::Table>() >= 104 && size_of::<super::Host>() >= 80);
        let sizes = [
            size_of::<super::Entry>(),
            size_of::<super::AttributeEntry>(),
            size_of::<super::ClassEntry>(),
            size_of::<super::EnumEntry>(),
            size_of::<super::Member>(),
        ];
        assert_eq!(sizes, [56, 80, 72, 48, 16]);
    }
}
