//! From where to run, and where to.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::node::Edge;
use super::plan::Goal;
use super::{Node, history, run};
use crate::data::room;
use crate::ops;
use crate::tensor::{T, Tensor, filled};

/// Where a run begins or ends: a tensor, or where its gradient goes.
pub(crate) enum Root {
    Tensor(T),
    Edge(Ref<Node>, u32),
}

impl Root {
    fn edge(&self) -> Edge {
        match self {
            Root::Tensor(tensor) => history::edge(tensor),
            Root::Edge(node, output) => (Some(node.clone()), *output),
        }
    }
}

impl<'a> FromValue<'a> for Root {
    fn expected() -> Cow<'static, str> {
        "Tensor or GradientEdge".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match T::from_value(source) {
            Ok(tensor) => Ok(Root::Tensor(tensor)),
            Err(_) => <(Ref<Node>, u32)>::from_value(source).map(|(node, output)| Root::Edge(node, output)),
        }
    }
}

/// Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of
/// `inputs`.
#[pairbond::function]
#[name("_backward")]
#[detach]
pub(crate) fn backward(
    tensors: Vec<Root>,
    #[required] gradients: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    inputs: Option<Vec<Root>>,
) -> Result<()> {
    let roots = roots(&tensors, gradients)?;
    let options = options(retain_graph, create_graph);
    let Some(inputs) = inputs else {
        return run::run(roots, Goal::Leaves, options).map(drop);
    };
    if inputs.is_empty() {
        return Err(Error::runtime_error(
            "`inputs` argument to `backward()` cannot be empty.",
        ));
    }
    let nodes = wanted(inputs.iter().map(Root::edge))?;
    for input in &inputs {
        if let Root::Tensor(tensor) = input {
            history::retain_grad(tensor);
        }
    }
    run::run(roots, Goal::Nodes(&nodes), options).map(drop)
}

/// The gradients of `inputs`, by running the graphs that made `outputs` backwards; None where there
/// is none.
#[pairbond::function]
#[name("_grad")]
#[detach]
pub(crate) fn gradients(
    outputs: Vec<Root>,
    inputs: Vec<Root>,
    #[required] grad_outputs: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    #[default(false)] allow_unused: bool,
) -> Result<Vec<Option<T>>> {
    if inputs.is_empty() {
        return Err(Error::runtime_error(
            "`inputs` argument to `grad()` cannot be empty.",
        ));
    }
    let roots = roots(&outputs, grad_outputs)?;
    let edges = wanted(inputs.iter().map(Root::edge))?;
    let grads = run::run(
        roots,
        Goal::Gradients(&edges),
        options(retain_graph, create_graph),
    )?;
    if !allow_unused && grads.iter().any(Option::is_none) {
        return Err(Error::runtime_error(
            "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired \
             behavior.",
        ));
    }
    // Not a view as far as the caller is concerned, who may write to it. One with a history keeps
    // that, and so remains a view.
    let own = |grad: T| {
        if grad.base.is_some() && !grad.tracks && !grad.requires_grad() {
            Tensor::detached(&grad)
        } else {
            grad
        }
    };
    Ok(grads.into_iter().map(|grad| grad.map(own)).gather())
}

fn options(retain_graph: Option<bool>, create_graph: bool) -> run::Options {
    run::Options {
        keep: retain_graph.unwrap_or(create_graph),
        create_graph,
    }
}

/// Where the gradients that are wanted arrive.
fn wanted(inputs: impl Iterator<Item = Edge>) -> Result<Vec<Edge>> {
    let each = |edge| match edge {
        (None, _) => Err(Error::runtime_error(
            "One of the differentiated Tensors does not require grad",
        )),
        edge => Ok(edge),
    };
    inputs.map(each).gather_ok()
}

/// Where the gradients of results go, and these.
fn roots(tensors: &[Root], gradients: Option<Vec<Option<T>>>) -> Result<Vec<(Edge, T)>> {
    let gradients = gradients.unwrap_or_else(|| room::filled(None, tensors.len()));
    if gradients.len() != tensors.len() {
        return Err(Error::runtime_error(format!(
            "got {} tensors and {} gradients",
            tensors.len(),
            gradients.len()
        )));
    }
    let each = tensors.iter().zip(gradients).enumerate();
    each.map(|(place, (tensor, gradient))| root(place, tensor, gradient))
        .gather_ok()
}

fn root(place: usize, root: &Root, gradient: Option<T>) -> Result<(Edge, T)> {
    let edge = root.edge();
    let (tensor, gradient) = match (root, gradient) {
        (Root::Tensor(tensor), gradient) => (tensor, gradient),
        (Root::Edge(..), Some(gradient)) => return Ok((edge, gradient)),
        (Root::Edge(..), None) => {
            return Err(Error::runtime_error(
                "grad can be implicitly created only for tensors: a GradientEdge needs one in grad_outputs",
            ));
        }
    };
    if edge.0.is_none() {
        return Err(Error::runtime_error(format!(
            "element {place} of tensors does not require grad and does not have a grad_fn"
        )));
    }
    let gradient = match gradient {
        Some(gradient) if gradient.shape() == tensor.shape() => ops::to_dtype(&gradient, tensor.dtype())?,
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
