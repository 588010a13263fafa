//! The tape, for tensors. The crate `pairbond-tape` keeps and runs it; it calls `Value` for tensors
//! (`methods/value.rs`).

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Trace;
pub(crate) use pairbond_tape::{
    Mode, Node, check_in_place, gradient_edge, is_grad_enabled, rebase_history, record_in_place, set_history,
};
use pairbond_tape::{Root, Value, as_variable, downcast_value};

use crate::data::Geometry;
use crate::tensor::{Numbers, T, Tensor};

/// The inputs, results and gradient that a derivative is computed from.
pub(crate) type Given<'a> = pairbond_tape::Given<'a, Tensor>;

/// The values that an operation saves.
type Save<'a> = pairbond_tape::Save<'a, Tensor>;
pub(crate) use pairbond_tape::Save::{For, In, Out};

/// The place of what made a tensor.
#[inline]
pub(crate) fn grad_fn_cell(tensor: &Tensor) -> &Cell<Option<Ref<Node>>> {
    pairbond_tape::grad_fn_cell(tensor)
}

/// Describes the history of a tensor, for `repr`.
pub(crate) fn describe_history(tensor: &Tensor) -> Option<String> {
    pairbond_tape::describe_history(tensor)
}

/// Asks for derivatives, or does so no more.
pub(crate) fn require_grad(tensor: &Tensor, wanted: bool) -> Result<()> {
    pairbond_tape::require_grad(tensor, wanted)
}

/// Saved values as tensors, when a derivative is computed.
pub(crate) trait Tensors {
    /// The gradient of the result.
    fn result_grad(&self) -> T;

    /// The tensor that was saved at that place.
    fn saved_tensor(&self, place: usize) -> Result<T>;

    /// The tensor that was saved for the gradient of an input.
    fn tensor_for(&self, input: usize) -> Result<T>;
}

impl Tensors for Given<'_> {
    #[inline]
    fn result_grad(&self) -> T {
        T::from_tensor(self.grad().clone())
    }

    fn saved_tensor(&self, place: usize) -> Result<T> {
        self.saved(place).map(T::from_tensor)
    }

    fn tensor_for(&self, input: usize) -> Result<T> {
        self.saved_for(input).map(T::from_tensor)
    }
}

/// As the tape's, of a result that is a snapshot.
#[inline]
pub(crate) fn record_op<'a, I, P, G, R>(
    name: &'static str,
    inputs: I,
    saves: &[Save<'_>],
    params: P,
    out: T,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    I: IntoIterator<Item: Into<Option<&'a Ref<Tensor>>>, IntoIter: Clone>,
    P: Trace + Send + Sync + 'static,
    G: Into<Ref<Tensor>>,
    R: IntoIterator<Item = Option<G>> + 'static,
{
    out.map_tensor(|out| pairbond_tape::record(name, inputs, saves, params, out, compute))
}

/// Gives a tensor other numbers, and leaves its history as it is. Graphs that were recorded before
/// go on with gradients of its former shape and dtype.
pub(crate) fn exchange_numbers(tensor: &T, numbers: &Numbers) {
    let before = tensor.meta();
    tensor.exchange_numbers(numbers);
    pairbond_tape::notify_replaced(tensor.as_tensor(), &before);
}

/// A view of all of a tensor, before it is an object.
pub(crate) fn alias_tensor(of: &T) -> Result<Tensor> {
    if of.base().is_none() && !is_grad_enabled() {
        // Where nothing is recorded it need not be a view of the tensor that was just made.
        return Ok(Tensor::from_numbers(of.numbers().clone()));
    }
    let view = Tensor::view_value(of, of.numbers().clone());
    pairbond_tape::record_alias(of, &view)?;
    Ok(view)
}

/// As [`record_op`], of an operation that gives a view of `of`.
pub(crate) fn record_view<P, G, R>(
    name: &'static str,
    of: &T,
    geometry: Geometry,
    params: P,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    P: Trace + Send + Sync + 'static,
    G: Into<Ref<Tensor>>,
    R: IntoIterator<Item = Option<G>> + 'static,
{
    record_op(name, [of], &[], params, Tensor::view_of(of, geometry), compute)
}

/// Gradients, as the tape has them.
fn of_tape(gradients: Option<Vec<Option<Ref<Tensor>>>>) -> Option<Vec<Option<Ref<pairbond_tape::Variable>>>> {
    let each = |grad: Option<Ref<Tensor>>| grad.as_ref().map(|grad| as_variable(grad).clone());
    gradients.map(|gradients| gradients.into_iter().map(each).gather())
}

/// Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of
/// `inputs`.
#[pairbond::function]
#[name("_backward")]
#[detach]
pub(crate) fn backward(
    tensors: Vec<Root>,
    #[required] gradients: Option<Vec<Option<Ref<Tensor>>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    inputs: Option<Vec<Root>>,
) -> Result<()> {
    pairbond_tape::run_backward(&tensors, of_tape(gradients), retain_graph, create_graph, inputs)
}

/// The gradients of `inputs`, by running the graphs that made `outputs` backwards; None where there
/// is none.
#[pairbond::function]
#[name("_grad")]
#[detach]
pub(crate) fn gradients(
    outputs: Vec<Root>,
    inputs: Vec<Root>,
    #[required] grad_outputs: Option<Vec<Option<Ref<Tensor>>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    #[default(false)] allow_unused: bool,
) -> Result<Vec<Option<Ref<Tensor>>>> {
    let found = pairbond_tape::run_gradients(
        &outputs,
        &inputs,
        of_tape(grad_outputs),
        retain_graph,
        create_graph,
        allow_unused,
    )?;
    let own = |grad: Option<Ref<_>>| grad.map(|grad| downcast_value(&grad).cloned()).transpose();
    found.into_iter().map(own).gather_ok()
}
