//! Calls of Rust from Python.
//!
//! * `entry` – the C functions that Python calls, one for each marker and calling convention.
//! * `anys` – arguments as values of any kind.
//! * `args`, `partial` – where the callee finds its arguments: in CPython's own array when they
//!   come by position, in a bound one otherwise.
//! * `bind` – positional and keyword arguments onto parameters; `argument_errors` – errors about
//!   them, in CPython's words.
//! * `def` – the `PyMethodDef` of a marker, with `__text_signature__`.
//! * `detach` – letting other threads run during `#[detach]` functions.
//! * `method_table` – definitions that are written down.
//! * `class_call` – calls of classes of wrappers.

mod anys;
mod args;
mod argument_errors;
mod bind;
mod class_call;
mod def;
mod detach;
mod entry;
pub(crate) mod method_table;
mod partial;

pub(crate) use anys::with_anys;
#[cfg(feature = "library")]
pub(crate) use args::Bound;
pub(crate) use args::{Exact, checked_receiver};
pub(crate) use bind::{Shape, can_be_exact, from_objects, is_exact, to_objects, with_arguments, with_bound};
#[cfg(feature = "library")]
pub(crate) use class_call::fits_type;
pub(crate) use class_call::{check_wrapper, generic_call, is_as_built, new, refuse_abstract};
pub(crate) use def::{leak_doc, leak_text, method_def, method_definition, text_signature};
pub use detach::install_hooks;
pub(crate) use detach::{HOOKS, class_layout};
pub use entry::{fastcall, noargs};
pub(crate) use partial::{Partial, can_be_partial, fits_partial as is_partial};
