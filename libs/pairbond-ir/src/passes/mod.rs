//! Passes and what runs them.
//!
//! # Promises, in order of weight
//! 1. A pass that fails, in Rust or in Python, leaves operations that are a consistent tree, and
//!    its exception comes out as it is.
//! 2. What a pass erases names it.
//! 3. The result does not depend on the number of threads, nor on their order.
//! 4. While Rust passes run, other Python threads do.

mod canonicalize;
mod cse;
mod dce;
mod inline;
mod manager;
mod pass;
mod pipeline_text;
mod run;
mod symbol_dce;

pub use manager::{PassItem, PassManager};
pub use pass::{Pass, PythonPass};
