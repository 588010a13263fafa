//! From where to run, and where to.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::plan::Goal;
use super::run;
use crate::graph::{Edge, Node, T, dispatch, history};
use crate::room::none_list;

/// Where a run begins or ends: a tensor, or where its gradient goes.
pub enum Root {
    /// A value: that its gradient is wanted, or where to begin.
    Value(T),
    /// A node, and as which of its inputs a gradient arrives.
    Edge(Ref<Node>, u32),
}

impl Root {
    fn gradient_edge(&self) -> Edge {
        match self {
            Root::Value(tensor) => history::edge_of(tensor),
            Root::Edge(node, output) => (Some(node.clone()), *output),
        }
    }
}

impl<'a> FromValue<'a> for Root {
    fn expected_type() -> Cow<'static, str> {
        "Tensor or GradientEdge".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match T::from_value(source) {
            Ok(tensor) => Ok(Root::Value(tensor)),
            Err(_) => <(Ref<Node>, u32)>::from_value(source).map(|(node, output)| Root::Edge(node, output)),
        }
    }
}

/// Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of
/// `inputs`.
///
/// # Errors
/// A root requires no gradient, and what nodes and hooks raise.
pub fn run_backward(
    tensors: &[Root],
    gradients: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    create_graph: bool,
    inputs: Option<Vec<Root>>,
) -> Result<()> {
    let roots = root_gradients(tensors, gradients)?;
    let options = run_options(retain_graph, create_graph);
    let Some(inputs) = inputs else {
        return run::run_graph(roots, Goal::Leaves, options).map(drop);
    };
    if inputs.is_empty() {
        return Err(Error::runtime_error(
            "`inputs` argument to `backward()` cannot be empty.",
        ));
    }
    let nodes = wanted_edges(inputs.iter().map(Root::gradient_edge))?;
    for input in &inputs {
        if let Root::Value(tensor) = input {
            history::retain_grad(tensor);
        }
    }
    run::run_graph(roots, Goal::Nodes(&nodes), options).map(drop)
}

/// The gradients of `inputs`, by running the graphs that made `outputs` backwards; None where there
/// is none.
///
/// # Errors
/// A root requires no gradient; an input was not used and `allow_unused` is false; and what nodes
/// and hooks raise.
pub fn run_gradients(
    outputs: &[Root],
    inputs: &[Root],
    grad_outputs: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    create_graph: bool,
    allow_unused: bool,
) -> Result<Vec<Option<T>>> {
    if inputs.is_empty() {
        return Err(Error::runtime_error(
            "`inputs` argument to `grad()` cannot be empty.",
        ));
    }
    let roots = root_gradients(outputs, grad_outputs)?;
    let edges = wanted_edges(inputs.iter().map(Root::gradient_edge))?;
    let grads = run::run_graph(
        roots,
        Goal::Gradients(&edges),
        run_options(retain_graph, create_graph),
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
        if grad.untracked_base().is_some() && !grad.requires_grad() {
            dispatch::detach_value(&grad)
        } else {
            Ok(grad)
        }
    };
    grads
        .into_iter()
        .map(|grad| grad.map(own).transpose())
        .gather_ok()
}

fn run_options(retain_graph: Option<bool>, create_graph: bool) -> run::Options {
    run::Options {
        keep: retain_graph.unwrap_or(create_graph),
        create_graph,
    }
}

/// Where the gradients that are wanted arrive.
fn wanted_edges(inputs: impl Iterator<Item = Edge>) -> Result<Vec<Edge>> {
    let each = |edge| match edge {
        (None, _) => Err(Error::runtime_error(
            "One of the differentiated Tensors does not require grad",
        )),
        edge => Ok(edge),
    };
    inputs.map(each).gather_ok()
}

/// Where the gradients of results go, and these.
fn root_gradients(tensors: &[Root], gradients: Option<Vec<Option<T>>>) -> Result<Vec<(Edge, T)>> {
    let gradients = gradients.unwrap_or_else(|| none_list(tensors.len()));
    if gradients.len() != tensors.len() {
        return Err(Error::runtime_error(format!(
            "got {} tensors and {} gradients",
            tensors.len(),
            gradients.len()
        )));
    }
    let each = tensors.iter().zip(gradients).enumerate();
    each.map(|(place, (tensor, gradient))| root_gradient(place, tensor, gradient))
        .gather_ok()
}

fn root_gradient(place: usize, root: &Root, gradient: Option<T>) -> Result<(Edge, T)> {
    let edge = root.gradient_edge();
    let (tensor, gradient) = match (root, gradient) {
        (Root::Value(tensor), gradient) => (tensor, gradient),
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
    let meta = dispatch::meta_of(tensor)?;
    let gradient = match gradient {
        Some(gradient) => {
            let given = dispatch::meta_of(&gradient)?;
            let fitting = if given.shape == meta.shape {
                dispatch::fit_gradient(tensor, &gradient, &meta)?
            } else {
                None
            };
            fitting.ok_or_else(|| {
                Error::runtime_error(format!(
                    "Mismatch in shape: grad_output[{place}] has a shape of {:?} and output[{place}] has a shape of {:?}.",
                    given.shape, meta.shape
                ))
            })?
        }
        None if meta.numel() == 1 => {
            (tensor.operations.full)(1.0, &meta, dispatch::backend_of(tensor).as_ref())?
        }
        None => {
            return Err(Error::runtime_error(
                "grad can be implicitly created only for scalar outputs",
            ));
        }
    };
    Ok((edge, gradient))
}
