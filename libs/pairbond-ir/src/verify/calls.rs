//! What functions are called and referred to: symbols, looked up as `verify` stands at a symbol
//! table around them.

use pairbond::prelude::*;

use super::complaint::about;
use super::dialects::{operand_types, results, same, signature};
use crate::attributes::{Attribute, AttributeHead};
use crate::context::identical;
use crate::ir::Operation;
use crate::ir::edits::{attribute, is_inside};
use crate::ir::symbol_scope::{Scope, certain_scope_of, find_in};
use crate::room::Gather;
use crate::types::{Type, TypeHead};

/// Calls in an operation, the first of `all`, as far as it holds their symbol tables.
pub(super) fn check(all: &[Ref<Operation>]) -> Result<()> {
    let Some(root) = all.first() else { return Ok(()) };
    super::each(all, |op| {
        let what = match &**op.name() {
            "func.call" => "callee",
            "func.constant" => "value",
            _ => return Ok(()),
        };
        let Some(name) = attribute(op, what).and_then(|it| flat(&it)) else {
            return Err(about(
                op,
                &format!("requires attribute '{what}', the name of a function"),
            ));
        };
        let found = match certain_scope_of(op) {
            // Verifying a function alone does not ask what stands elsewhere.
            Scope::Table(table) if !is_inside(&table, root) => return Ok(()),
            Scope::None => return Ok(()),
            Scope::Table(table) => find_in(&table, &name),
            Scope::Unknown => None,
        };
        let signature = found
            .filter(|it| **it.name() == *"func.func")
            .and_then(|it| signature(&it));
        let Some((inputs, outputs)) = signature else {
            return Err(about(
                op,
                &format!("'{name}' does not reference a valid function"),
            ));
        };
        if what == "value" {
            return constant(op, &inputs, &outputs);
        }
        same(op, &operand_types(op), &inputs, "operand", "the function's input")?;
        let made: Vec<Ref<Type>> = results(op).iter().map(|it| it.r#type()).gather();
        same(op, &made, &outputs, "result", "the function's result")
    })
}

fn constant(op: &Ref<Operation>, inputs: &[Ref<Type>], outputs: &[Ref<Type>]) -> Result<()> {
    let is_that = |it: &Ref<Type>| match it.head() {
        TypeHead::Function { inputs: count } => {
            let (first, rest) = it.types().split_at(*count);
            identical(first, inputs) && identical(rest, outputs)
        }
        _ => false,
    };
    match &results(op)[..] {
        [result] if is_that(&result.r#type()) => Ok(()),
        _ => Err(about(op, "reference to function with mismatched type")),
    }
}

/// `@name`
fn flat(of: &Ref<Attribute>) -> Option<String> {
    match of.head() {
        AttributeHead::SymbolRef(path) if path.len() == 1 => Some(path[0].to_string()),
        _ => None,
    }
}
