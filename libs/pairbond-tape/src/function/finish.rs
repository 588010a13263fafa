//! The results of a custom function get their history.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;
use smallvec::SmallVec;

use super::apply::describe_input;
use super::function_node::{FunctionNode, Marks};
use crate::engine;
use crate::graph::{Node, T, Variable, dispatch, set_history};
use crate::mode::with_recording;

/// The results of `forward`: one value most of the time.
pub(super) type Results = SmallVec<[Any; 1]>;

fn contains_tensor(all: &[T], tensor: Borrow<'_, Variable>) -> bool {
    all.iter().any(|other| other.as_borrow().is(tensor))
}

fn has_result(results: &[Any], tensor: Borrow<'_, Variable>) -> bool {
    results.iter().filter_map(as_tensor).any(|other| other.is(tensor))
}

/// A value that is a tensor.
fn as_tensor(value: &Any) -> Option<Borrow<'_, Variable>> {
    match value {
        Any::Object(object) => object.as_borrow().downcast(),
        _ => None,
    }
}

/// The results as the caller gets them.
pub(super) fn finish_results(
    context: &Ref<FunctionNode>,
    inputs: &[Option<T>],
    mut results: Results,
) -> Result<Results> {
    let (saves, dirty, fixed) = context.marks.take().map_or_else(Marks::default, |marks| *marks);
    check_results(context, inputs, &dirty, &results)?;
    for tensor in &dirty {
        dispatch::count_write(tensor, "a custom function that calls mark_dirty");
    }
    let given = |tensor: Borrow<'_, Variable>| {
        let mut inputs = inputs.iter().flatten();
        inputs.any(|input| input.as_borrow().is(tensor))
    };
    // Not what `forward` was given: another tensor of the same memory.
    let another = |tensor: Borrow<'_, Variable>| {
        let is_given = given(tensor) && !contains_tensor(&dirty, tensor);
        is_given
            .then(|| dispatch::detach_value(&tensor.to_ref()))
            .transpose()
    };
    if !context.is_recorded() {
        // Without a history even if `forward` recorded one. An argument becomes a view that may not
        // be written to with a history, because its base would miss the write.
        for result in &mut results {
            let Some(tensor) = as_tensor(result).filter(|it| given(*it) && !contains_tensor(&dirty, *it))
            else {
                continue;
            };
            *result = with_recording(false, || dispatch::alias_value(&tensor.to_ref()))?.into();
        }
        return Ok(results);
    }
    context.node.count_again();
    engine::trace_creation(&context.node)?;
    let node = || -> Ref<Node> { context.clone().upcast() };
    let mut looks = SmallVec::with_capacity(results.len());
    for number in 0..results.len() {
        let result = &mut results[number];
        let Some(tensor) = as_tensor(result) else {
            looks.push(None);
            continue;
        };
        let own = tensor.to_ref();
        looks.push(Some(describe_input(&own)?));
        if let Some(backend) = dispatch::backend_of(&own) {
            context.backend.set(Some(backend));
        }
        let output = u32::try_from(number)?;
        let other = if contains_tensor(&fixed, tensor) || !dispatch::is_differentiable(&own) {
            another(tensor)?
        } else if contains_tensor(&dirty, tensor) {
            engine::rebase_on(&own, node(), output)?;
            None
        } else {
            // A tensor that is among the results already becomes that of the last place. A view
            // that was recorded in `forward` is one that was not: writes to it would not go through
            // this node.
            let is_new = !given(tensor) && !tensor.is_tracked_view();
            let other = (!is_new)
                .then(|| with_recording(false, || dispatch::alias_value(&own)))
                .transpose()?;
            let out = other.as_ref().unwrap_or(&own);
            set_history(out, node(), output);
            out.seen.store(dispatch::version_of(out), Ordering::Release);
            other
        };
        if let Some(other) = other {
            *result = other.into();
        }
    }
    context.results.set(looks);
    save_for_backward(context, saves, &results, &dirty)?;
    if let [view] = &dirty[..] {
        engine::keeps_part(&context.node, view);
    }
    Ok(results)
}

/// Reports combinations that cannot be.
fn check_results(context: &FunctionNode, inputs: &[Option<T>], dirty: &[T], results: &[Any]) -> Result<()> {
    let name = &context.info.name;
    for tensor in dirty {
        if !inputs.iter().flatten().any(|other| other.is(tensor)) {
            return Err(Error::runtime_error(format!(
                "{name}: mark_dirty was called with a tensor that is no argument of the function"
            )));
        }
        if !has_result(results, tensor.as_borrow()) {
            return Err(Error::runtime_error(format!(
                "{name}: Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified \
                 inplace must all be outputs of the Function."
            )));
        }
        if context.is_recorded() && tensor.is_tracked_view() && results.len() > 1 {
            return Err(Error::runtime_error(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one Tensor. \
                 This is not supported by the current autograd engine. You should either make sure the input is not a view (using .clone() for \
                 example) or make your Function only return one Tensor (potentially splitting it into two Functions: one doing the inplace that \
                 returns a single Tensor and a second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ if \
                 you need help to do this change.",
            ));
        }
        // Whether it may be written to is asked as where it was called.
        if context.is_recorded() {
            with_recording(true, || engine::check_writable(tensor, true))?;
        }
    }
    Ok(())
}

/// Puts away what `save_for_backward` was given: arguments as they are, results so that the node
/// does not own them.
fn save_for_backward(
    context: &Ref<FunctionNode>,
    saves: Vec<Option<T>>,
    results: &[Any],
    dirty: &[T],
) -> Result<()> {
    if saves.is_empty() {
        return Ok(());
    }
    context
        .saved_none
        .set(saves.iter().map(Option::is_none).collect());
    let mut all = Vec::with_capacity(saves.len());
    for tensor in saves.into_iter().flatten() {
        let is_it = |result: &Any| as_tensor(result).is_some_and(|result| result.is(tensor.as_borrow()));
        let ours = tensor
            .grad_fn
            .with(|made| made.as_ref().is_some_and(|made| made.is(context)));
        let number = results
            .iter()
            .rposition(is_it)
            .filter(|_| ours || contains_tensor(dirty, tensor.as_borrow()));
        all.push(match number {
            Some(number) => engine::save_result(&tensor, u32::try_from(number)?, true)?,
            None => engine::save_input(&tensor)?,
        });
    }
    context.node.keep_saved(all);
    Ok(())
}
