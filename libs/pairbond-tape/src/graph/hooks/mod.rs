//! Lists of functions that users hang on tensors and nodes.
//!
//! # Promises
//! * A list belongs to its tensor or node, and a handle refers to the list weakly: a handle keeps
//!   nothing alive, and works after its tensor is gone.
//! * The functions are the list's, so a collector finds a cycle through whatever they captured.
//! * While a list runs it may be changed; the change counts from the next time.

mod handle;
mod lists;

pub use handle::{Hooks, RemovableHandle};
pub use lists::{NodeHooks, VariableHooks};
