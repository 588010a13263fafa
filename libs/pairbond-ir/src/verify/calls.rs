//! Verifying calls and references to functions: symbols, looked up when `verify` is at a symbol
//! table around them.

use pairbond::prelude::*;

use super::complaint::operation_error;
use super::dialects::{check_same_types, function_signature, operand_types, operation_results};
use crate::context::are_identical;
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::{Type, TypeHead};
use crate::ir::Operation;
use crate::ir::edits::{attribute, is_inside};
use crate::ir::symbol_scope::{Scope, certain_scope_of, find_in};
use crate::room::Gather;

/// Calls in an operation, the first of `all`, as far as it holds their symbol tables.
pub(super) fn check_calls(all: &[Ref<Operation>]) -> Result<()> {
    let Some(root) = all.first() else { return Ok(()) };
    super::check_each(all, |op| {
        let what = match &**op.name() {
            "func.call" => "callee",
            "func.constant" => "value",
            _ => return Ok(()),
        };
        let Some(name) = attribute(op, what).and_then(|it| flat_symbol_name(&it)) else {
            return Err(operation_error(
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
            .and_then(|it| function_signature(&it));
        let Some((inputs, outputs)) = signature else {
            return Err(operation_error(
                op,
                &format!("'{name}' does not reference a valid function"),
            ));
        };
        if what == "value" {
            return check_function_constant(op, &inputs, &outputs);
        }
        check_same_types(op, &operand_types(op), &inputs, "operand", "the function's input")?;
        let made: Vec<Ref<Type>> = operation_results(op).iter().map(|it| it.r#type()).gather();
        check_same_types(op, &made, &outputs, "result", "the function's result")
    })
}

fn check_function_constant(op: &Ref<Operation>, inputs: &[Ref<Type>], outputs: &[Ref<Type>]) -> Result<()> {
    let is_that = |it: &Ref<Type>| match it.head() {
        TypeHead::Function { inputs: count } => {
            let (first, rest) = it.types().split_at(*count);
            are_identical(first, inputs) && are_identical(rest, outputs)
        }
        _ => false,
    };
    match &operation_results(op)[..] {
        [result] if is_that(&result.r#type()) => Ok(()),
        _ => Err(operation_error(op, "reference to function with mismatched type")),
    }
}

/// `@name`
fn flat_symbol_name(of: &Ref<Attribute>) -> Option<String> {
    match of.head() {
        AttributeHead::SymbolRef(path) if path.len() == 1 => Some(path[0].to_string()),
        _ => None,
    }
}
