//! The core of pairbond: native objects that can have a self in another language, and keep it.
//!
//! Nothing here knows Python. A language runtime is reached through the table of [`frontend`]; who
//! keeps a pair of object and wrapper alive is decided by the protocol in [`object`] (see
//! `Custody`); what objects refer to is enumerated by [`trace`].
//!
//! | module | |
//! |---|---|
//! | [`object`] | header, custody, `Ref`, `Weak`, `Borrow`, destruction |
//! | [`types`] | registered types, fields, inheritance |
//! | [`memory`] | the replaceable allocator |
//! | [`frontend`] | language runtimes, interpreter slots, deferred releases |
//! | [`event`] | what happens, for observers |
//! | [`trace`] | enumerating references, collecting cycles |
//! | [`value`] | `Any`, `Str`, `Bytes`, `Cell`, `Function`, `Foreign`; `List`, `Tuple`, `Map`, `FrozenMap`, `Set` |
//! | [`convert`] | reading and writing values across a border |
//! | [`leaks`] | what is alive, and on whose account |
//! | [`carry`] | taking fields apart, and making them again |
//! | [`stats`] | what is alive |
//! | [`class`] | what a class offers to a frontend |
//! | `pyo3` | PyO3's types and traits (feature `pyo3`) |
//! | [`error`] | one error type for both sides |
//! | [`runtime`](mod@runtime) | the process's one runtime, shared by separately built binaries |

pub mod abi;
pub mod carry;
pub mod class;
pub mod convert;
pub mod error;
pub mod event;
pub mod fork;
pub mod frontend;
pub mod leaks;
pub mod memory;
pub mod object;
#[cfg(feature = "pyo3")]
pub mod pyo3;
pub mod runtime;
#[doc(hidden)]
pub mod stack;
pub mod stats;
mod sync;
mod thread;
pub mod trace;
pub mod types;
pub mod value;

pub use sync::CellLock;
#[doc(hidden)]
pub use sync::{CACHE_LINE, prefetch_all};

/// Where the macros find everything when they expand inside this crate.
mod expansion {
    pub(crate) mod __private {
        pub(crate) use crate::{class, convert, error, object, trace};
    }
}
