//! Values and nodes, and how they refer to each other. Nothing here runs a node.
//!
//! # Promises
//! 1. A [`Node`] owns the nodes of its inputs and what its derivative needs; nothing owns a node
//!    but values that it made, later nodes, and Python. So a graph without a cycle goes with its
//!    last reference, at once and without recursion, and a collector sees every reference.
//! 2. A view sees by its memory's version that its history is old, and gets another when somebody
//!    asks ([`refresh_view`](views::refresh_view)).

mod accumulate;
pub(crate) mod dispatch;
pub(crate) mod history;
mod hooks;
mod node;
mod rule;
mod value;
mod variable;
mod views;

pub use accumulate::{AccumulateGrad, notify_replaced};
pub use history::{describe_history, grad_fn_cell, gradient_edge, require_grad, set_history};
pub(crate) use history::{edge_of, require_grad_of};
pub use hooks::{Hooks, NodeHooks, RemovableHandle, VariableHooks};
pub use node::{Edge, Named, Node};
pub(crate) use node::{Saved, name_of};
pub(crate) use rule::{Grads, Rule};
pub use value::{Dims, Meta, Slice, Value, as_variable, downcast_value, into_variable};
pub(crate) use variable::T;
pub use variable::Variable;
pub(crate) use views::{
    check_history, in_custom_function, name_of_function_view, part_node, record_again, refresh_view,
};
