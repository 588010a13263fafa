//! The Python methods of a context.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;

use super::function_node::{FunctionInfo, FunctionNode};
use crate::engine::{freed_error, unpack_saved};
use crate::graph::{Node, T, Variable};

/// A tuple.
pub(crate) struct Items<I>(pub(crate) Vec<I>);

impl<I: pairbond::convert::IntoValue + Default> pairbond::convert::IntoValue for Items<I> {
    fn into_value<S: pairbond::convert::Sink>(mut self, out: S) -> Result<S::Out> {
        out.write_tuple(self.0.len(), &mut |index, slot| {
            std::mem::take(&mut self.0[index]).into_value(slot).map(drop)
        })
    }
}

#[pairbond::methods]
impl FunctionNode {
    #[new]
    fn new(info: Ref<FunctionInfo>) -> FunctionNode {
        FunctionNode::for_function(info)
    }

    /// Keeps tensors for `backward`, which finds them in `saved_tensors`. In `forward` or
    /// `setup_context`, once.
    fn save_for_backward(&self, #[rest] tensors: Vec<Any>) -> Result<()> {
        let each = |value: Any| {
            match value {
            Any::None => Ok(None),
            value => value.downcast::<Variable>().map(Some).ok_or_else(|| {
                Error::type_error(
                    "save_for_backward can only save variables, but argument is of another type: keep it as an attribute of ctx",
                )
            }),
        }
        };
        let tensors: Result<Vec<Option<T>>> = tensors.into_iter().map(each).collect();
        self.set_mark(tensors?, |(saves, ..)| saves);
        Ok(())
    }

    /// Says which arguments `forward` wrote to.
    fn mark_dirty(&self, #[rest] tensors: Vec<T>) {
        self.set_mark(tensors, |(_, dirty, _)| dirty);
    }

    /// Says which results have no derivative.
    fn mark_non_differentiable(&self, #[rest] tensors: Vec<T>) {
        self.set_mark(tensors, |(.., fixed)| fixed);
    }

    /// Says whether `backward` gets zeros for gradients that are not there, which it does at first,
    /// or None.
    fn set_materialize_grads(&self, value: bool) {
        self.materialize.store(value, Ordering::Release);
    }

    /// As `set_materialize_grads`.
    #[getter]
    fn materialize_grads(&self) -> bool {
        self.materialize.load(Ordering::Acquire)
    }

    /// Of each argument of `forward`, whether a derivative is wanted.
    #[getter]
    fn needs_input_grad(&self) -> Items<bool> {
        self.arguments
            .with(|all| Items(all.iter().map(|(_, wanted)| *wanted).collect()))
    }

    /// The arguments of `save_for_backward`: the inputs themselves.
    #[getter]
    fn saved_tensors(this: Borrow<'_, Self>) -> Result<Items<Option<T>>> {
        if this.node.is_released() {
            return Err(freed_error());
        }
        let node: Ref<Node> = this.to_ref().upcast();
        let mut place = 0;
        let mut each = |none: &bool| {
            if *none {
                return Ok(None);
            }
            place += 1;
            unpack_saved(&node, place - 1).map(Some)
        };
        let all: Result<Vec<Option<T>>> = this.saved_none.get().iter().map(&mut each).collect();
        all.map(Items)
    }

    /// The name and the `backward` that all contexts of a function share.
    #[getter(_info)]
    fn get_info(&self) -> Ref<FunctionInfo> {
        self.info.clone()
    }
}
