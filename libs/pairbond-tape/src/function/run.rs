//! Running `backward`.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;
use smallvec::SmallVec;

use super::finish::Results;
use super::node::{FunctionNode, Look};
use crate::engine::{Given, Grads, Named, Node, record};
use crate::ops;
use crate::tensor::{T, Tensor, filled};

/// What a custom function makes of gradients.
pub(crate) fn derive(node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
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
    let arguments = context.results.with(|looks| {
        let mut arguments: SmallVec<[Any; 4]> = SmallVec::with_capacity(looks.len() + 1);
        arguments.push(node.clone().into());
        for (place, look) in looks.iter().enumerate() {
            let grad = grads.get(place).cloned().flatten();
            let zeros = || {
                look.as_ref()
                    .filter(|_| materialize)
                    .map(|(shape, dtype)| filled(0.0, shape, *dtype))
            };
            arguments.push(grad.or_else(zeros).into());
        }
        arguments
    });
    let given = match context.info.backward.get().call(&arguments)? {
        Any::None => Results::from_iter([Any::None]),
        one @ Any::Object(_) if one.downcast::<Tensor>().is_some() => Results::from_iter([one]),
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
    accept(context, given)
}

/// Looks at what `backward` gave.
fn accept(context: &FunctionNode, mut given: Results) -> Result<Grads> {
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
        (value, look) => match (value.downcast::<Tensor>(), look) {
            (Some(grad), Some(look)) => fit(name, place, grad, look).map(Some),
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
fn fit(name: &str, place: usize, grad: T, (shape, dtype): &Look) -> Result<T> {
    let fits = |grad: &[usize]| {
        grad.len() >= shape.len()
            && grad
                .iter()
                .rev()
                .zip(shape.iter().rev())
                .all(|(&grad, &own)| grad == own || own == 1)
    };
    if !fits(grad.shape()) {
        return Err(Error::runtime_error(format!(
            "Function {name} returned an invalid gradient at index {place} - got {:?} but expected shape compatible with {shape:?}",
            grad.shape()
        )));
    }
    ops::to_dtype(&ops::reduce_to(&grad, shape)?, *dtype)
}

/// The tensors again, with a derivative that is an error.
#[pairbond::function]
#[name("_delayed_error")]
pub(crate) fn delayed_error(message: String, tensor: T) -> Result<T> {
    let out = Tensor::detached(&tensor);
    let compute = |_: &Given<'_>, message: &String| -> Result<[Option<T>; 1]> {
        Err(Error::runtime_error(message.clone()))
    };
    let source = Tensor::detached(&tensor);
    crate::engine::require_grad(&source, true)?;
    crate::engine::recording(true, || {
        record("DelayedError", [&source], &[], message, out, compute)
    })
}
