//! For the features that are asked for of crates that macros and build scripts use.
fn main() {}
