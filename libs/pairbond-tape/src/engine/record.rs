//! Recording: what an operation leaves on the tape.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Trace;

use super::rule::{Derivative, Given};
use super::saved::Save;
use super::{Node, anomaly, history, mode, saved};
use crate::data::Geometry;
use crate::data::room::boxed;
use crate::tensor::{T, Tensor};

/// Gives the result of an operation its history, if anybody will want a derivative. `params` own no
/// tensors: what does is saved. An input is a tensor; or none where a number stands, which the node
/// counts.
pub(crate) fn record<'a, I, P, R>(
    name: &'static str,
    inputs: I,
    saves: &[Save<'_>],
    params: P,
    out: T,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    I: IntoIterator<Item: Into<Option<&'a T>>, IntoIter: Clone>,
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    const { assert!(!P::TRACED, "parameters own no tensors: save them") };
    let inputs = inputs.into_iter().map(Into::into);
    let wanted = || inputs.clone().flatten().any(|input| input.requires_grad());
    if !mode::is_grad_enabled() || !wanted() || !out.dtype().is_float() {
        return Ok(out);
    }
    let rule = boxed(Derivative {
        name,
        params,
        compute,
    });
    let node = Node::value(
        Some(rule),
        inputs
            .map(|input| input.map(history::edge).unwrap_or_default())
            .gather(),
    );
    anomaly::trace(&node)?;
    let node = Ref::new(node);
    history::set(&out, node.clone(), 0);
    if !saves.is_empty() {
        node.saved.set(saved::put(saves, &node, &out)?);
    }
    Ok(out)
}

/// A view of all of a tensor, before it is an object.
pub(crate) fn alias(of: &T) -> Result<Tensor> {
    if of.base.is_none() && !mode::is_grad_enabled() {
        // Where nothing is recorded it need not be a view of the tensor that was just made.
        return Ok(Tensor::value(of.storage.clone(), of.geometry.clone(), None));
    }
    let view = Tensor::view_value(of, of.geometry.clone());
    if mode::is_grad_enabled() && of.requires_grad() {
        let rule = Derivative {
            name: "AliasBackward0",
            params: (),
            compute: |g, ()| Ok([Some(g.grad().clone())]),
        };
        let node = Node::value(Some(Box::new(rule)), vec![history::edge(of)]);
        anomaly::trace(&node)?;
        history::set(&view, Ref::new(node), 0);
    }
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
    record(name, [of], &[], params, Tensor::view_of(of, geometry), compute)
}
