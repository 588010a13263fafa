//! What Python sees of nodes, and of the history of tensors.

use pairbond::prelude::*;

use super::node::Edge;
use super::roots::Root;
use super::{Node, history, in_place, roots, run};
use crate::function::FunctionNode;
use crate::hooks::{Hooks, NodeHooks, RemovableHandle, TensorHooks};
use crate::tensor::{OneOrMore, T, Tensor, TensorBase};

/// What a node is called.
fn name(node: Borrow<'_, Node>) -> Str {
    match &node.rule {
        Some(rule) => rule.name().into(),
        None => FunctionNode::name_of(node).unwrap_or_else(|| match node.header().info().key() {
            "pairbond_autograd.CopySlices" => "CopySlices".into(),
            _ => "AccumulateGrad".into(),
        }),
    }
}

/// [`name`] for those who have a reference.
pub(crate) trait Named {
    fn name(&self) -> Str;
}

impl Named for Ref<Node> {
    fn name(&self) -> Str {
        name(self.as_borrow())
    }
}

#[pairbond::methods]
impl Node {
    /// Its name.
    #[name("name")]
    fn get_name(this: Borrow<'_, Self>) -> Str {
        name(this)
    }

    /// Where the gradients that it gives go on: pairs of a node and the number of its input.
    #[getter]
    fn next_functions(&self) -> Edges {
        Edges(self.next.get())
    }

    /// A mapping for whatever users want to put there.
    #[getter(metadata)]
    fn get_metadata(&self) -> Map<Any, Any> {
        self.metadata()
    }

    /// Its place among the nodes of its thread.
    #[name("_sequence_nr")]
    fn sequence_nr(&self) -> u64 {
        self.sequence()
    }

    /// Calls `hook(n, *grad_inputs, *grad_outputs)` after it has run; n is the number of
    /// grad_inputs.
    #[name("_register_hook")]
    fn register_hook(&self, hook: Function) -> Ref<RemovableHandle> {
        Hooks::add(&NodeHooks::at(&self.hooks).after, hook)
    }

    /// Calls `hook(*grad_outputs)` before it runs.
    #[name("_register_prehook")]
    fn register_prehook(&self, hook: Function) -> Ref<RemovableHandle> {
        Hooks::add(&NodeHooks::at(&self.hooks).before, hook)
    }

    /// Computes its results from gradients, alone.
    #[name("_call")]
    fn call(this: Borrow<'_, Self>, #[rest] grads: Vec<Option<T>>) -> Result<Vec<Option<T>>> {
        run::derive(&this.to_ref(), &grads)
    }

    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("<{} object at {:p}>", name(this), this.header())
    }
}

/// A tuple of pairs.
struct Edges(Vec<Edge>);

impl pairbond::convert::IntoValue for Edges {
    fn into_value<S: pairbond::convert::Sink>(mut self, out: S) -> Result<S::Out> {
        out.tuple(self.0.len(), &mut |index, slot| {
            let (node, input) = std::mem::take(&mut self.0[index]);
            (node, input).into_value(slot).map(drop)
        })
    }
}

/// The tensor that has this.
fn whole(this: Borrow<'_, TensorBase>) -> Result<T> {
    let tensor = this.to_ref().downcast::<Tensor>();
    tensor.map_err(|_| Error::type_error("a TensorBase is made as a Tensor"))
}

#[pairbond::methods]
impl TensorBase {
    /// Whether derivatives are computed for it.
    #[getter(requires_grad)]
    fn get_requires_grad(&self) -> bool {
        self.requires_grad()
    }

    #[setter(requires_grad)]
    fn put_requires_grad(this: Borrow<'_, Self>, wanted: bool) -> Result<()> {
        history::require_grad(&*whole(this)?, wanted)
    }

    /// Says whether derivatives are computed for it, and returns it.
    fn requires_grad_(
        this: Borrow<'_, Self>,
        #[default(true)] requires_grad: bool,
    ) -> Result<Borrow<'_, Self>> {
        history::require_grad(&*whole(this)?, requires_grad)?;
        Ok(this)
    }

    /// Which of the results of `grad_fn` it is.
    #[getter]
    fn output_nr(&self) -> u32 {
        self.output_number()
    }

    /// The destination of its gradient: a node, and the number of its result; None if it requires
    /// no gradient.
    #[name("_gradient_edge")]
    fn gradient_edge(this: Borrow<'_, Self>) -> Result<Option<(Ref<Node>, u32)>> {
        let (node, output) = history::edge(&whole(this)?);
        Ok(node.map(|node| (node, output)))
    }

    /// How often its memory was written to.
    #[getter]
    #[name("_version")]
    fn version(&self) -> u64 {
        self.storage.version()
    }

    /// The same memory without a history.
    fn detach(this: Borrow<'_, Self>) -> Result<T> {
        Ok(Tensor::detached(&*whole(this)?))
    }

    /// Forgets how it was made, and returns it.
    fn detach_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        let tensor = whole(this)?;
        if tensor.base.is_some() {
            return Err(Error::runtime_error(
                "Can't detach views in-place. Use detach() instead.",
            ));
        }
        history::forget(&tensor);
        Ok(this)
    }

    /// Keeps the gradient of a tensor that is no leaf in `grad`, too.
    fn retain_grad(this: Borrow<'_, Self>) -> Result<()> {
        let tensor = whole(this)?;
        if !tensor.requires_grad() {
            return Err(Error::runtime_error(
                "can't retain_grad on Tensor that has requires_grad=False",
            ));
        }
        history::retain_grad(&tensor);
        Ok(())
    }

    /// Whether `retain_grad` was called on a tensor that is no leaf.
    #[getter]
    fn retains_grad(&self) -> bool {
        self.retains()
    }

    /// Calls `hook(grad)` when its gradient is computed; a result replaces the gradient.
    fn register_hook(this: Borrow<'_, Self>, hook: Function) -> Result<Ref<RemovableHandle>> {
        let tensor = whole(this)?;
        if !tensor.requires_grad() {
            return Err(Error::runtime_error(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        let hooks = match history::grad_fn(&tensor) {
            Some(node) => {
                in_place::check_history(&tensor);
                NodeHooks::at(&node.hooks).of_result(tensor.output_number())
            }
            None => TensorHooks::at(&tensor.hooks).before.clone(),
        };
        Ok(Hooks::add(&hooks, hook))
    }

    /// Calls `hook(tensor)` each time after a gradient was added to that of a leaf.
    fn register_post_accumulate_grad_hook(
        this: Borrow<'_, Self>,
        hook: Function,
    ) -> Result<Ref<RemovableHandle>> {
        let tensor = whole(this)?;
        if !tensor.requires_grad() {
            return Err(Error::runtime_error(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        if history::grad_fn(&tensor).is_some() {
            return Err(Error::runtime_error(
                "post accumulate grad hooks cannot be registered on non-leaf tensors",
            ));
        }
        Ok(Hooks::add(&TensorHooks::at(&tensor.hooks).accumulated, hook))
    }

    /// Computes the gradients of the leaves that led here, or of `inputs`, and adds them to their
    /// `grad`.
    #[detach]
    fn backward(
        this: Borrow<'_, Self>,
        gradient: Option<T>,
        retain_graph: Option<bool>,
        #[default(false)] create_graph: bool,
        inputs: Option<OneOrMore<Root>>,
    ) -> Result<()> {
        roots::backward(
            vec![Root::Tensor(whole(this)?)],
            Some(vec![gradient]),
            retain_graph,
            create_graph,
            inputs.map(|OneOrMore(inputs)| inputs),
        )
    }

    /// Says that something wrote to it.
    #[name("_bump_version")]
    fn bump_version(this: Borrow<'_, Self>) -> Result<()> {
        let tensor = whole(this)?;
        in_place::check(&tensor, false)?;
        tensor.storage.written("_bump_version");
        Ok(())
    }
}
