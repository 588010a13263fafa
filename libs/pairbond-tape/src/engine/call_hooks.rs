//! Calling what hangs on nodes and tensors. `before` and `after` get tuples in Python: the package
//! wraps the functions that users give.

use pairbond::prelude::*;

use crate::graph::{AccumulateGrad, Grads, Hooks, Node, T, Variable, dispatch};

/// A gradient, or nothing.
fn gradient(value: Any) -> Result<Option<T>> {
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
fn through(hooks: &Hooks, grad: T) -> Result<T> {
    let mut grad = grad;
    for hook in hooks.all() {
        if let Some(other) = gradient(hook.call(&[grad.clone().into()])?)? {
            check(&other, &grad)?;
            grad = other;
        }
    }
    Ok(grad)
}

fn check(new: &T, old: &T) -> Result<()> {
    if dispatch::is_like(old, new)? {
        return Ok(());
    }
    let (one, other) = (dispatch::meta(new)?, dispatch::meta(old)?);
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
            *grad = grad.take().map(|grad| through(&hooks.before, grad)).transpose()?;
        }
        return Ok(());
    }
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for (output, list) in hooks.tensors.get() {
        if let Some(grad) = grads.get_mut(output as usize) {
            *grad = grad.take().map(|grad| through(&list, grad)).transpose()?;
        }
    }
    for (output, tensor) in hooks.retaining.get() {
        if let (Some(tensor), Some(Some(grad))) = (tensor.upgrade(), grads.get(output as usize)) {
            AccumulateGrad::add_to(&tensor, grad)?;
        }
    }
    Ok(())
}

fn values(grads: &[Option<T>]) -> impl Iterator<Item = Any> + '_ {
    grads.iter().cloned().map(Any::from)
}

/// What the hook gives in place of the gradients.
fn replaced(result: Any, grads: &mut Grads) -> Result<()> {
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
        let new = gradient(new)?;
        if let (Some(new), Some(old)) = (&new, &*grad) {
            check(new, old)?;
        }
        *grad = new;
    }
    Ok(())
}

/// Calls the pre-hooks of a node: `hook(grad_outputs)`.
pub(super) fn before(node: &Node, grads: &mut Grads) -> Result<()> {
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.before.all() {
        let arguments: Vec<Any> = values(grads).collect();
        replaced(hook.call(&arguments)?, grads)?;
    }
    Ok(())
}

/// Calls the post-hooks of a node: `hook(grad_inputs, grad_outputs)`.
pub(super) fn after(node: &Node, given: &mut Grads, grads: &[Option<T>]) -> Result<()> {
    let Some(hooks) = node.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.after.all() {
        let count = Any::from(i64::try_from(given.len())?);
        let arguments: Vec<Any> = std::iter::once(count)
            .chain(values(given))
            .chain(values(grads))
            .collect();
        replaced(hook.call(&arguments)?, given)?;
    }
    Ok(())
}

/// Calls the hooks of a leaf that got its gradient: `hook(leaf)`. They return None.
pub(super) fn accumulated(leaf: &T) -> Result<()> {
    let Some(hooks) = leaf.hooks.get() else {
        return Ok(());
    };
    for hook in hooks.accumulated.all() {
        let given = gradient(hook.call(&[leaf.clone().into()])?)?;
        if given.is_some_and(|given| !given.is(leaf)) {
            return Err(Error::runtime_error(
                "Tensor post accumulate grad hooks should return None.",
            ));
        }
    }
    Ok(())
}
