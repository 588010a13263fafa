//! What functions are called and referred to: symbols, looked up as `verify` stands at a symbol table around them.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::about;
use super::dialects::{operand_types, results, same, signature};
use super::known;
use crate::attributes::{Attribute, AttributeHead};
use crate::context::identical;
use crate::ir::Operation;
use crate::ir::edits::{attribute, is_inside, symbol_name};
use crate::types::{Type, TypeHead};

/// Calls in an operation, the first of `all`, as far as it holds their symbol tables.
pub(super) fn check(all: &[Ref<Operation>]) -> Result<()> {
    let Some(root) = all.first() else { return Ok(()) };
    for op in all {
        let what = match &**op.name() {
            "func.call" => "callee",
            "func.constant" => "value",
            _ => continue,
        };
        let Some(name) = attribute(op, what).and_then(|it| flat(&it)) else {
            return Err(about(
                op,
                &format!("requires attribute '{what}', the name of a function"),
            ));
        };
        let found = match table_around(op) {
            // Who verifies a function alone is not asked what stands elsewhere.
            Table::At(table) if !is_inside(&table, root) => continue,
            Table::None => continue,
            Table::At(table) => named(&table, &name),
            Table::Unknown => None,
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
            constant(op, &inputs, &outputs)?;
            continue;
        }
        same(op, &operand_types(op), &inputs, "operand", "the function's input")?;
        let made: Vec<Ref<Type>> = results(op).iter().map(|it| it.r#type()).collect();
        same(op, &made, &outputs, "result", "the function's result")?;
    }
    Ok(())
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

/// Where symbols are looked up.
enum Table {
    At(Ref<Operation>),
    /// There may be one of which nobody knows, with other symbols.
    Unknown,
    None,
}

fn table_around(op: &Ref<Operation>) -> Table {
    for around in std::iter::successors(Operation::around(op), Operation::around) {
        match known::of(around.name()) {
            Some(known) if known.is_symbol_table => return Table::At(around),
            None if around.list(|it| &it.regions).len() == 1 => return Table::Unknown,
            _ => {}
        }
    }
    Table::None
}

fn named(table: &Ref<Operation>, name: &str) -> Option<Ref<Operation>> {
    let block = table
        .list(|it| &it.regions)
        .first()?
        .list(|it| &it.blocks)
        .first()?;
    let mut all = block.list(|it| &it.operations).iter();
    all.find(|it| symbol_name(it).is_some_and(|it| *it == *name))
}
