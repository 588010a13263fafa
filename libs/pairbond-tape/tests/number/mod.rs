//! A library of numbers, which has neither Python nor views.

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{
    Meta, Root, Save, Value, Variable, as_variable, downcast_value, record, require_grad, run_backward,
    run_gradients,
};

#[pairbond::object("numbers.Number", extends = Variable, opaque)]
pub(crate) struct Number {
    variable: Variable,
    pub(crate) value: f64,
    pub(crate) grad: Cell<Option<Ref<Number>>>,
}

pub(crate) fn new_number(value: f64) -> Ref<Number> {
    Ref::new(Number {
        variable: Variable::new::<Number>(),
        value,
        grad: Cell::new(None),
    })
}

pub(crate) fn new_leaf(value: f64) -> Ref<Number> {
    let leaf = new_number(value);
    require_grad(&*leaf, true).unwrap();
    leaf
}

pub(crate) fn scalar_meta() -> Meta {
    Meta {
        shape: [].as_slice().into(),
        kind: 0,
    }
}

impl Value for Number {
    fn variable(&self) -> &Variable {
        &self.variable
    }
    fn grad(&self) -> &Cell<Option<Ref<Number>>> {
        &self.grad
    }
    fn meta(&self) -> Meta {
        scalar_meta()
    }
    fn full(value: f64, _: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Number>> {
        Ok(new_number(value))
    }
    fn add(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
        let out = new_number(one.value + other.value);
        record("AddBackward", [one, other], &[], (), out, |given, ()| {
            Ok([Some(given.grad().clone()), Some(given.grad().clone())])
        })
    }
    fn detach(this: &Ref<Number>) -> Result<Ref<Number>> {
        Ok(new_number(this.value))
    }
    fn has_nan(&self) -> Result<bool> {
        Ok(self.value.is_nan())
    }
}

pub(crate) fn mul(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
    let (out, saves) = (
        new_number(one.value * other.value),
        [Save::For(0, other), Save::For(1, one)],
    );
    record("MulBackward", [one, other], &saves, (), out, |given, ()| {
        let times = |input| mul(given.grad(), &given.saved_for(input)?);
        Ok([given.when(0, || times(0))?, given.when(1, || times(1))?])
    })
}

pub(crate) fn gradient_root(of: &Ref<Number>) -> Root {
    Root::Value(as_variable(of).clone())
}

pub(crate) fn backward_from(of: &Ref<Number>) -> Result<()> {
    run_backward(&[gradient_root(of)], None, None, false, None)
}

pub(crate) fn gradient_by(of: &Ref<Number>, by: &Ref<Number>) -> Ref<Number> {
    let found = run_gradients(
        &[gradient_root(of)],
        &[gradient_root(by)],
        None,
        None,
        true,
        false,
    )
    .unwrap();
    downcast_value::<Number>(found[0].as_ref().unwrap())
        .unwrap()
        .clone()
}

pub(crate) fn grad_of(leaf: &Ref<Number>) -> f64 {
    leaf.grad.get().expect("a gradient").value
}
