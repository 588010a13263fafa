//! Symbols that others than those in their table cannot see, and that no operation which stays
//! refers to.
//!
//! As MLIR does: what stays is found from the table that the pass runs on, table by table. A
//! table's own symbols are seen from outside unless it, or one around it, is hidden. A reference is
//! resolved where it stands (`ir/symbol_scope.rs`), and each table that its path passes stays as
//! well. Where an operation of an unknown kind may hide what a name means, all symbols of that name
//! around it stay.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::fast::{FastSet, object_address};
use crate::ir::symbol_scope::{Scope, find_in, is_table, references_of, resolve_in, scope_of};
use crate::ir::{Operation, edits};
use crate::room::{Gather, Room};

pub(super) struct SymbolDce;

impl Pass for SymbolDce {
    fn name(&self) -> &'static str {
        "symbol-dce"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let mut search = Search {
            root: op.clone(),
            is_root_hidden: Operation::parent_operation(op).is_none() || hides_symbols(op),
            waiting: Vec::new(),
            living: FastSet::default(),
            unsure: Vec::new(),
        };
        search.keep_alive(op.clone());
        while let Some(op) = search.waiting.pop() {
            search.visit_live(&op);
        }
        let dead = search
            .unsure
            .into_iter()
            .filter(|it| !search.living.contains(&object_address(it)));
        for symbol in dead {
            // Its parent may be gone already.
            if !symbol.is_erased() {
                edits::erase_all(&symbol)?;
            }
        }
        Ok(())
    }
}

struct Search {
    root: Ref<Operation>,
    is_root_hidden: bool,
    /// Operations that stay.
    waiting: Vec<Ref<Operation>>,
    living: FastSet<usize>,
    /// Symbols that go unless something refers to them.
    unsure: Vec<Ref<Operation>>,
}

impl Search {
    /// Whether the symbols in an operation cannot be seen from outside of the root.
    fn is_hidden(&self, op: &Ref<Operation>) -> bool {
        let around = std::iter::successors(Some(op.clone()), Operation::parent_operation);
        self.is_root_hidden
            || around
                .take_while(|it| !it.is(&self.root))
                .any(|it| is_table(&it) && hides_symbols(&it))
    }

    /// An operation that stays.
    fn visit_live(&mut self, op: &Ref<Operation>) {
        self.follow_references(op);
        let mut hidden = None;
        for region in op.list(|it| &it.regions).iter() {
            for block in region.list(|it| &it.blocks).iter() {
                for inner in block.list(|it| &it.operations).iter() {
                    let is_needless = has_visibility(&inner, "private")
                        || has_visibility(&inner, "nested")
                            && *hidden.get_or_insert_with(|| self.is_hidden(op));
                    if is_needless && edits::symbol_name(&inner).is_some() {
                        self.unsure.room().push(inner);
                    } else {
                        self.keep_alive(inner);
                    }
                }
            }
        }
    }

    fn keep_alive(&mut self, op: Ref<Operation>) {
        if self.living.room().insert(object_address(&op)) {
            self.waiting.room().push(op);
        }
    }

    fn follow_references(&mut self, op: &Ref<Operation>) {
        references_of(op, &mut |path| {
            // The attributes of a table are looked up in it by some operations, and beside it by
            // others: both stay.
            for from in [
                Some(op.clone()),
                is_table(op).then(|| Operation::parent_operation(op)).flatten(),
            ] {
                for found in from.iter().flat_map(|from| referenced_symbols(from, path)) {
                    self.keep_alive(found);
                }
            }
        });
    }
}

/// The target of a path, and the symbols it passes. Where that is not known, everything that it may
/// be.
fn referenced_symbols(from: &Ref<Operation>, path: &[Box<str>]) -> Vec<Ref<Operation>> {
    let Some(first) = path.first() else {
        return Vec::new();
    };
    match scope_of(from, first) {
        Scope::Table(table) => resolve_in(&table, path),
        Scope::None => Vec::new(),
        Scope::Unknown => {
            let around = std::iter::successors(Some(from.clone()), Operation::parent_operation);
            around
                .filter(|it| find_in(it, first).is_some())
                .flat_map(|it| resolve_in(&it, path))
                .gather()
        }
    }
}

/// Whether a table's symbols cannot be seen from outside of it.
fn hides_symbols(table: &Ref<Operation>) -> bool {
    edits::symbol_name(table).is_none() || has_visibility(table, "private")
}

/// Whether a symbol has that visibility.
fn has_visibility(op: &Ref<Operation>, visibility: &str) -> bool {
    let said = op.find_attribute("sym_visibility");
    said.and_then(|it| edits::text_of(&it))
        .is_some_and(|it| *it == *visibility)
}
