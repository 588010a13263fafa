//! The tape, for tensors. The crate `pairbond-tape` keeps and runs it; it calls `Value` for tensors
//! (`tensor/value.rs`).

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Trace;
pub(crate) use pairbond_tape::{
    Mode, Node, check_in_place, edge, is_grad_enabled, rebase, record, record_in_place, set_history,
};
use pairbond_tape::{Root, erased, typed};

use crate::data::Geometry;
use crate::tensor::{T, Tensor};

/// What a derivative is computed from.
pub(crate) type Given<'a> = pairbond_tape::Given<'a, Tensor>;

/// What an operation saves.
type Save<'a> = pairbond_tape::Save<'a, Tensor>;
pub(crate) use pairbond_tape::Save::{For, In, Out};

/// The place of what made a tensor.
#[inline]
pub(crate) fn made(tensor: &Tensor) -> &Cell<Option<Ref<Node>>> {
    pairbond_tape::made(tensor)
}

/// What `repr` says of the history of a tensor.
pub(crate) fn describe_history(tensor: &Tensor) -> Option<String> {
    pairbond_tape::describe(tensor)
}

/// Asks for derivatives, or does so no more.
pub(crate) fn require_grad(tensor: &Tensor, wanted: bool) -> Result<()> {
    pairbond_tape::require_grad(tensor, wanted)
}

/// A view of all of a tensor, before it is an object.
pub(crate) fn alias(of: &T) -> Result<Tensor> {
    if of.base().is_none() && !is_grad_enabled() {
        // Where nothing is recorded it need not be a view of the tensor that was just made.
        return Ok(Tensor::value(of.storage.clone(), of.geometry.clone()));
    }
    let view = Tensor::view_value(of, of.geometry.clone());
    pairbond_tape::record_alias(of, &view)?;
    Ok(view)
}

/// As [`record`], of an operation that gives a view of `of`.
pub(crate) fn record_view<P, R>(
    name: &'static str,
    of: &T,
    geometry: Geometry,
    params: P,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    let saves: &[Save<'_>] = &[];
    record(name, [of], saves, params, Tensor::view_of(of, geometry), compute)
}

/// Gradients, as the tape has them.
fn of_tape(gradients: Option<Vec<Option<T>>>) -> Option<Vec<Option<Ref<pairbond_tape::Variable>>>> {
    let each = |grad: Option<T>| grad.as_ref().map(|grad| erased(grad).clone());
    gradients.map(|gradients| gradients.into_iter().map(each).gather())
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
    #[required] grad_outputs: Option<Vec<Option<T>>>,
    retain_graph: Option<bool>,
    #[default(false)] create_graph: bool,
    #[default(false)] allow_unused: bool,
) -> Result<Vec<Option<T>>> {
    let found = pairbond_tape::run_gradients(
        &outputs,
        &inputs,
        of_tape(grad_outputs),
        retain_graph,
        create_graph,
        allow_unused,
    )?;
    let own = |grad: Option<Ref<_>>| grad.map(|grad| typed(&grad).cloned()).transpose();
    found.into_iter().map(own).gather_ok()
}
