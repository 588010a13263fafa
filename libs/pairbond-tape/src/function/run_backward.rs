//! Running `backward`.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;
use smallvec::SmallVec;

use super::finish::Results;
use super::function_node::{FunctionNode, Look};
use crate::engine::set_rule;
use crate::graph::{Grads, Named, Node, Rule, T, Variable, dispatch, edge_of, require_grad_of};
use crate::mode::with_recording;

/// The rule of a [`FunctionNode`]: it calls `backward`.
pub(super) struct Backward;

impl Rule for Backward {
    fn name(&self, node: Borrow<'_, Node>) -> Str {
        let context: Option<Borrow<'_, FunctionNode>> = node.erase().downcast();
        context.map_or_else(Str::default, |context| context.get().info.name.clone())
    }

    fn is_custom(&self) -> bool {
        true
    }

    /// `backward` gets zeros, or None where the context says so.
    fn runs_without_gradients(&self) -> bool {
        true
    }

    fn compute_grads(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        function_grads(node, grads)
    }
}

/// Computes the gradients of a custom function.
fn function_grads(node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
    let Some(context) = node.as_borrow().erase().downcast::<FunctionNode>() else {
        return Err(Error::runtime_error(format!("{} has no derivative", node.name())));
    };
    let context = context.get();
    if !context.is_recorded() {
        return Err(Error::runtime_error(format!(
            "{} is not part of a graph: the function was applied while nothing was recorded",
            context.info.name
        )));
    }
    let materialize = context.materialize.load(Ordering::Acquire);
    let backend = context.backend.get();
    let arguments = context.results.with(|looks| {
        let mut arguments: SmallVec<[Any; 4]> = SmallVec::with_capacity(looks.len() + 1);
        arguments.push(node.clone().into());
        for (place, look) in looks.iter().enumerate() {
            let grad = grads.get(place).cloned().flatten();
            let wanted = look.as_ref().filter(|_| materialize && grad.is_none());
            let zeros = wanted.map(|(meta, operations)| (operations.full)(0.0, meta, backend.as_ref()));
            arguments.push(zeros.transpose()?.or(grad).into());
        }
        Result::<_>::Ok(arguments)
    })?;
    let given = match context.info.backward.get().call(&arguments)? {
        Any::None => Results::from_iter([Any::None]),
        one @ Any::Object(_) if one.downcast::<Variable>().is_some() => Results::from_iter([one]),
        several => match context.info.unpack.call(&[several])? {
            Any::None => {
                return Err(Error::runtime_error(format!(
                    "expected Variable or None: backward of {} returns a Tensor, None, or a tuple of these",
                    context.info.name
                )));
            }
            list => Results::from_vec(list.to::<Vec<Any>>()?),
        },
    };
    check_returned_grads(context, given)
}

/// Looks at what `backward` gave.
fn check_returned_grads(context: &FunctionNode, mut given: Results) -> Result<Grads> {
    let (name, wanted) = (&context.info.name, context.arguments.get());
    // More than there are arguments may be given if there is nothing in them.
    while given.len() > wanted.len() && given.last().is_some_and(Any::is_none) {
        given.pop();
    }
    if given.len() != wanted.len() {
        return Err(Error::runtime_error(format!(
            "function {name} returned an incorrect number of gradients (expected {}, got {})",
            wanted.len(),
            given.len()
        )));
    }
    let each = given.into_iter().zip(&wanted).enumerate();
    each.map(|(place, (value, (look, _)))| match (value, look) {
        (Any::None, _) => Ok(None),
        (value, look) => match (value.downcast::<Variable>(), look) {
            (Some(grad), Some(look)) => fit_input_grad(name, place, grad, look).map(Some),
            (Some(_), None) => Err(Error::runtime_error(format!(
                "function {name} returned a gradient different from None at position {}, but the corresponding forward input was not a \
                 Variable",
                place + 1
            ))),
            (None, _) => Err(Error::type_error(format!(
                "function {name} returned at position {} something that is neither a tensor nor None",
                place + 1
            ))),
        },
    })
    .collect()
}

/// A gradient in the shape of its argument.
fn fit_input_grad(name: &str, place: usize, grad: T, (wanted, operations): &Look) -> Result<T> {
    if let Some(fitting) = (operations.fit)(&grad, wanted)? {
        return Ok(fitting);
    }
    Err(Error::runtime_error(format!(
        "Function {name} returned an invalid gradient at index {place} - got {:?} but expected shape compatible with {:?}",
        dispatch::meta_of(&grad)?.shape,
        wanted.shape
    )))
}

/// A derivative that is an error.
struct DelayedError(String);

impl Rule for DelayedError {
    fn name(&self, _: Borrow<'_, Node>) -> Str {
        "DelayedError".into()
    }

    fn compute_grads(&self, _: &Ref<Node>, _: &Grads) -> Result<Grads> {
        Err(Error::runtime_error(self.0.clone()))
    }
}

/// The tensors again, with a derivative that is an error.
#[pairbond::function]
#[name("_delayed_error")]
pub fn delayed_error(message: String, tensor: T) -> Result<T> {
    let (source, out) = (dispatch::detach_value(&tensor)?, dispatch::detach_value(&tensor)?);
    require_grad_of(&source, true)?;
    with_recording(true, || {
        set_rule(&out, vec![edge_of(&source)], DelayedError(message))
    })?;
    Ok(out)
}
