//! Calling what hangs on nodes and tensors. `run_pre_hooks` and `run_post_hooks` get tuples in
//! Python: the package wraps the functions that users give.

use pairbond::prelude::*;

use crate::graph::{AccumulateGrad, Grads, Hooks, Node, T, Variable, dispatch};

/// A gradient, or nothing.
fn gradient_from_any(value: Any) -> Result<Option<T>> {
    match value {
        Any::None => Ok(None),
        value => value.downcast::<Variable>().map(Some).ok_or_else(|| {
            Error::type_error(
                "expected Variable: a hook returns a Tensor, or None to leave the gradient as it is",
            )
        }),
    }
}

/// Runs the hooks of one tensor.
fn run_tensor_hooks(hooks: &Hooks, grad: T) -> Result<T> {
    let mut grad = grad;
    for hook in hooks.snapshot() {
        if let Some(other) = gradient_from_any(hook.call(&[grad.clone().into()])?)? {
            check_hook_result(&other, &grad)?;
            grad = other;
        }
    }
    Ok(grad)
}

fn check_hook_result(new: &T, old: &T) -> Result<()> {
    if dispatch::is_like(old, new)? {
        return Ok(());
    }
    let (one, other) = (dispatch::meta_of(new)?, dispatch::meta_of(old)?);
    if one.shape != other.shape {
        return Err(Error::runtime_error(format!(
            "hook has changed the size of value: {:?} instead of {:?}",
            one.shape, other.shape
        )));
    }
    Err(Error::runtime_error(format!(
        "hook has changed the type of value (was {} got {})",
        dispatch::kind_name(old, &other),
        dispatch::kind_name(new, &one)
    )))
}

/// The hooks of the tensors that a node made, or of the leaf at which it is; and gradients that are
/// to be retained.
pub(super) fn of_tensors(node: &Ref<Node>, grads: &mut Grads) -> Result<()> {
    if let Some(leaf) = AccumulateGrad::from_node(node) {
        let hooks = leaf.variable().hooks.get();
        if let (Some(hooks), Some(grad)) = (hooks, grads.first_mut()) {
            *grad = grad
                .take()
                .map(|grad| run_tensor_hooks(&hooks.before, grad))
                .transpose()?;
        }
        return Ok(());
    }
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for (output, list) in hooks.tensors.get() {
        if let Some(grad) = grads.get_mut(output as usize) {
            *grad = grad
                .take()
                .map(|grad| run_tensor_hooks(&list, grad))
                .transpose()?;
        }
    }
    for (output, tensor) in hooks.retaining.get() {
        if let (Some(tensor), Some(Some(grad))) = (tensor.upgrade(), grads.get(output as usize)) {
            AccumulateGrad::add_to(&tensor, grad)?;
        }
    }
    Ok(())
}

fn grads_as_values(grads: &[Option<T>]) -> impl Iterator<Item = Any> + '_ {
    grads.iter().cloned().map(Any::from)
}

/// Replaces the gradients by those that the hook returned.
fn replace_grads(result: Any, grads: &mut Grads) -> Result<()> {
    let given = match result {
        Any::None => return Ok(()),
        several => several.to::<Vec<Any>>()?,
    };
    if given.len() != grads.len() {
        return Err(Error::runtime_error(format!(
            "hook has returned an incorrect number of values (got {}, but expected {})",
            given.len(),
            grads.len()
        )));
    }
    for (grad, new) in grads.iter_mut().zip(given) {
        let new = gradient_from_any(new)?;
        if let (Some(new), Some(old)) = (&new, &*grad) {
            check_hook_result(new, old)?;
        }
        *grad = new;
    }
    Ok(())
}

/// Calls the pre-hooks of a node: `hook(grad_outputs)`.
pub(super) fn run_pre_hooks(node: &Node, grads: &mut Grads) -> Result<()> {
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.before.snapshot() {
        let arguments: Vec<Any> = grads_as_values(grads).collect();
        replace_grads(hook.call(&arguments)?, grads)?;
    }
    Ok(())
}

/// Calls the post-hooks of a node: `hook(grad_inputs, grad_outputs)`.
pub(super) fn run_post_hooks(node: &Node, given: &mut Grads, grads: &[Option<T>]) -> Result<()> {
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.after.snapshot() {
        let count = Any::from(i64::try_from(given.len())?);
        let arguments: Vec<Any> = std::iter::once(count)
            .chain(grads_as_values(given))
            .chain(grads_as_values(grads))
            .collect();
        replace_grads(hook.call(&arguments)?, given)?;
    }
    Ok(())
}

/// Calls the hooks of a leaf that got its gradient: `hook(leaf)`. They return None.
pub(super) fn run_accumulate_hooks(leaf: &T) -> Result<()> {
    let Some(hooks) = leaf.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.accumulated.snapshot() {
        let given = gradient_from_any(hook.call(&[leaf.clone().into()])?)?;
        if given.is_some_and(|given| !given.is(leaf)) {
            return Err(Error::runtime_error(
                "Tensor post accumulate grad hooks should return None.",
            ));
        }
    }
    Ok(())
}
