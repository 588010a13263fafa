//! Calls in both directions.
//!
//! * `entry` – the C functions that Python calls, one for each marker and calling convention.
//! * `anys` – arguments as values of any kind.
//! * `args`, `partial` – where the callee finds its arguments: in CPython's own array when they
//!   come by position, in a bound one otherwise.
//! * `bind` – positional and keyword arguments onto parameters; `argument_errors` – errors about
//!   them, in CPython's words.
//! * `def` – the `PyMethodDef` of a marker, with `__text_signature__`.
//! * `detach` – letting other threads run during `#[detach]` functions.
//! * `python` – calling a Python object from Rust, and asking it as a key.

mod anys;
mod args;
mod argument_errors;
mod bind;
mod def;
mod detach;
mod entry;
mod partial;
mod python;

pub(crate) use anys::with_anys;
#[cfg(feature = "library")]
pub(crate) use args::Bound;
pub(crate) use args::{Exact, checked_receiver};
pub(crate) use bind::{Shape, from_objects, is_exact, to_objects, with_arguments, with_bound};
pub(crate) use def::{leak_doc, leak_text, method_def, method_definition, text_signature};
pub use detach::install_hooks;
pub(crate) use detach::{HOOKS, class_layout};
pub use entry::{fastcall, noargs};
pub(crate) use entry::{finish_call, finish_status};
pub(crate) use partial::{Partial, fits_partial as is_partial};
pub(crate) use python::call_attached;
pub use python::{call_python, call_python_each, key};
