//! The core of pairbond: native objects that can have a self in another language, and keep it.
//!
//! Nothing here knows Python. A language runtime is reached through the table of [`frontend`]; who
//! keeps a pair of object and wrapper alive is decided by the protocol in [`object`] (see
//! `Custody`); what objects refer to is enumerated by [`trace`].
//!
//! | module | |
//! |---|---|
//! | [`object`] | `Ref`, `Weak`, `Borrow`, destruction |
//! | `custody` | the protocol, and the header |
//! | [`types`] | registered types, fields, inheritance |
//! | [`memory`] | the replaceable allocator |
//! | [`frontend`] | language runtimes, interpreter slots, deferred releases |
//! | [`cell`] | fields that change |
//! | [`any`] | values, as far as the core must know them |
//! | [`event`] | what happens, for observers |
//! | [`trace`] | enumerating references, collecting cycles |
//! | [`leaks`] | what is alive, and on whose account |
//! | [`stats`] | what is alive |
//! | `pyo3` | PyO3's types and traits (feature `pyo3`) |
//! | [`error`] | one error type for both sides |
//! | [`runtime`](mod@runtime) | the process's one runtime, shared by separately built binaries |
//!
//! `ARCHITECTURE.md` lists them all from the bottom up; none imports one above it.

#![deny(unsafe_code)]

/// The [`Object`](crate::object::Object) of a type of this library, without a base.
#[doc(hidden)]
#[macro_export]
macro_rules! built_in {
    ($body:ty: $key:expr, attributes: $attributes:expr $(, immutable: $immutable:expr)?) => {
        // SAFETY: the cell is its own; no base.
        unsafe impl $crate::object::Object for $body {
            const KEY: &'static str = $key;
            const ATTRIBUTES: bool = $attributes;
            const THREAD_SAFE: bool = true;
            $(const IMMUTABLE_TYPE: bool = $immutable;)?
            type Base = $crate::object::Root;
            fn type_cell() -> &'static $crate::types::TypeCell {
                static CELL: $crate::types::TypeCell = $crate::types::TypeCell::new();
                &CELL
            }
        }
    };
}

#[allow(
    unsafe_code,
    reason = "types state their layout, and binaries read each other's tables"
)]
pub mod abi;
#[doc(hidden)]
#[allow(unsafe_code, reason = "memory is handed out in blocks")]
pub mod alloc;
#[allow(unsafe_code, reason = "references are packed into words")]
pub mod any;
#[allow(unsafe_code, reason = "a value is shared under its lock")]
pub mod cell;
#[doc(hidden)]
#[allow(unsafe_code, reason = "an object is found by the address of its header")]
pub mod custody;
pub mod error;
#[allow(unsafe_code, reason = "observers of other binaries are called through tables")]
pub mod event;
#[allow(unsafe_code, reason = "locks are held over a fork")]
pub mod fork;
#[allow(
    unsafe_code,
    reason = "frontends are called through tables, with pointers of theirs"
)]
pub mod frontend;
#[allow(unsafe_code, reason = "types state their layout")]
pub mod layout;
pub mod leaks;
#[allow(unsafe_code, reason = "objects get memory, and give it back")]
pub mod memory;
#[allow(
    unsafe_code,
    reason = "objects are counted, found by their headers and destroyed by hand"
)]
pub mod object;
#[cfg(feature = "pyo3")]
pub mod pyo3;
#[doc(hidden)]
#[allow(unsafe_code, reason = "values are shared with other binaries")]
pub mod raw;
#[allow(
    unsafe_code,
    reason = "the process's runtime is a table of functions and pointers"
)]
pub mod runtime;
#[doc(hidden)]
#[allow(unsafe_code, reason = "frames are told apart by their addresses")]
pub mod stack;
pub mod stats;
#[doc(hidden)]
#[allow(unsafe_code, reason = "a lock guards a cell")]
pub mod sync;
#[allow(
    unsafe_code,
    reason = "references are read while collectors know their owners alive"
)]
pub mod trace;
#[doc(hidden)]
#[allow(unsafe_code, reason = "objects are listed in memory of their own")]
pub mod tracked;
#[allow(
    unsafe_code,
    reason = "types are shared by address, and values are made and read at offsets"
)]
pub mod types;

pub use sync::CellLock;
#[doc(hidden)]
pub use sync::{CACHE_LINE, prefetch_all};
