//! [`AsmState`]: names that are found once, for whatever is written of one tree.

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond::tree::TreeNode;

use super::names::{Held, Names, Numbering};
use super::{Flags, Writer};
use crate::context::types::Type;
use crate::fast::object_address;
use crate::ir::{Operation, Value};
use crate::op_definition::known;

/// Printed names of values and blocks: computed once, where others compute them anew each time.
/// Values made afterwards have no name, and erased ones keep theirs.
#[pairbond::object("pairbond_ir.AsmState", opaque)]
pub struct AsmState {
    #[untraced]
    pub(super) names: Names,
    /// The types of values, each once.
    types: Vec<Ref<Type>>,
    /// The values and blocks, so that no other takes their address. A state that is used at once
    /// holds none.
    held: Held,
}

#[pairbond::methods]
impl AsmState {
    /// The names of the contents of an operation, or of the surroundings of a value: of all its
    /// ancestors, or with `use_local_scope` of the innermost operation that uses nothing from
    /// outside. It keeps these values.
    #[new]
    fn new(op: Any, #[default(false)] use_local_scope: bool) -> Result<Self> {
        let how = Flags {
            local_scope: use_local_scope,
            ..Flags::default()
        };
        if let Some(op) = op.downcast::<Operation>() {
            return op.read(|| AsmState::for_root(op.clone().into_erased(), how, true));
        }
        let value = op.downcast::<Value>();
        let value = value.ok_or_else(|| Error::type_error("a state is of an operation, or of a value"))?;
        value.read(|| AsmState::for_root(numbering_scope(&value, how), how, true))
    }
}

impl AsmState {
    /// Those of the tree that a node belongs to, until it is edited.
    pub(super) fn for_tree_of<T: Object + Send + Sync>(node: &Ref<T>, how: Flags) -> Self
    where
        Ref<T>: TreeNode,
    {
        AsmState::for_root(node.root(), how, false)
    }

    /// Of an operation, a region or a block.
    fn for_root(root: ErasedRef, how: Flags, holding: bool) -> Self {
        let mut numbering = Numbering::new(how, holding);
        numbering.all_in(root);
        AsmState {
            names: numbering.names,
            types: numbering.types,
            held: numbering.held.unwrap_or_default(),
        }
    }

    /// The type of the value at an address, if it has a name here.
    pub(super) fn type_at(&self, address: usize) -> Option<&Ref<Type>> {
        Some(&self.types[self.names.type_at(address)?])
    }

    /// `%0`
    pub(crate) fn name_of(&self, value: &Ref<Value>) -> String {
        let mut out = Writer::default();
        self.names.write_name(object_address(value), &mut out);
        out.text
    }
}

/// `%0`
pub(crate) fn value_name(value: &Ref<Value>, how: Flags) -> String {
    AsmState::for_root(numbering_scope(value, how), how, false).name_of(value)
}

/// Where the numbers begin for a value: all that it stands in, or the innermost operation around it
/// that uses nothing from outside.
fn numbering_scope(value: &Ref<Value>, how: Flags) -> ErasedRef {
    if !how.local_scope {
        return value.root();
    }
    let block = Value::block_of(value).or_else(|| Operation::block_of(&Value::defining_op(value)?));
    let mut around = block.and_then(|it| Operation::around_block(&it));
    while let Some(op) = around {
        if known::is_isolated(op.name()) {
            return op.into_erased();
        }
        around = Operation::parent_operation(&op);
    }
    value.root()
}
