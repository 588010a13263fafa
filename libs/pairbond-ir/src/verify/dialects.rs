//! Rules for operations that are known by name.

use std::collections::HashMap;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::{operation_error, operation_note};
use super::{branches, check_each, control, operation_regions, region_blocks, type_queries};
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::{Type, TypeHead};
use crate::fast::object_address;
use crate::ir::edits::attribute;
use crate::ir::read::all_or_unwind;
use crate::ir::{Block, Operation, Value, all_operands};
use crate::op_definition::known;
use crate::print;
use crate::room::{Gather, Room};

const INTEGERS: &[&str] = &[
    "addi",
    "subi",
    "muli",
    "divsi",
    "divui",
    "remsi",
    "remui",
    "ceildivsi",
    "ceildivui",
    "floordivsi",
    "andi",
    "ori",
    "xori",
    "shli",
    "shrsi",
    "shrui",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
];
const FLOATS: &[&str] = &[
    "addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf",
];

/// Checks one operation.
type Rule = fn(&Ref<Operation>) -> Result<()>;

/// The checks that hold for operations of one name.
pub(super) struct Rules {
    is_terminator: bool,
    is_symbol_table: bool,
    has_parents: bool,
    own: Option<Rule>,
}

impl Rules {
    /// Those of a name; `None` if nothing is checked.
    pub(super) fn from_name(name: &str) -> Option<Rules> {
        let known = known::from_name(name)?;
        let (is_terminator, is_symbol_table) = (known.is_terminator, known.is_symbol_table);
        let (has_parents, own) = (known::allowed_parents(name).is_some(), rule_for_name(name));
        let some = is_terminator || is_symbol_table || has_parents || own.is_some();
        some.then_some(Rules {
            is_terminator,
            is_symbol_table,
            has_parents,
            own,
        })
    }

    /// Checks one operation of that name, without the contents of its regions.
    pub(super) fn check_operation(&self, op: &Ref<Operation>) -> Result<()> {
        if self.is_terminator && Operation::block_of(op).is_some() && op.next_sibling().is_some() {
            return Err(operation_error(
                op,
                "must be the last operation in the parent block",
            ));
        }
        if self.has_parents {
            check_parent(op)?;
        }
        if self.is_symbol_table {
            unique_symbols(op)?;
        }
        self.own.map_or(Ok(()), |own| own(op))
    }
}

/// The checks that hold for operations of one name only.
fn rule_for_name(name: &str) -> Option<Rule> {
    Some(match name {
        "builtin.module" => check_module,
        "func.func" => check_function,
        "func.return" => function_return,
        "cf.br" | "llvm.br" => branches::check_br,
        "cf.cond_br" => branches::check_cond_br,
        "cf.switch" => branches::check_switch,
        "arith.constant" => check_constant,
        other => match other.strip_prefix("arith.") {
            None => other.strip_prefix("scf.").map(|_| control_flow)?,
            Some(rest) if INTEGERS.contains(&rest) => {
                |op| check_binary(op, type_queries::is_integer_like, "an integer")
            }
            Some(rest) if FLOATS.contains(&rest) => {
                |op| check_binary(op, type_queries::is_float_like, "a float")
            }
            _ => return None,
        },
    })
}

fn control_flow(op: &Ref<Operation>) -> Result<()> {
    control::check_scf(op, op.name().strip_prefix("scf.").unwrap_or_default())
}

pub(super) fn operation_results(op: &Ref<Operation>) -> Vec<Ref<Value>> {
    op.list(|it| &it.results).iter().gather()
}

pub(super) fn block_arguments(block: &Ref<Block>) -> Vec<Ref<Value>> {
    block.list(|it| &it.arguments).iter().gather()
}

fn check_parent(op: &Ref<Operation>) -> Result<()> {
    let Some(wanted) = known::allowed_parents(op.name()) else {
        return Ok(());
    };
    match Operation::parent_operation(op) {
        Some(around) if wanted.contains(&&**around.name()) => Ok(()),
        _ => Err(operation_error(
            op,
            &format!("expects parent op to be one of '{}'", wanted.join(", ")),
        )),
    }
}

fn check_module(op: &Ref<Operation>) -> Result<()> {
    let [region] = &operation_regions(op)[..] else {
        return Err(operation_error(op, "requires one region"));
    };
    let Some(block) = region_blocks(region).into_iter().next() else {
        return Err(operation_error(op, "requires a block in its region"));
    };
    if !block_arguments(&block).is_empty() {
        return Err(operation_error(op, "region should have no arguments"));
    }
    Ok(())
}

fn unique_symbols(op: &Ref<Operation>) -> Result<()> {
    let region = operation_regions(op).into_iter().next();
    let Some(block) = region.and_then(|it| region_blocks(&it).into_iter().next()) else {
        return Ok(());
    };
    let mut all = Vec::new();
    all_or_unwind(&block, |guard, found, first| {
        if known::from_name(found.get().name()).is_some_and(|it| it.is_symbol) {
            all.room().extend(guard.handle(found, first));
        }
    });
    let mut symbols = HashMap::new();
    check_each(&all, |it| {
        let Some(name) = attribute(it, "sym_name") else {
            return Ok(());
        };
        let Some(first) = symbols.room().insert(object_address(&name), it) else {
            return Ok(());
        };
        let what = format!("redefines the symbol {}", print::attribute_text(&name));
        Err(operation_error(it, &what).with_note(operation_note("see existing symbol definition", first)))
    })
}

pub(super) type Types = Vec<Ref<Type>>;

/// Its inputs and results.
pub(super) fn function_signature(op: &Ref<Operation>) -> Option<(Types, Types)> {
    let attribute = attribute(op, "function_type").filter(|it| *it.head() == AttributeHead::Type)?;
    let function = attribute.types().first()?;
    let TypeHead::Function { inputs } = *function.head() else {
        return None;
    };
    let (inputs, results) = function.types().split_at(inputs);
    Some((inputs.to_vec(), results.to_vec()))
}

fn check_function(op: &Ref<Operation>) -> Result<()> {
    let is_text = |it: &Ref<Attribute>| matches!(it.head(), AttributeHead::String(_));
    if !attribute(op, "sym_name").is_some_and(|it| is_text(&it)) {
        return Err(operation_error(op, "requires attribute 'sym_name'"));
    }
    let Some((inputs, _)) = function_signature(op) else {
        return Err(operation_error(
            op,
            "requires attribute 'function_type', a function type",
        ));
    };
    let [region] = &operation_regions(op)[..] else {
        return Err(operation_error(op, "requires one region"));
    };
    let Some(entry) = region_blocks(region).into_iter().next() else {
        let visibility = attribute(op, "sym_visibility").map(|it| print::attribute_text(&it));
        return match visibility.as_deref() {
            None | Some("\"public\"") => Err(operation_error(
                op,
                "symbol declaration cannot have public visibility",
            )),
            _ => Ok(()),
        };
    };
    let given: Vec<Ref<Type>> = block_arguments(&entry).iter().map(|it| it.r#type()).gather();
    check_same_types(
        op,
        &given,
        &inputs,
        "argument of the entry block",
        "the function's input",
    )
}

fn function_return(op: &Ref<Operation>) -> Result<()> {
    let Some((_, wanted)) = Operation::parent_operation(op).and_then(|it| function_signature(&it)) else {
        return Ok(());
    };
    check_same_types(
        op,
        &operand_types(op),
        &wanted,
        "operand",
        "the function's result",
    )
}

pub(super) fn operand_types(op: &Ref<Operation>) -> Vec<Ref<Type>> {
    all_operands(op).iter().flatten().map(|it| it.r#type()).gather()
}

/// Whether there are as many types as wanted, and each is the one wanted.
pub(super) fn check_same_types(
    op: &Ref<Operation>,
    given: &[Ref<Type>],
    wanted: &[Ref<Type>],
    what: &str,
    of: &str,
) -> Result<()> {
    if given.len() != wanted.len() {
        let (given, wanted) = (given.len(), wanted.len());
        return Err(operation_error(
            op,
            &format!("has {given} times {what}, but {wanted} times {of}"),
        ));
    }
    match given
        .iter()
        .zip(wanted)
        .position(|(given, wanted)| !given.is(wanted))
    {
        Some(place) => {
            let [given, wanted] = [&given[place], &wanted[place]].map(|it| print::type_text(it));
            Err(operation_error(
                op,
                &format!("type mismatch: {what} #{place} is {given}, {of} {wanted}"),
            ))
        }
        None => Ok(()),
    }
}

fn check_constant(op: &Ref<Operation>) -> Result<()> {
    let Some(value) = attribute(op, "value") else {
        return Err(operation_error(op, "requires attribute 'value'"));
    };
    let [result] = &operation_results(op)[..] else {
        return Err(operation_error(op, "requires one result"));
    };
    match value.type_of() {
        Some(found) if !found.is(&result.r#type()) => Err(operation_error(
            op,
            "requires 'value' and the result to have the same type",
        )),
        _ => Ok(()),
    }
}

/// Two operands and a result of the same type, which is of a kind.
fn check_binary(op: &Ref<Operation>, is_right: impl Fn(&Ref<Type>) -> bool, what: &str) -> Result<()> {
    let (operands, results) = (operand_types(op), operation_results(op));
    if results.len() != 1 {
        return Err(operation_error(op, "requires one result"));
    }
    if operands.len() != 2 {
        return Err(operation_error(
            op,
            &format!("expected 2 operands, but found {}", operands.len()),
        ));
    }
    if let Some(place) = operands.iter().position(|it| !is_right(it)) {
        let found = print::type_text(&operands[place]);
        return Err(operation_error(
            op,
            &format!("operand #{place} must be {what}, or a vector or tensor of such, but is {found}"),
        ));
    }
    // The result's type is inferred from the first operand.
    let right =
        results[0].r#type().is(&operands[0]) && type_queries::are_compatible(&operands[0], &operands[1]);
    match right {
        true => Ok(()),
        false => Err(operation_error(
            op,
            "requires the same type for all operands and results",
        )),
    }
}
