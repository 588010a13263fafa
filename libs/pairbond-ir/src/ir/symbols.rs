//! [`SymbolTable`]: operations by the name in their attribute `sym_name`.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Operation, erase, place, symbol_scope};
use crate::attributes::{Attribute, AttributeHead, string, symbol};
use crate::error;
use crate::room::{Gather, Grow, Room};
use crate::verify;

const NAME: &str = "sym_name";
const VISIBILITY: &str = "sym_visibility";

/// The symbols of an operation with one region of one block. It looks anew each time, so it knows
/// of all edits.
#[pairbond::object("pairbond_ir.SymbolTable", opaque)]
pub struct SymbolTable {
    op: Ref<Operation>,
}

/// The text of an attribute that is one.
pub(crate) fn text(attribute: &Attribute) -> Option<Str> {
    match attribute.head() {
        AttributeHead::String(bytes) => std::str::from_utf8(bytes).ok().map(Str::from),
        _ => None,
    }
}

/// What an operation has under a name, in its properties or beside them.
pub(crate) fn attribute_of(op: &Ref<Operation>, name: &str) -> Option<Ref<Attribute>> {
    op.attribute(name)
}

/// What a symbol is called; `None` if it is none.
fn name_attribute(op: &Ref<Operation>) -> Option<Ref<Attribute>> {
    attribute_of(op, NAME)
}

/// What a symbol is called.
pub(crate) fn name_of(op: &Ref<Operation>) -> Option<Str> {
    name_attribute(op).and_then(|it| text(&it))
}

/// Whether it is a symbol that others than those beside it may use.
fn is_seen_elsewhere(op: &Ref<Operation>) -> bool {
    let is_private = |it: &Ref<Attribute>| text(it).as_deref() == Some("private");
    name_attribute(op).is_some() && !attribute_of(op, VISIBILITY).is_some_and(|it| is_private(&it))
}

/// The operations with regions that stand in an operation's own.
fn directly_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    let regions = op.list(|it| &it.regions).to_vec();
    let blocks = regions.iter().flat_map(|it| it.list(|it| &it.blocks).to_vec());
    let inner = blocks.flat_map(|it| it.list(|it| &it.operations).to_vec());
    inner.filter(|it| !it.list(|it| &it.regions).is_empty()).gather()
}

impl SymbolTable {
    fn block(&self) -> Result<Ref<Block>> {
        let block = self.op.read(|| {
            let region = self.op.list(|it| &it.regions).first();
            region.and_then(|it| it.list(|it| &it.blocks).first())
        })?;
        block.ok_or_else(|| error::ir("the symbol table has no block"))
    }

    fn find(&self, name: &str) -> Result<Option<Ref<Operation>>> {
        let block = self.block()?;
        block.read(|| {
            let mut all = block.list(|it| &it.operations).iter();
            all.find(|it| name_of(it).is_some_and(|it| *it == *name))
        })
    }

    fn missing(name: &str) -> Error {
        Error::key_error(format!("Symbol '{name}' not in the symbol table."))
    }
}

#[pairbond::methods]
impl SymbolTable {
    /// The table of an operation, which has a region with a block.
    #[new]
    fn new(operation: Ref<Operation>) -> Result<Self> {
        let table = SymbolTable { op: operation };
        match table.op.list(|it| &it.regions).len() {
            1 => table.block().map(|_| table),
            _ => Err(Error::type_error("Operation is not a Symbol Table.")),
        }
    }

    fn __getitem__(&self, name: &str) -> Result<Ref<Operation>> {
        self.find(name)?.ok_or_else(|| SymbolTable::missing(name))
    }

    fn __contains__(&self, name: &str) -> Result<bool> {
        self.find(name).map(|it| it.is_some())
    }

    /// Erases a symbol.
    fn __delitem__(&self, name: &str) -> Result<()> {
        erase::operation(&self.__getitem__(name)?, false)
    }

    /// Erases an operation, which must be a symbol of this table.
    fn erase(&self, operation: Ref<Operation>) -> Result<()> {
        let name = name_of(&operation)
            .ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))?;
        match self.find(&name)? {
            Some(found) if found.is(&operation) => erase::operation(&operation, false),
            _ => Err(SymbolTable::missing(&name)),
        }
    }

    /// Puts a symbol to the end of the block, under another name if its own is taken. The name that
    /// it has now.
    fn insert(&self, operation: Ref<Operation>) -> Result<Ref<Attribute>> {
        let wanted = name_of(&operation)
            .ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))?;
        let block = self.block()?;
        let mut name = wanted.to_string();
        let mut number = 0;
        while self.find(&name)?.is_some_and(|it| !it.is(&operation)) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        if *name != *wanted {
            SymbolTable::set_symbol_name(operation.clone(), &name)?;
        }
        if !block.list(|it| &it.operations).contains(&operation) {
            place::at_end(&operation, &block)?;
        }
        SymbolTable::get_symbol_name(operation)
    }

    /// The attribute with the name of a symbol.
    #[classmethod]
    fn get_symbol_name(symbol: Ref<Operation>) -> Result<Ref<Attribute>> {
        let found = name_attribute(&symbol).filter(|it| text(it).is_some());
        found.ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))
    }

    /// Gives a symbol another name. Who refers to it is not changed.
    #[classmethod]
    fn set_symbol_name(symbol: Ref<Operation>, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(Error::value_error("a symbol needs a name"));
        }
        let value = string(symbol.context(), name.as_bytes());
        super::OpAttributeMap::of(symbol).set(NAME, value)
    }

    /// Who sees a symbol: an attribute that says "public", "private" or "nested".
    #[classmethod]
    fn get_visibility(symbol: Ref<Operation>) -> Result<Ref<Attribute>> {
        let found = attribute_of(&symbol, VISIBILITY);
        found.ok_or_else(|| Error::value_error("Expected operation to have a symbol visibility."))
    }

    /// Says who sees a symbol.
    #[classmethod]
    fn set_visibility(symbol: Ref<Operation>, visibility: &str) -> Result<()> {
        if !matches!(visibility, "public" | "private" | "nested") {
            return Err(Error::value_error(
                "Expected visibility to be 'public', 'private' or 'nested'",
            ));
        }
        let value = string(symbol.context(), visibility.as_bytes());
        super::OpAttributeMap::of(symbol).set(VISIBILITY, value)
    }

    /// Calls a function with each symbol table in an operation, inner ones first, and whether all
    /// uses of its symbols are in sight: those of a table that is no symbol or a private one are,
    /// and all if `all_sym_uses_visible`. An exception of the function is the cause of a
    /// `RuntimeError`.
    #[classmethod]
    fn walk_symbol_tables(
        from_op: Ref<Operation>,
        all_sym_uses_visible: bool,
        callback: Function,
    ) -> Result<()> {
        let mut waiting = vec![(from_op, all_sym_uses_visible, false)];
        while let Some((op, visible, entered)) = waiting.pop() {
            let is_table = verify::is_symbol_table(op.name());
            if entered {
                callback
                    .call(&[op.into(), visible.into()])
                    .map_err(error::of_callback)?;
                continue;
            }
            let visible = visible || !is_table || !is_seen_elsewhere(&op);
            let inner = directly_in(&op);
            if is_table {
                waiting.room().push((op, visible, true));
            }
            waiting.grow(inner.into_iter().rev().map(|it| (it, visible, false)));
        }
        Ok(())
    }

    /// Replaces references to a symbol by another name: those of `from_op` and its contents that
    /// are looked up where its own symbols are. Names in nested symbol tables are others, and stay;
    /// so does the name of the symbol itself.
    #[classmethod]
    fn replace_all_symbol_uses(old_symbol: &str, new_symbol: &str, from_op: Ref<Operation>) -> Result<()> {
        let new = symbol(from_op.context(), vec![new_symbol.into()]);
        for op in symbol_scope::operations_of_scope(&from_op, old_symbol) {
            let attributes = super::OpAttributeMap::of(op);
            for (name, value) in attributes.entries()? {
                let renamed = crate::attributes::renamed(&value, old_symbol, &new);
                if !renamed.is(&value) {
                    attributes.set(&name, renamed)?;
                }
            }
        }
        Ok(())
    }
}
