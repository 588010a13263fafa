//! Recording: what an operation leaves on the tape.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Trace;

use super::derivative::{Derivative, Given};
use super::saved::Save;
use super::{anomaly, saved};
use crate::graph::{Edge, Grads, Node, Rule, Value, Variable, history};
use crate::mode;
use crate::room::try_boxed;

/// Gives the result of an operation its history, if a derivative of it may be wanted. `params` own
/// no tensors: what does is saved. An input is a tensor; or none where a number stands, which the
/// node counts.
///
/// # Errors
/// What hooks of saved tensors and anomaly mode raise.
pub fn record<'a, V, I, P, G, R>(
    name: &'static str,
    inputs: I,
    saves: &[Save<'_, V>],
    params: P,
    out: Ref<V>,
    compute: fn(&Given<'_, V>, &P) -> Result<R>,
) -> Result<Ref<V>>
where
    V: Value,
    I: IntoIterator<Item: Into<Option<&'a Ref<V>>>, IntoIter: Clone>,
    P: Trace + Send + Sync + 'static,
    G: Into<Ref<V>>,
    R: IntoIterator<Item = Option<G>> + 'static,
{
    const { assert!(!P::TRACED, "parameters own no tensors: save them") };
    let inputs = inputs.into_iter().map(Into::into);
    let wanted = || {
        inputs
            .clone()
            .flatten()
            .any(|input| input.variable().requires_grad())
    };
    if !mode::is_grad_enabled() || !wanted() || !out.is_differentiable() {
        return Ok(out);
    }
    let rule = try_boxed(Derivative {
        name,
        params,
        compute,
    });
    let edge = |input: Option<&Ref<V>>| input.map(history::gradient_edge).unwrap_or_default();
    let node = Node::from_rule(Some(rule), inputs.map(edge).gather());
    anomaly::trace_creation(&node)?;
    let node = Ref::new(node);
    history::set_history(out.variable(), node.clone(), 0);
    if !saves.is_empty() {
        node.saved.set(saved::save_tensors(saves, &node, &out)?);
    }
    Ok(out)
}

/// The gradient as it is.
pub(super) struct Identity(pub(super) &'static str);

impl Rule for Identity {
    fn name(&self, _: Borrow<'_, Node>) -> Str {
        self.0.into()
    }

    fn compute_grads(&self, _: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        Ok(grads.clone())
    }
}

/// Gives `view`, which has all elements of `of`, the history that says so. It need not be an object
/// yet.
///
/// # Errors
/// What anomaly mode raises.
pub fn record_alias<V: Value>(of: &Ref<V>, view: &V) -> Result<()> {
    if mode::is_grad_enabled() && of.variable().requires_grad() {
        set_rule(
            view.variable(),
            vec![history::gradient_edge(of)],
            Identity("AliasBackward0"),
        )?;
    }
    Ok(())
}

/// Says that a rule made a value.
pub(crate) fn set_rule(made: &Variable, next: Vec<Edge>, rule: impl Rule + 'static) -> Result<()> {
    let node = Node::from_rule(Some(Box::new(rule)), next);
    anomaly::trace_creation(&node)?;
    history::set_history(made, Ref::new(node), 0);
    Ok(())
}
