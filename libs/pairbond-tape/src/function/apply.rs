//! `apply`: makes the context, calls `forward`, and gives the results their history.

use std::sync::atomic::Ordering;

use pairbond::convert::{IntoValue, Sink};
use pairbond::prelude::*;
use smallvec::SmallVec;

use super::context_methods::Items;
use super::finish::{Results, finish_results};
use super::function_node::{FunctionInfo, FunctionNode, Look};
use crate::graph::{T, Variable, dispatch, edge_of};
use crate::mode::{Mode, is_grad_enabled};

/// The results of `forward`, with their history: one value, or a tuple.
pub(super) enum Applied {
    One(Any),
    Several(Items<Any>),
}

impl IntoValue for Applied {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out> {
        match self {
            Applied::One(value) => value.into_value(out),
            Applied::Several(values) => values.into_value(out),
        }
    }
}

#[pairbond::methods]
impl FunctionInfo {
    #[new]
    fn new(
        name: Str,
        contexts: Function,
        unpack: Function,
        forward: Function,
        #[required] setup: Option<Function>,
        backward: Function,
    ) -> Self {
        FunctionInfo {
            name,
            contexts,
            unpack,
            forward: Cell::new(forward),
            setup: Cell::new(setup),
            backward: Cell::new(backward),
        }
    }

    /// Computes, and records.
    fn __call__(this: Borrow<'_, Self>, #[rest] arguments: Vec<Any>) -> Result<Applied> {
        let made = this.contexts.call(&[this.to_ref().into()])?;
        let Some(context) = made.downcast::<FunctionNode>() else {
            return Err(Error::type_error("the context of a Function is a FunctionNode"));
        };
        let tensors: SmallVec<[Option<T>; 4]> = arguments.iter().map(Any::downcast::<Variable>).collect();
        record_inputs(&context, &tensors)?;
        let out = {
            let _mode = Mode::set(false);
            call_forward(this.get(), made, arguments)?
        };
        if matches!(out, Any::Foreign(_)) {
            let several = this.unpack.call(std::slice::from_ref(&out))?;
            if !several.is_none() {
                let results = finish_results(&context, &tensors, several.to::<Vec<Any>>()?.into())?;
                return Ok(Applied::Several(Items(results.into_vec())));
            }
        }
        let mut results = finish_results(&context, &tensors, Results::from_iter([out]))?;
        Ok(Applied::One(results.pop().unwrap_or_default()))
    }

    /// There is one for each `Function`.
    fn __copy__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    /// As `__copy__`.
    fn __deepcopy__(this: Borrow<'_, Self>, memo: Any) -> Borrow<'_, Self> {
        let _ = memo;
        this
    }
}

/// Describes a value, for a context.
pub(super) fn describe_input(value: &T) -> Result<Look> {
    Ok((dispatch::meta_of(value)?, value.operations))
}

/// Looks at the arguments.
fn record_inputs(context: &FunctionNode, tensors: &[Option<T>]) -> Result<()> {
    let wanted = |tensor: &Option<T>| tensor.as_ref().is_some_and(|tensor| tensor.requires_grad());
    let argument = |tensor: &Option<T>| {
        let look = tensor.as_ref().map(describe_input).transpose()?;
        Ok((look, wanted(tensor)))
    };
    let recorded = is_grad_enabled() && tensors.iter().any(wanted);
    context.recorded.store(recorded, Ordering::Release);
    let arguments: Result<_> = tensors.iter().map(argument).collect();
    context.arguments.set(arguments?);
    if recorded {
        let edges = tensors
            .iter()
            .map(|tensor| tensor.as_ref().map(edge_of).unwrap_or_default());
        context.node.next.set(edges.collect());
    }
    Ok(())
}

/// Calls `forward`. Without a `setup_context` it gets the context first.
fn call_forward(info: &FunctionInfo, context: Any, arguments: Vec<Any>) -> Result<Any> {
    let forward = info.forward.get();
    let Some(setup) = info.setup.get() else {
        let mut all: SmallVec<[Any; 4]> = SmallVec::with_capacity(arguments.len() + 1);
        all.push(context);
        all.extend(arguments);
        return forward.call(&all);
    };
    let out = forward.call(&arguments)?;
    let mut all: SmallVec<[Any; 4]> = SmallVec::with_capacity(arguments.len() + 2);
    all.extend([context, out.clone()]);
    all.extend(arguments);
    setup.call(&all)?;
    Ok(out)
}
