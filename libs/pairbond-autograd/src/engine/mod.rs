//! The tape and its way back.
//!
//! # Promises
//! 1. A [`Node`] owns the nodes of its inputs and what its derivative needs; nothing owns a node but tensors that it made, later nodes, and Python.
//!    So a graph without a cycle goes with its last reference, at once and without recursion, and a collector sees every reference.
//! 2. A node never owns a tensor that it made itself ([`saved`]).
//! 3. Nodes run in the order in which PyTorch runs them: of those that are ready the one that was made last ([`run`]).
//! 4. Running needs no Python. What is Python's (hooks, `autograd.Function`) attaches by itself.
//!
//! What is not here: what a derivative is (`ops`), custom functions (`function`), lists of hooks (`hooks`).

mod accumulate;

mod history;
mod methods;
mod mode;
mod node;
mod record;
mod roots;
mod rule;
mod run;
mod saved;

pub use accumulate::AccumulateGrad;
pub(crate) use history::{describe as describe_history, require_grad};
pub(crate) use mode::{is_grad_enabled, set_grad_enabled};
pub use node::Node;
pub(crate) use record::{record, record_view};
pub(crate) use roots::backward;
pub(crate) use saved::Save::{In, Out};
