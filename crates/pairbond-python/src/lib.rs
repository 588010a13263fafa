//! The CPython frontend of pairbond: the only crate that knows Python.
//!
//! | module | |
//! |---|---|
//! | [`ffi`] | what pyo3-ffi lacks |
//! | [`running`] | calls into CPython that may run Python code while the interpreter ends |
//! | `objects` | Python's operations on values of any kind, for native code that drives Python |
//! | [`owned`] | an owned reference to a Python object |
//! | `layout` | the C struct of a wrapper, and which objects are wrappers |
//! | [`interp`] | one open interpreter, and the table that extension modules share |
//! | `releases` | references and events that wait for an interpreter |
//! | `frontend` | the functions that the core calls |
//! | `shutdown` | the end of an interpreter |
//! | [`wrapper`] | wrappers: life, fetch and extract |
//! | [`gc`] | how wrappers answer Python's collector |
//! | [`convert`] | `Source` and `Sink` over Python objects |
//! | [`call`] | binding arguments, entry points |
//! | [`class`] | heap types from class descriptions |
//! | `define` | native types that are defined in Python |
//! | `arrays` | numbers that share memory with numpy and others |
//! | `heap_types` | making classes against CPython's API |
//! | `containers` | lists, tuples, maps and sets as Python has them |
//! | [`errors`] | Rust errors and panics as exceptions, and back |
//! | `library` | libraries that bring no Python of their own (feature `library`) |
//! | [`module`] | extension modules |
//! | `pyo3` | modules that PyO3 initialises, and what PyO3 adds to ours (feature `pyo3`) |
//! | `serial` | copying, pickling, comparing (feature `serial`) |
//! | [`package`] | the module `pairbond._pairbond` |

#![deny(unsafe_code)]
#![allow(missing_docs)]
#![cfg_attr(
    not(all(
        feature = "arrays",
        feature = "dynamic",
        feature = "library",
        feature = "serial",
        feature = "tree"
    )),
    allow(unused, reason = "what these need of other modules")
)]

#[cfg(feature = "arrays")]
#[allow(unsafe_code, reason = "CPython's API")]
mod arrays;
#[allow(unsafe_code, reason = "CPython's API")]
mod buffers;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod call;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod class;
#[cfg(feature = "package")]
#[allow(unsafe_code, reason = "CPython's API")]
mod containers;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod convert;
#[cfg(feature = "dynamic")]
#[allow(unsafe_code, reason = "CPython's API")]
mod define;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod errors;
#[allow(unsafe_code, reason = "declarations of CPython's API")]
pub mod ffi;
#[allow(unsafe_code, reason = "CPython's API")]
mod frontend;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod gc;
#[allow(unsafe_code, reason = "CPython's API")]
mod heap_types;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod interp;
#[allow(unsafe_code, reason = "small ints are read as they lie in memory")]
pub mod ints;
#[allow(unsafe_code, reason = "wrappers as they lie in memory")]
mod layout;
#[cfg(feature = "library")]
#[allow(unsafe_code, reason = "CPython's API")]
mod library;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod module;
#[doc(hidden)]
#[allow(unsafe_code, reason = "CPython's API")]
pub mod objects;
#[allow(unsafe_code, reason = "references are counted by hand")]
pub mod owned;
#[cfg(feature = "package")]
#[allow(unsafe_code, reason = "CPython's API")]
pub mod package;
#[cfg(feature = "pyo3")]
#[allow(unsafe_code, reason = "references pass between the two libraries")]
pub mod pyo3;
#[allow(unsafe_code, reason = "CPython's API")]
mod releases;
#[allow(unsafe_code, reason = "CPython's API")]
pub mod running;
#[cfg(feature = "serial")]
#[allow(unsafe_code, reason = "CPython's API")]
mod serial;
#[allow(unsafe_code, reason = "CPython's API")]
mod shutdown;
#[cfg(feature = "tree")]
#[allow(unsafe_code, reason = "CPython's API")]
mod tree;
#[allow(unsafe_code, reason = "CPython's API, and wrappers as they lie in memory")]
pub mod wrapper;

/// Where the macros find everything when they expand inside this crate.
mod expansion {
    pub(crate) mod __private {
        pub(crate) use pairbond_core::{abi, error, object, trace, types};
        pub(crate) use pairbond_value::{class, convert};
    }
}
