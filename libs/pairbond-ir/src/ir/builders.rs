//! [`OpView`], the class of operations that are no modules, and the types that follow for results.

use pairbond::convert::Few;
use pairbond::prelude::*;

use super::{Operation, Value};
use crate::context::attributes::Attribute;
use crate::context::types::Type;

/// An operation as lists and builders return it; classes of declared operations extend it.
#[pairbond::object("pairbond_ir.OpView", extends = Operation, opaque, fast_getters)]
pub struct OpView {
    pub(super) base: Operation,
}

#[pairbond::methods]
impl OpView {
    /// The name of the operations of a declared class.
    #[classmethod]
    #[getter(OPERATION_NAME)]
    fn operation_name() -> Result<Str> {
        Err(Error::new(ErrorKind::Attribute, "the class is not declared"))
    }
}

/// An operation that is no module.
pub(super) fn new_operation(base: Operation) -> Ref<Operation> {
    Ref::new(OpView { base }).upcast()
}

/// Of Python: the types of results that follow from a name, operands and attributes
/// (`python/pairbond_ir/_inferring.py`).
const INFER: &str = "pairbond_ir.infer";

/// Returns the types of results that follow from the rest.
#[cold]
pub(super) fn infer_result_types(
    name: &str,
    operands: Option<&[Ref<Value>]>,
    attributes: Option<&std::collections::BTreeMap<Str, Ref<Attribute>>>,
) -> Result<Few<Ref<Type>>> {
    let operands: List<Value> = operands.unwrap_or_default().iter().cloned().collect();
    let named = Map::<Str, Attribute>::new();
    for (name, it) in attributes.into_iter().flatten() {
        named.insert(name.clone(), it.clone());
    }
    let found = pairbond::registry::get_function(INFER)?.call(&[
        Str::from(name).into(),
        operands.into(),
        named.into(),
    ])?;
    found.to::<Few<Ref<Type>>>()
}
