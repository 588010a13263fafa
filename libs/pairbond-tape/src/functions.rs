//! Functions for Python, over values of any library.

use pairbond::prelude::*;

use crate::engine::{Root, run_backward, run_gradients};
use crate::graph::T;

/// Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of
/// `inputs`.
#[pairbond::function]
#[detach]
pub fn backward(
    tensors: Vec<Root>,
    grad_tensors: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    inputs: Option<Vec<Root>>,
) -> Result<()> {
    run_backward(&tensors, grad_tensors, retain_graph, create_graph, inputs)
}

/// Returns the gradients of `inputs`, by running the graphs that made `outputs` backwards; None
/// where there is none.
#[pairbond::function]
#[detach]
pub fn grad(
    outputs: Vec<Root>,
    inputs: Vec<Root>,
    grad_outputs: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    #[default(false)] allow_unused: bool,
) -> Result<Vec<Option<T>>> {
    run_gradients(
        &outputs,
        &inputs,
        grad_outputs,
        retain_graph,
        create_graph,
        allow_unused,
    )
}
