//! The CPython frontend of pairbond: the only crate that knows Python.
//!
//! | module | |
//! |---|---|
//! | [`ffi`] | what pyo3-ffi lacks |
//! | [`running`] | calls into CPython that may run Python code while the interpreter ends |
//! | `objects` | Python's operations on values of any kind, for native code that drives Python |
//! | [`owned`] | an owned reference to a Python object |
//! | [`interp`] | one open interpreter: tag, frontend table, deferred releases, classes, shutdown |
//! | [`api`] | the table that separately built extension modules share |
//! | [`wrapper`] | wrappers: layout, life, fetch and extract |
//! | [`gc`] | how wrappers answer Python's collector |
//! | [`convert`] | `Source` and `Sink` over Python objects |
//! | [`call`] | binding arguments, entry points |
//! | [`class`] | heap types from class descriptions |
//! | `define` | native types that are defined in Python |
//! | `arrays` | numbers that share memory with numpy and others |
//! | `containers` | lists, tuples, maps and sets as Python has them |
//! | [`errors`] | Rust errors and panics as exceptions, and back |
//! | `library` | libraries that bring no Python of their own |
//! | [`module`] | extension modules |
//! | `pyo3` | modules that PyO3 initialises, and what PyO3 adds to ours (feature `pyo3`) |
//! | `serial` | copying, pickling, comparing |
//! | [`package`] | the module `pairbond._pairbond` |

#![allow(missing_docs)]

pub mod api;
mod arrays;
pub mod call;
pub mod class;
mod containers;
pub mod convert;
mod define;
pub mod errors;
pub mod ffi;
pub mod gc;
pub mod interp;
pub mod ints;
mod library;
pub mod module;
#[doc(hidden)]
pub mod objects;
pub mod owned;
pub mod package;
#[cfg(feature = "pyo3")]
pub mod pyo3;
pub mod running;
mod serial;
pub mod wrapper;

/// Where the macros find everything when they expand inside this crate.
mod expansion {
    pub(crate) mod __private {
        pub(crate) use pairbond_core::{abi, class, convert, error, object, trace, types};
    }
}
