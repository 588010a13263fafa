//! Resolving symbol references, by MLIR's rules of scope.
//!
//! # Rules
//! 1. A symbol belongs to the table that it stands in directly, and its name means something there
//!    only. A reference is looked up in the nearest table around it; that of a table itself, in it
//!    ([`scope_of`]).
//! 2. `@a::@b` is `@b` in the table that `@a` is ([`resolve_symbol_path`]).
//! 3. Names in a nested table are others, so whatever collects or renames references does not go
//!    into one ([`references_in`]).
//! 4. An operation of an unknown kind with one region may be a table. It is taken for one if it
//!    directly holds a symbol of the name in question: then it is not known what the name refers
//!    to. (MLIR takes each for one.)

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Operation;
use super::symbols::name_of;
use crate::context::attributes::{Attribute, AttributeHead};
use crate::op_definition::known;
use crate::room::{Grow, Room};

/// Where the names that an operation refers to are looked up.
pub(crate) enum Scope {
    /// In this table.
    Table(Ref<Operation>),
    /// Maybe in an operation of an unknown kind, maybe further out.
    Unknown,
    /// In none.
    None,
}

/// Whether an operation is known to be a symbol table.
pub(crate) fn is_table(op: &Ref<Operation>) -> bool {
    known::is_symbol_table(op.name())
}

/// Whether an operation is of an unknown kind, and may be a table.
fn may_be_table(op: &Ref<Operation>) -> bool {
    !known::is_known(op.name()) && op.list(|it| &it.regions).len() == 1
}

/// Whether an operation may be a table in which the name is another one.
fn may_hide(op: &Ref<Operation>, name: &str) -> bool {
    may_be_table(op) && find_in(op, name).is_some()
}

/// The symbol of that name which stands in an operation directly.
pub(crate) fn find_in(table: &Ref<Operation>, name: &str) -> Option<Ref<Operation>> {
    let region = table.list(|it| &it.regions).first()?;
    let block = region.list(|it| &it.blocks).first()?;
    let mut all = block.list(|it| &it.operations).iter();
    all.find(|it| name_of(it).is_some_and(|it| *it == *name))
}

/// Where a name that an operation refers to is looked up.
pub(crate) fn scope_of(from: &Ref<Operation>, name: &str) -> Scope {
    for around in std::iter::successors(Some(from.clone()), Operation::parent_operation) {
        if is_table(&around) {
            return Scope::Table(around);
        }
        if may_hide(&around, name) {
            return Scope::Unknown;
        }
    }
    Scope::None
}

/// The nearest table around an operation as MLIR's verifier takes it: where an operation of an
/// unknown kind with one region comes before, there is none.
pub(crate) fn certain_scope_of(from: &Ref<Operation>) -> Scope {
    for around in std::iter::successors(Operation::parent_operation(from), Operation::parent_operation) {
        if is_table(&around) {
            return Scope::Table(around);
        }
        if may_be_table(&around) {
            return Scope::Unknown;
        }
    }
    Scope::None
}

/// The symbols that a reference passes, from the first name on, as far as they exist; its last is
/// its target, if all are found.
pub(crate) fn resolve_symbol_path(from: &Ref<Operation>, path: &[Box<str>]) -> Vec<Ref<Operation>> {
    match path.first().map(|first| scope_of(from, first)) {
        Some(Scope::Table(table)) => resolve_in(&table, path),
        _ => Vec::new(),
    }
}

/// As [`resolve_symbol_path`], in that table.
pub(crate) fn resolve_in(table: &Ref<Operation>, path: &[Box<str>]) -> Vec<Ref<Operation>> {
    let (mut found, mut table) = (Vec::new(), table.clone());
    for name in path {
        let Some(next) = find_in(&table, name) else { break };
        table = next.clone();
        found.room().push(next);
    }
    found
}

/// Operations whose references to a name are looked up where those of `from` are: it and its
/// contents, without the contents of other tables. With `from` a table, those in it.
pub(crate) fn operations_of_scope(from: &Ref<Operation>, name: &str) -> Vec<Ref<Operation>> {
    let (mut found, mut waiting) = (Vec::new(), vec![from.clone()]);
    while let Some(op) = waiting.pop() {
        let is_another = !op.is(from) && is_table(&op) || may_hide(&op, name);
        if !is_another {
            for region in op.list(|it| &it.regions).iter() {
                for block in region.list(|it| &it.blocks).iter() {
                    waiting.grow(block.list(|it| &it.operations).iter());
                }
            }
        }
        found.room().push(op);
    }
    found
}

/// Calls `visit` with the path of each symbol reference in an attribute: in attributes and types
/// that it consists of, too.
pub(crate) fn references_in(attribute: &Attribute, visit: &mut dyn FnMut(&[Box<str>])) {
    if let AttributeHead::SymbolRef(path) = attribute.head() {
        visit(path);
    }
    crate::recursion::with_stack(|| {
        for inner in attribute.attributes() {
            references_in(inner, visit);
        }
        for inner in attribute.types() {
            references_in_type(inner, visit);
        }
    });
}

fn references_in_type(of: &crate::context::types::Type, visit: &mut dyn FnMut(&[Box<str>])) {
    crate::recursion::with_stack(|| {
        for inner in of.attributes() {
            references_in(inner, visit);
        }
        for inner in of.types() {
            references_in_type(inner, visit);
        }
    });
}

/// Calls `visit` with each symbol reference of an operation's own attributes.
pub(crate) fn references_of(op: &Ref<Operation>, visit: &mut dyn FnMut(&[Box<str>])) {
    for attributes in [op.attributes(), op.properties()].iter().flatten() {
        references_in(attributes, visit);
    }
}
