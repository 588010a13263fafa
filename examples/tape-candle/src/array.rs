//! [`Array`]: a tensor of candle with a history.

use candle_core::{Device, Tensor};
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{Meta, Root, Value, Variable, as_variable, require_grad, run_backward};

use crate::ops::add;

pub(crate) type A = Ref<Array>;

/// A tensor of candle, of float64, that knows how it was computed.
#[pairbond::object("tape_candle.Array", extends = Variable, opaque)]
pub(crate) struct Array {
    variable: Variable,
    #[untraced]
    pub(crate) tensor: Tensor,
    pub(crate) grad: Cell<Option<A>>,
}

/// What candle computed.
pub(crate) fn made(tensor: candle_core::Result<Tensor>) -> Result<A> {
    let tensor = tensor.map_err(|error| Error::runtime_error(error.to_string()))?;
    Ok(Ref::new(Array {
        variable: Variable::new::<Array>(),
        tensor,
        grad: Cell::new(None),
    }))
}

/// A leaf that requires a gradient.
pub(crate) fn leaf(tensor: candle_core::Result<Tensor>) -> Result<A> {
    let leaf = made(tensor)?;
    require_grad(&*leaf, true)?;
    Ok(leaf)
}

/// Runs backwards from one number.
pub(crate) fn backward(from: &A, create_graph: bool) -> Result<()> {
    let root = [Root::Value(as_variable(from).clone())];
    run_backward(&root, None, None, create_graph, None)
}

impl Value for Array {
    fn variable(&self) -> &Variable {
        &self.variable
    }

    fn grad(&self) -> &Cell<Option<A>> {
        &self.grad
    }

    fn meta(&self) -> Meta {
        let shape = self.tensor.dims().into();
        Meta { shape, kind: 0 }
    }

    fn full(number: f64, meta: &Meta, _: Option<&ErasedRef>) -> Result<A> {
        made(Tensor::full(number, &meta.shape[..], &Device::Cpu))
    }

    fn add(one: &A, other: &A) -> Result<A> {
        add(one, other)
    }

    fn detach(this: &A) -> Result<A> {
        made(Ok(this.tensor.clone()))
    }
}
