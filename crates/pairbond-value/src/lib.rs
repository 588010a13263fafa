//! Values of any kind, for native objects and for the languages that use them: strings, bytes,
//! functions, containers, arrays; how they are converted at a border, and what a class says of
//! itself.
//!
//! This crate does not depend on Python. `pairbond-core`, below it, passes values on as cells of 16
//! bytes (its module `any`).
//!
//! | module | |
//! |---|---|
//! | [`value`] | `Any`, `Str`, `Function`; `List`, `Tuple`, `Map`, `FrozenMap`, `Set`; arrays |
//! | [`convert`] | reading and writing values across a border |
//! | [`carry`] | taking fields apart, and making them again |
//! | `pyo3` | PyO3's types and traits (feature `pyo3`) |
//! | [`class`] | what a class offers to a frontend |
//!
//! From the bottom up: a module imports none that stands below it here.

#![deny(unsafe_code)]

#[macro_use(built_in, own_layouts, trace_fields, untraced)]
extern crate pairbond_core;

pub mod carry;
pub mod class;
pub mod convert;
#[cfg(feature = "pyo3")]
pub mod pyo3;
#[allow(
    unsafe_code,
    reason = "values are packed into words, and lie behind locks of their own"
)]
pub mod value;

#[cfg(all(target_pointer_width = "64", not(loom)))]
mod shapes;

// The core's modules, by the names that they have there.
#[cfg(feature = "tokio")]
use pairbond_core::fork;
#[cfg(feature = "pyo3")]
use pairbond_core::pyo3 as core_pyo3;
use pairbond_core::{abi, any, cell, error, frontend, memory, object, runtime, stack, sync, trace, types};

/// The core's modules, for this crate's macros.
#[doc(hidden)]
pub mod base {
    pub use pairbond_core::{abi, error, object, trace};
}

/// Where the macros find everything when they expand inside this crate.
mod expansion {
    pub(crate) mod __private {
        pub(crate) use crate::{class, convert, error, object, trace};
    }
}
