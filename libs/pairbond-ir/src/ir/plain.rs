//! Operations as Python makes them.

use pairbond::Few;
use pairbond::prelude::*;

use super::create::{Parts, made};
use super::{Block, Operation, Value};
use crate::attributes::{Attribute, Location};
use crate::context::Context;
use crate::diagnostics::reading;
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

#[pairbond::methods]
impl PlainOperation {
    /// A new operation, at `ip`: None is the insertion point of the innermost `with`, False is nowhere.
    #[classmethod]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn create(
        name: &str,
        mut results: Option<Few<Ref<Type>>>,
        operands: Option<Few<Ref<Value>>>,
        mut attributes: Option<std::collections::BTreeMap<String, Ref<Attribute>>>,
        successors: Option<Vec<Ref<Block>>>,
        #[default(0)] regions: usize,
        loc: Option<Ref<Location>>,
        ip: Option<Any>,
    ) -> Result<Ref<Operation>> {
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
        #[default("<text>")]
        source_name: &str,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<Operation>> {
        reading(context, |context| {
            parse::one_operation(context, &source, source_name)
        })
    }
}
