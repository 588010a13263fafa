//! From where to run.

use pairbond::prelude::*;

use super::node::Edge;
use super::{history, run};
use crate::tensor::{T, filled};

/// Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of `inputs`.
#[pairbond::function]
#[name("_backward")]
#[detach]
pub(crate) fn backward(
    tensors: Vec<T>,
    #[required] gradients: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
) -> Result<()> {
    let gradients = gradients.unwrap_or_else(|| vec![None; tensors.len()]);
    if gradients.len() != tensors.len() {
        return Err(Error::runtime_error(format!(
            "got {} tensors and {} gradients",
            tensors.len(),
            gradients.len()
        )));
    }
    let mut roots = Vec::with_capacity(tensors.len());
    for (place, (tensor, gradient)) in tensors.iter().zip(gradients).enumerate() {
        roots.push(root(place, tensor, gradient)?);
    }
    let keep = retain_graph.unwrap_or(create_graph);
    run::run(roots, run::Options { keep, create_graph })
}

/// Where the gradient of a result goes, and that gradient.
fn root(place: usize, tensor: &T, gradient: Option<T>) -> Result<(Edge, T)> {
    let edge = history::edge(tensor);
    if edge.0.is_none() {
        return Err(Error::runtime_error(format!(
            "element {place} of tensors does not require grad and does not have a grad_fn"
        )));
    }
    let gradient = match gradient {
        Some(gradient) if gradient.shape() == tensor.shape() => gradient,
        Some(gradient) => {
            return Err(Error::runtime_error(format!(
                "Mismatch in shape: grad_output[{place}] has a shape of {:?} and output[{place}] has a shape of {:?}.",
                gradient.shape(),
                tensor.shape()
            )));
        }
        None if tensor.numel() == 1 => filled(1.0, tensor.shape(), tensor.dtype()),
        None => {
            return Err(Error::runtime_error(
                "grad can be implicitly created only for scalar outputs",
            ));
        }
    };
    Ok((edge, gradient))
}
