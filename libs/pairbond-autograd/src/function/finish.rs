//! The results of a custom function get their history.

use pairbond::prelude::*;
use smallvec::SmallVec;

use super::node::{FunctionNode, Marks};
use crate::engine::{self, Node};
use crate::tensor::{T, Tensor};

fn has(all: &[T], tensor: &T) -> bool {
    all.iter().any(|other| other.is(tensor))
}

/// What `forward` returned: one value most of the time.
pub(super) type Results = SmallVec<[Any; 1]>;

/// The results as the caller gets them.
pub(super) fn finish(context: &Ref<FunctionNode>, inputs: &[Option<T>], results: Results) -> Result<Results> {
    let (saves, dirty, fixed) = context.marks.take().map_or_else(Marks::default, |marks| *marks);
    let given = |tensor: &T| inputs.iter().flatten().any(|other| other.is(tensor));
    let returned: SmallVec<[Option<T>; 1]> = results.iter().map(Any::downcast::<Tensor>).collect();
    check(context, inputs, &dirty, &returned)?;
    for tensor in &dirty {
        tensor.storage.written("a custom function that calls mark_dirty");
    }
    if !context.is_recorded() {
        let each = |(value, tensor): (Any, Option<T>)| match tensor {
            // Without a history even if `forward` recorded one, and no second name for an argument.
            Some(tensor) if !has(&dirty, &tensor) && given(&tensor) => Tensor::detached(&tensor).into(),
            _ => value,
        };
        return Ok(results.into_iter().zip(returned).map(each).collect());
    }
    let node: Ref<Node> = context.clone().upcast();
    node.count_again();
    engine::trace(&node)?;
    let mut looks = SmallVec::with_capacity(results.len());
    let mut out = Results::with_capacity(results.len());
    for (number, (value, tensor)) in results.into_iter().zip(&returned).enumerate() {
        let Some(tensor) = tensor else {
            looks.push(None);
            out.push(value);
            continue;
        };
        looks.push(Some((tensor.shape().into(), tensor.dtype())));
        let output = u32::try_from(number)?;
        if has(&fixed, tensor) || !tensor.dtype().is_float() {
            out.push(if given(tensor) && !has(&dirty, tensor) {
                Tensor::detached(tensor).into()
            } else {
                value
            });
        } else if has(&dirty, tensor) {
            engine::rebase(tensor, node.clone(), output);
            out.push(value);
        } else {
            // What it was given, or made already, comes back as another tensor of the same memory.
            let again = given(tensor) || returned[..number].iter().flatten().any(|other| other.is(tensor));
            let result = if again {
                Tensor::detached(tensor)
            } else {
                tensor.clone()
            };
            engine::set_history(&result, node.clone(), output);
            out.push(result.into());
        }
    }
    let _ = context.results.set(looks);
    save(context, saves, &returned, &dirty)?;
    Ok(out)
}

/// What cannot be.
fn check(context: &FunctionNode, inputs: &[Option<T>], dirty: &[T], returned: &[Option<T>]) -> Result<()> {
    let name = &context.info.name;
    for tensor in dirty {
        if !inputs.iter().flatten().any(|other| other.is(tensor)) {
            return Err(Error::runtime_error(format!(
                "{name}: mark_dirty was called with a tensor that is no argument of the function"
            )));
        }
        if !returned.iter().flatten().any(|result| result.is(tensor)) {
            return Err(Error::runtime_error(format!(
                "{name}: Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified \
                 inplace must all be outputs of the Function."
            )));
        }
        // Whether it may be written to is asked as where it was called.
        if context.is_recorded() {
            engine::recording(true, || engine::check_in_place(tensor))?;
        }
    }
    Ok(())
}

/// Puts away what `save_for_backward` was given: arguments as they are, results so that the node does not own them.
fn save(
    context: &Ref<FunctionNode>,
    saves: Vec<Option<T>>,
    returned: &[Option<T>],
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
        let is_it = |result: &Option<T>| result.as_ref().is_some_and(|result| result.is(&tensor));
        let ours = tensor
            .grad_fn
            .with(|made| made.as_ref().is_some_and(|made| made.is(context)));
        let number = returned
            .iter()
            .position(is_it)
            .filter(|_| ours || has(dirty, &tensor));
        all.push(match number {
            Some(number) => {
                engine::save_result(Tensor::detached(&tensor), u32::try_from(number)?, Some(&tensor))?
            }
            None => engine::save_input(&tensor)?,
        });
    }
    context.node.keep(all);
    Ok(())
}
