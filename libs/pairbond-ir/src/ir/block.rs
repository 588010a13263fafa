//! [`Block`].

use pairbond::New;
use pairbond::prelude::*;
use pairbond::tree::{Children, Links, TreeNode};

use super::contexts::{self, At};
use super::uses;
use super::{
    BlockArgumentList, Operation, OperationIterator, OperationList, Region, Value, erase, flow,
    move_contents, new_argument, place,
};
use crate::context::attributes::{Attribute, Location, unknown_location};
use crate::context::types::Type;
use crate::context::{current_location, same_context};
use crate::error;

/// Arguments, and operations in order.
#[pairbond::object("pairbond_ir.Block", tree, opaque)]
pub struct Block {
    links: Links,
    pub(crate) arguments: Children<Value>,
    pub(crate) operations: Children<Operation>,
}

impl Block {
    /// Without arguments, operations and region.
    pub(crate) fn new_detached() -> Ref<Block> {
        Ref::new(Block {
            links: Links::new(),
            arguments: Children::new(),
            operations: Children::new(),
        })
    }

    /// The operation that it stands in.
    pub(crate) fn owner_of(this: &Ref<Block>) -> Option<Ref<Operation>> {
        Block::region_of(this)?.parent()?.downcast().ok()
    }

    /// The region that it stands in.
    #[must_use]
    pub fn region_of(this: &Ref<Block>) -> Option<Ref<Region>> {
        this.parent().and_then(|it| it.downcast().ok())
    }
}

/// A new block in no region, with arguments of these types, at a location for each, or that of the
/// innermost `with`, or none.
pub(super) fn with_arguments(
    types: Vec<Ref<Type>>,
    locations: Option<Vec<Ref<Location>>>,
) -> Result<Ref<Block>> {
    if let Some(given) = locations
        .as_ref()
        .map(Vec::len)
        .filter(|given| *given != types.len())
    {
        return Err(Error::value_error(format!(
            "Expected {} locations, got: {given}",
            types.len()
        )));
    }
    let block = Block::new_detached();
    let mut locations = locations.unwrap_or_default().into_iter();
    for r#type in types {
        add_argument(&block, r#type, locations.next().map(Ref::upcast))?;
    }
    Ok(block)
}

pub(super) fn add_argument(
    block: &Ref<Block>,
    r#type: Ref<Type>,
    location: Option<Ref<Attribute>>,
) -> Result<Ref<Value>> {
    let here = || current_location().filter(|it| it.context().is(r#type.context()));
    let location = location
        .or_else(here)
        .unwrap_or_else(|| unknown_location(r#type.context()));
    same_context(r#type.context(), location.context(), "a location")?;
    contexts::joins_block(block, r#type.context(), "an argument's type")?;
    let made = new_argument(r#type, location);
    block.list(|it| &it.arguments).push(&made)?;
    Ok(made)
}

#[pairbond::methods]
impl Block {
    /// A new first block of a region.
    #[classmethod]
    fn create_at_start(
        parent: Ref<Region>,
        arg_types: Option<Vec<Ref<Type>>>,
        arg_locs: Option<Vec<Ref<Location>>>,
    ) -> Result<Ref<Block>> {
        let block = with_arguments(arg_types.unwrap_or_default(), arg_locs)?;
        contexts::put_block(&parent, &block, At::Start)?;
        Ok(block)
    }

    /// A new block before this one.
    fn create_before(
        this: Borrow<'_, Self>,
        #[rest] arg_types: Vec<Ref<Type>>,
        arg_locs: Option<Vec<Ref<Location>>>,
    ) -> Result<Ref<Block>> {
        let (this, block) = (this.to_ref(), with_arguments(arg_types, arg_locs)?);
        contexts::put_block(&in_region(&this)?, &block, At::Before(&this))?;
        Ok(block)
    }

    /// A new block behind this one.
    fn create_after(
        this: Borrow<'_, Self>,
        #[rest] arg_types: Vec<Ref<Type>>,
        arg_locs: Option<Vec<Ref<Location>>>,
    ) -> Result<Ref<Block>> {
        let (this, block) = (this.to_ref(), with_arguments(arg_types, arg_locs)?);
        contexts::put_block(&in_region(&this)?, &block, At::After(&this))?;
        Ok(block)
    }

    /// Makes it the last block of a region.
    fn append_to(this: Borrow<'_, Self>, region: Ref<Region>) -> Result<()> {
        let this = this.to_ref();
        contexts::fits_region(&region, &this)?;
        this.detach()?;
        contexts::put_block(&region, &this, At::End)
    }

    #[getter]
    #[name("arguments")]
    fn its_arguments(this: Borrow<'_, Self>) -> New<BlockArgumentList> {
        BlockArgumentList::new_list(this.to_ref())
    }

    #[getter]
    fn operations(this: Borrow<'_, Self>) -> New<OperationList> {
        OperationList::new_list(this.to_ref())
    }

    /// The region that it stands in.
    #[getter]
    fn region(this: Borrow<'_, Self>) -> Option<Ref<Region>> {
        Block::region_of(&this.to_ref())
    }

    /// The operation that it stands in.
    #[getter]
    fn owner(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        Block::owner_of(&this.to_ref())
    }

    /// Another argument, the last.
    fn add_argument(
        this: Borrow<'_, Self>,
        r#type: Ref<Type>,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<Value>> {
        add_argument(&this.to_ref(), r#type, loc.map(Ref::upcast))
    }

    /// Erases an argument, which must have no uses.
    fn erase_argument(this: Borrow<'_, Self>, index: usize) -> Result<()> {
        let found = this.to_ref().list(|it| &it.arguments).get(index);
        let found = found.ok_or_else(|| Error::index_error("block argument index out of range"))?;
        if let Some((user, place)) = uses::uses_of(&found).first() {
            let user = user.name();
            return Err(error::ir_error(format!(
                "argument {index} is still used, as operand {place} of '{user}'"
            )));
        }
        found.erase()
    }

    /// Puts an operation to the end, from wherever it stands.
    fn append(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        place::at_end(&operation, &this.to_ref())
    }

    /// The blocks that its last operation may go on with.
    #[getter]
    fn successors(this: Borrow<'_, Self>) -> Vec<Ref<Block>> {
        flow::successor_blocks(&this.to_ref())
    }

    /// The blocks of its region whose last operations may go on with it, each once for each way.
    #[getter]
    fn predecessors(this: Borrow<'_, Self>) -> Vec<Ref<Block>> {
        flow::predecessor_blocks(&this.to_ref())
    }

    /// The last operation; None if there is none.
    #[getter]
    fn terminator(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        this.to_ref().list(|it| &it.operations).last()
    }

    /// Erases the block and its contents. It is refused while their results have other uses, unless
    /// `drop_uses`.
    fn erase(
        this: Borrow<'_, Self>,
        #[keyword]
        #[default(false)]
        drop_uses: bool,
    ) -> Result<()> {
        erase::erase_block(&this.to_ref(), drop_uses)
    }

    /// Moves the operations from one on to a new block behind this one, which is returned.
    fn split_before(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<Ref<Block>> {
        let this = this.to_ref();
        let operations = this.list(|it| &it.operations);
        if !operations.contains(&operation) {
            return Err(Error::value_error("the operation does not stand in this block"));
        }
        let block = Block::new_detached();
        contexts::put_block(&in_region(&this)?, &block, At::After(&this))?;
        let last = operations.last().unwrap_or_else(|| operation.clone());
        block.list(|it| &it.operations).splice(None, &operation, &last)?;
        Ok(block)
    }

    /// Moves the operations to the end of another block, replaces the arguments by values, and
    /// erases this block, which must have no predecessors.
    fn merge_into(
        this: Borrow<'_, Self>,
        other: Ref<Block>,
        arg_values: Option<Vec<Ref<Value>>>,
    ) -> Result<()> {
        move_contents::inline_block(
            &this.to_ref(),
            &other,
            None,
            &arg_values.unwrap_or_default(),
            &mut (),
        )
    }

    /// The same, before an operation.
    fn inline_before(
        this: Borrow<'_, Self>,
        operation: Ref<Operation>,
        arg_values: Option<Vec<Ref<Value>>>,
    ) -> Result<()> {
        let into = place::block_of(&operation)?;
        let values = arg_values.unwrap_or_default();
        move_contents::inline_block(&this.to_ref(), &into, Some(&operation), &values, &mut ())
    }

    fn __iter__(this: Borrow<'_, Self>) -> New<OperationIterator> {
        OperationIterator::over_block(this.to_ref())
    }
}

pub(crate) fn in_region(block: &Ref<Block>) -> Result<Ref<Region>> {
    Block::region_of(block).ok_or_else(|| Error::value_error("the block stands in no region"))
}
