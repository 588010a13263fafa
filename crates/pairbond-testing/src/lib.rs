//! Helpers of pairbond's tests: a language runtime without a language, allocators that count and
//! refuse, random operations with an oracle. Library code, so that a test or a fuzz target is a few
//! lines.
//!
//! | module | |
//! |---|---|
//! | [`fake`] | a frontend in Rust: interpreters with a lock, wrappers with reference counts |
//! | [`alloc`] | allocators that count, refuse, or remember who made what |
//! | [`drops`] | how often something was dropped |
//! | [`random`] | seeds that are printed and can be given |
//! | [`oracle`] | random operations of several threads against a model that knows what must be alive |
//! | [`trees`] | a model of trees with handles |
//! | [`object!`] | `Object` and `Trace` by hand, for crates below the macros |

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "an allocator")]
pub mod alloc;
pub mod drops;
#[allow(unsafe_code, reason = "a frontend is a table of functions")]
pub mod fake;
#[allow(unsafe_code, reason = "the macro implements unsafe traits")]
mod object;
#[doc(hidden)]
pub use object::plan_of;
#[allow(unsafe_code, reason = "its objects are made by the macro")]
pub mod oracle;
pub mod random;
pub mod trees;

#[doc(hidden)]
pub use fastrand;
#[doc(hidden)]
pub use pairbond_core;
