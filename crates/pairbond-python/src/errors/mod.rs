//! Rust errors and panics as Python exceptions, and back.
//!
//! * `raise` – an [`Error`] becomes the current exception: its class, message, notes, and causes;
//!   one that came from Python is the very same exception object again, with its traceback.
//! * `take` – the current exception becomes an [`Error`] that owns it.
//! * `boundary` – the end of a C function: its result, or an exception that is set.
//! * `panic` – a panic becomes an [`Error`] that says where it happened.
//! * `exceptions` – exception classes that Rust defines.
//! * `operations` – what Python does with objects, with an [`Error`] where it raises.
//! * `kinds` – which class an [`ErrorKind`](pairbond_core::error::ErrorKind) names.
//! * `state` – the current exception, before and since 3.12.
//!
//! None of it keeps an exception: an exception refers to frames, and frames to objects, so keeping
//! one makes a cycle.
//!
//! [`Error`]: pairbond_core::error::Error

mod boundary;
pub(crate) mod exceptions;
mod kinds;
mod operations;
mod panic;
mod raise;
mod state;
mod take;

pub(crate) use boundary::{finish_call, finish_status};
pub(crate) use operations::{check_status, clear, is_of_kind, is_set};
pub(crate) use panic::set_detached;
pub use panic::{catch_panic, install_hook};
pub(crate) use raise::convert_fields_with;
pub use raise::{raise, unraisable};
pub(crate) use state::{fetch_exception, restore_exception};
pub use take::take;
pub(crate) use take::{describe_exception, owned_or_error, take_of_class, text_of};
