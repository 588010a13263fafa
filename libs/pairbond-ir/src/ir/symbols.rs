//! [`SymbolTable`]: operations by the name in their attribute `sym_name`.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Operation, erase, place, symbol_scope};
use crate::context::attributes::{Attribute, AttributeHead, string_attr, symbol_ref};
use crate::error;
use crate::op_definition::known;
use crate::room::{Gather, Grow, Room};

const NAME: &str = "sym_name";
const VISIBILITY: &str = "sym_visibility";

/// The symbols of an operation with one region of one block. It looks anew each time, so it knows
/// of all edits.
#[pairbond::object("pairbond_ir.SymbolTable", opaque)]
pub struct SymbolTable {
    op: Ref<Operation>,
}

/// The text of an attribute that is one.
pub(crate) fn string_value(attribute: &Attribute) -> Option<Str> {
    match attribute.head() {
        AttributeHead::String(bytes) => std::str::from_utf8(bytes).ok().map(Str::from),
        _ => None,
    }
}

/// Returns an operation's attribute under a name, from its properties or beside them.
pub(crate) fn attribute_of(op: &Ref<Operation>, name: &str) -> Option<Ref<Attribute>> {
    op.find_attribute(name)
}

/// Returns the attribute with a symbol's name; `None` if the operation is no symbol.
fn name_attribute(op: &Ref<Operation>) -> Option<Ref<Attribute>> {
    attribute_of(op, NAME)
}

/// Returns the name of a symbol.
pub(crate) fn name_of(op: &Ref<Operation>) -> Option<Str> {
    name_attribute(op).and_then(|it| string_value(&it))
}

/// Whether it is a symbol that others than those beside it may use.
fn is_seen_elsewhere(op: &Ref<Operation>) -> bool {
    let is_private = |it: &Ref<Attribute>| string_value(it).as_deref() == Some("private");
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
    fn symbol_block(&self) -> Result<Ref<Block>> {
        let block = self.op.read(|| {
            let region = self.op.list(|it| &it.regions).first();
            region.and_then(|it| it.list(|it| &it.blocks).first())
        })?;
        block.ok_or_else(|| error::ir_error("the symbol table has no block"))
    }

    fn find_symbol(&self, name: &str) -> Result<Option<Ref<Operation>>> {
        let block = self.symbol_block()?;
        block.read(|| {
            let mut all = block.list(|it| &it.operations).iter();
            all.find(|it| name_of(it).is_some_and(|it| *it == *name))
        })
    }

    fn missing_symbol_error(name: &str) -> Error {
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
            1 => table.symbol_block().map(|_| table),
            _ => Err(Error::type_error("Operation is not a Symbol Table.")),
        }
    }

    fn __getitem__(&self, name: &str) -> Result<Ref<Operation>> {
        self.find_symbol(name)?
            .ok_or_else(|| SymbolTable::missing_symbol_error(name))
    }

    fn __contains__(&self, name: &str) -> Result<bool> {
        self.find_symbol(name).map(|it| it.is_some())
    }

    /// Erases a symbol.
    fn __delitem__(&self, name: &str) -> Result<()> {
        erase::erase_operation(&self.__getitem__(name)?, false)
    }

    /// Erases an operation, which must be a symbol of this table.
    fn erase(&self, operation: Ref<Operation>) -> Result<()> {
        let name = name_of(&operation)
            .ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))?;
        match self.find_symbol(&name)? {
            Some(found) if found.is(&operation) => erase::erase_operation(&operation, false),
            _ => Err(SymbolTable::missing_symbol_error(&name)),
        }
    }

    /// Puts a symbol to the end of the block, under another name if its own is taken. The name that
    /// it has now.
    fn insert(&self, operation: Ref<Operation>) -> Result<Ref<Attribute>> {
        let wanted = name_of(&operation)
            .ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))?;
        let block = self.symbol_block()?;
        let mut name = wanted.to_string();
        let mut number = 0;
        while self.find_symbol(&name)?.is_some_and(|it| !it.is(&operation)) {
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
        let found = name_attribute(&symbol).filter(|it| string_value(it).is_some());
        found.ok_or_else(|| Error::value_error("Expected operation to have a symbol name."))
    }

    /// Gives a symbol another name. Who refers to it is not changed.
    #[classmethod]
    fn set_symbol_name(symbol: Ref<Operation>, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(Error::value_error("a symbol needs a name"));
        }
        let value = string_attr(symbol.context(), name.as_bytes());
        super::OpAttributeMap::for_operation(symbol).set_entry(NAME, value)
    }

    /// The visibility of a symbol: the attribute "public", "private" or "nested".
    #[classmethod]
    fn get_visibility(symbol: Ref<Operation>) -> Result<Ref<Attribute>> {
        let found = attribute_of(&symbol, VISIBILITY);
        found.ok_or_else(|| Error::value_error("Expected operation to have a symbol visibility."))
    }

    /// Sets the visibility of a symbol.
    #[classmethod]
    fn set_visibility(symbol: Ref<Operation>, visibility: &str) -> Result<()> {
        if !matches!(visibility, "public" | "private" | "nested") {
            return Err(Error::value_error(
                "Expected visibility to be 'public', 'private' or 'nested'",
            ));
        }
        let value = string_attr(symbol.context(), visibility.as_bytes());
        super::OpAttributeMap::for_operation(symbol).set_entry(VISIBILITY, value)
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
            let is_table = known::is_symbol_table(op.name());
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
        let new = symbol_ref(from_op.context(), vec![new_symbol.into()]);
        for op in symbol_scope::operations_of_scope(&from_op, old_symbol) {
            let attributes = super::OpAttributeMap::for_operation(op);
            for (name, value) in attributes.all_entries()? {
                let renamed = crate::context::attributes::rename_symbol_refs(&value, old_symbol, &new);
                if !renamed.is(&value) {
                    attributes.set_entry(&name, renamed)?;
                }
            }
        }
        Ok(())
    }
}
