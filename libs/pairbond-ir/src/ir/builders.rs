//! Operations as Python makes them.

use pairbond::convert::Few;
use pairbond::prelude::*;

use super::create::{Parts, made};
use super::{Block, Operation, Value};
use crate::attributes::{Attribute, Location};
use crate::context::Context;
use crate::diagnostics::reading;
use crate::list_argument;
use crate::parse::{self, Text};
use crate::types::Type;

/// An operation.
#[pairbond::object("pairbond_ir.Operation", extends = Operation, opaque, fast_getters)]
pub struct PlainOperation {
    pub(super) base: Operation,
}

/// An operation that is no module.
pub(super) fn of(base: Operation) -> Ref<Operation> {
    Ref::new(PlainOperation { base }).upcast()
}

/// Of Python: the types of results that follow from a name, operands and attributes
/// (`python/pairbond_ir/_inferring.py`).
const INFER: &str = "pairbond_ir.infer";

#[cold]
fn inferred(
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

#[pairbond::methods]
impl PlainOperation {
    /// A new operation, at `ip`: None is the insertion point of the innermost `with`, False is
    /// nowhere. With `infer_type` the types of its results are those that follow from the rest,
    /// unless they are given.
    #[classmethod]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn create(
        name: &str,
        mut results: Option<Few<Ref<Type>>>,
        operands: Option<Few<Ref<Value>>>,
        attributes: Option<list_argument::BTreeMap<Str, Ref<Attribute>>>,
        successors: Option<Vec<Ref<Block>>>,
        #[default(0)] regions: usize,
        loc: Option<Ref<Location>>,
        ip: Option<Any>,
        #[default(false)] infer_type: bool,
    ) -> Result<Ref<Operation>> {
        let mut attributes = attributes.map(|it| it.for_operation(name)).transpose()?;
        if infer_type && results.is_none() {
            results = Some(inferred(name, operands.as_deref(), attributes.as_ref())?);
        }
        let mut parts = Parts {
            name,
            results: results.as_mut(),
            operands: operands.as_deref().unwrap_or_default(),
            attributes: attributes.as_mut(),
            successors: successors.as_deref().unwrap_or_default(),
            regions,
            location: loc.map(Ref::upcast),
        };
        made(&mut parts, &ip.unwrap_or(Any::None))
    }

    /// Reads one operation from its text.
    #[classmethod]
    #[name("parse")]
    #[detach]
    fn parse_text(
        source: Text<'_>,
        #[keyword]
        #[default("-")]
        source_name: &str,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<Operation>> {
        reading(context, "operation assembly", |context| {
            parse::one_operation(context, &source, source_name)
        })
    }
}
