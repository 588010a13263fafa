//! A `Cargo.lock` as a graph of native objects: packages with references to their dependencies and
//! dependents, so that shared nodes and native cycles are everywhere.
//!
//! Everything here is ordinary Rust; what makes it a Python module are the attributes and the last
//! line.
#![forbid(unsafe_code)]

mod file;
mod lock;
mod package;
mod place;
mod reader;
#[cfg(test)]
mod tests;

pub use lock::{Lock, Packages};
pub use package::Package;
pub use reader::{parse, read};

pairbond::module!(
    /// The native half of `lockgraph`.
    _lockgraph { Package, Lock, Packages, read, parse }
);
