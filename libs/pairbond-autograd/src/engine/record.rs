//! Recording: what an operation leaves on the tape.

use pairbond::Trace;
use pairbond::prelude::*;

use super::rule::{Derivative, Given};
use super::saved::Save;
use super::{Node, anomaly, history, mode, saved};
use crate::tensor::{Geometry, T, Tensor};

/// Gives the result of an operation its history, if anybody will want a derivative. `params` own no tensors: what does is saved.
pub(crate) fn record<P, R, const N: usize>(
    name: &'static str,
    inputs: [&T; N],
    saves: &[Save<'_>],
    params: P,
    out: T,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    tape(name, inputs.into_iter(), saves, params, &out, compute)?;
    Ok(out)
}

/// As [`record`], of any number of inputs.
pub(crate) fn record_all<P, R>(
    name: &'static str,
    inputs: &[T],
    saves: &[Save<'_>],
    params: P,
    out: T,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<T>
where
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    tape(name, inputs.iter(), saves, params, &out, compute)?;
    Ok(out)
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

fn tape<'a, P, R>(
    name: &'static str,
    mut inputs: impl Iterator<Item = &'a T> + Clone,
    saves: &[Save<'_>],
    params: P,
    out: &T,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<()>
where
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    const { assert!(!P::TRACED, "parameters own no tensors: save them") };
    let next = inputs.clone();
    if !mode::is_grad_enabled() || !inputs.any(|input| input.requires_grad()) || !out.dtype().is_float() {
        return Ok(());
    }
    let rule = Box::new(Derivative {
        name,
        params,
        compute,
    });
    let node = Node::value(Some(rule), next.map(history::edge).collect());
    if !saves.is_empty() {
        node.saved.set(saved::put(saves, out)?);
    }
    anomaly::trace(&node)?;
    history::set(out, Ref::new(node), 0);
    Ok(())
}
