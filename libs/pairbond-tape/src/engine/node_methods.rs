//! The Python methods of nodes, and of the history of values.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::roots::Root;
use super::{in_place, roots, run};
use crate::graph::{
    Edge, Hooks, Node, NodeHooks, RemovableHandle, T, Variable, VariableHooks, check_history, dispatch,
    history, name_of,
};

#[pairbond::methods]
impl Node {
    /// Its name.
    #[name("name")]
    fn get_name(this: Borrow<'_, Self>) -> Str {
        name_of(this)
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
        self.sequence_number()
    }

    /// Calls `hook(n, *grad_inputs, *grad_outputs)` after it has run; n is the number of
    /// grad_inputs.
    #[name("_register_hook")]
    pub fn register_hook(&self, hook: Function) -> Ref<RemovableHandle> {
        Hooks::add_hook(&NodeHooks::get_or_create(&self.hooks).after, hook)
    }

    /// Calls `hook(*grad_outputs)` before it runs.
    #[name("_register_prehook")]
    pub fn register_prehook(&self, hook: Function) -> Ref<RemovableHandle> {
        Hooks::add_hook(&NodeHooks::get_or_create(&self.hooks).before, hook)
    }

    /// Computes its results from gradients, alone.
    #[name("_call")]
    fn call(this: Borrow<'_, Self>, #[rest] grads: Vec<Option<T>>) -> Result<Vec<Option<T>>> {
        run::node_grads(&this.to_ref(), &grads)
    }

    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("<{} object at {:p}>", name_of(this), this.header())
    }
}

/// A tuple of pairs.
struct Edges(Vec<Edge>);

impl pairbond::convert::IntoValue for Edges {
    fn into_value<S: pairbond::convert::Sink>(mut self, out: S) -> Result<S::Out> {
        out.write_tuple(self.0.len(), &mut |index, slot| {
            let (node, input) = std::mem::take(&mut self.0[index]);
            (node, input).into_value(slot).map(drop)
        })
    }
}

/// Several values, or one.
pub(crate) struct OneOrMore<V>(pub(crate) Vec<V>);

impl<'a, V: for<'b> FromValue<'b>> FromValue<'a> for OneOrMore<V> {
    fn expected_type() -> Cow<'static, str> {
        "Tensor or a sequence of Tensors".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match V::from_value(source) {
            Ok(one) => Ok(OneOrMore(vec![one])),
            Err(_) => Vec::from_value(source).map(OneOrMore),
        }
    }
}

#[pairbond::methods]
impl Variable {
    /// Whether derivatives are computed for it.
    #[getter(requires_grad)]
    fn get_requires_grad(&self) -> bool {
        self.requires_grad()
    }

    #[setter(requires_grad)]
    fn put_requires_grad(this: Borrow<'_, Self>, wanted: bool) -> Result<()> {
        history::require_grad_of(&this.to_ref(), wanted)
    }

    /// Says whether derivatives are computed for it, and returns it.
    fn requires_grad_(
        this: Borrow<'_, Self>,
        #[default(true)] requires_grad: bool,
    ) -> Result<Borrow<'_, Self>> {
        history::require_grad_of(&this.to_ref(), requires_grad)?;
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
        let (node, output) = history::edge_of(&this.to_ref());
        Ok(node.map(|node| (node, output)))
    }

    /// How often its memory was written to.
    #[getter]
    #[name("_version")]
    fn get_version(this: Borrow<'_, Self>) -> u64 {
        dispatch::version_of(&this.to_ref())
    }

    /// The same memory without a history.
    fn detach(this: Borrow<'_, Self>) -> Result<T> {
        dispatch::detach_value(&this.to_ref())
    }

    /// Forgets how it was made, and returns it.
    pub fn detach_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        let tensor = this.to_ref();
        if tensor.base.is_some() {
            return Err(Error::runtime_error(
                "Can't detach views in-place. Use detach() instead.",
            ));
        }
        history::clear_history(&tensor);
        Ok(this)
    }

    /// Keeps the gradient of a tensor that is no leaf in `grad`, too.
    pub fn retain_grad(this: Borrow<'_, Self>) -> Result<()> {
        let tensor = this.to_ref();
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
    pub fn retains_grad(&self) -> bool {
        self.keeps_grad()
    }

    /// Calls `hook(grad)` when its gradient is computed; a result replaces the gradient.
    pub fn register_hook(this: Borrow<'_, Self>, hook: Function) -> Result<Ref<RemovableHandle>> {
        let tensor = this.to_ref();
        if !tensor.requires_grad() {
            return Err(Error::runtime_error(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        let hooks = match history::grad_fn(&tensor) {
            Some(node) => {
                check_history(&tensor);
                NodeHooks::get_or_create(&node.hooks).of_result(tensor.output_number())
            }
            None => VariableHooks::get_or_create(&tensor.hooks).before.clone(),
        };
        Ok(Hooks::add_hook(&hooks, hook))
    }

    /// Calls `hook(tensor)` each time after a gradient was added to that of a leaf.
    pub fn register_post_accumulate_grad_hook(
        this: Borrow<'_, Self>,
        hook: Function,
    ) -> Result<Ref<RemovableHandle>> {
        let tensor = this.to_ref();
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
        Ok(Hooks::add_hook(
            &VariableHooks::get_or_create(&tensor.hooks).accumulated,
            hook,
        ))
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
        roots::run_backward(
            &[Root::Value(this.to_ref())],
            Some(vec![gradient]),
            retain_graph,
            create_graph,
            inputs.map(|OneOrMore(inputs)| inputs),
        )
    }

    /// Says that something wrote to it.
    #[name("_bump_version")]
    fn bump_version(this: Borrow<'_, Self>) -> Result<()> {
        let tensor = this.to_ref();
        in_place::check_writable(&tensor, false)?;
        dispatch::count_write(&tensor, "_bump_version");
        Ok(())
    }
}
