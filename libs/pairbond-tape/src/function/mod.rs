//! Functions whose derivative is written by hand: in Rust ([`CustomFunction`]), and in Python, as
//! `autograd.Function`.
//!
//! In Python:
//! The node is the context: one object, whose wrapper is of a class that is made for each
//! `Function`, so that every attribute of `ctx` stays with the node. The node owns its edges and
//! its saved tensors; only its results and Python own the node, so a context goes with the last of
//! these.
//!
//! `apply` is a [`FunctionInfo`] that is called: it looks at the arguments, the class's `forward`
//! computes without recording, and [`finish_results`](finish::finish_results) gives the results
//! their history. What the class has for `forward` and the others, a metaclass in Python keeps in
//! the [`FunctionInfo`].

mod apply;
mod context_methods;
mod custom;
mod finish;
mod function_node;
mod run_backward;

pub use custom::{Context, CustomFunction, apply_function};
pub use function_node::{FunctionInfo, FunctionNode};
pub use run_backward::delayed_error;
