//! [`Region`].

use pairbond::New;
use pairbond::prelude::*;
use pairbond::tree::{Children, DetachedNode, Links, TreeNode};

use super::{Block, BlockIterator, BlockList, Operation, move_contents};

/// Blocks in order, below an operation.
#[pairbond::object("pairbond_ir.Region", tree, opaque)]
pub struct Region {
    links: Links,
    pub(crate) blocks: Children<Block>,
}

impl Region {
    /// The last region of an operation, without blocks.
    pub(crate) fn detached_in(op: &Ref<Operation>) -> Result<Ref<Region>> {
        let region = Region::new_detached();
        op.list(|it| &it.regions).push(&region)?;
        Ok(region)
    }

    /// Without blocks and operation.
    pub(crate) fn new_detached() -> Ref<Region> {
        Ref::new(Region::empty_region())
    }

    /// The same, to be planted.
    pub(super) fn detached_node() -> DetachedNode<Region> {
        DetachedNode::new(Region::empty_region())
    }

    fn empty_region() -> Region {
        Region {
            links: Links::new(),
            blocks: Children::new(),
        }
    }
}

#[pairbond::methods]
impl Region {
    #[getter]
    fn blocks(this: Borrow<'_, Self>) -> New<BlockList> {
        BlockList::new_list(this.to_ref())
    }

    /// The operation that it is a region of.
    #[getter]
    fn owner(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        this.to_ref().parent().and_then(|it| it.downcast().ok())
    }

    /// Moves the blocks before a block of another region. This region stays, without blocks.
    fn inline_before(this: Borrow<'_, Self>, block: Ref<Block>) -> Result<()> {
        let into = super::block::in_region(&block)?;
        move_contents::inline_region(&this.to_ref(), &into, Some(&block), &mut ())
    }

    /// Moves the blocks to the end of another region. This region stays, without blocks.
    fn append_to(this: Borrow<'_, Self>, region: Ref<Region>) -> Result<()> {
        move_contents::inline_region(&this.to_ref(), &region, None, &mut ())
    }

    /// Erases the blocks, and takes those of another region, which may be somewhere in them. It is
    /// refused while others use what would be erased.
    fn take_body(this: Borrow<'_, Self>, other: Ref<Region>) -> Result<()> {
        move_contents::take_body(&this.to_ref(), &other, &mut ())
    }

    fn __iter__(this: Borrow<'_, Self>) -> New<BlockIterator> {
        BlockIterator::over_region(this.to_ref())
    }
}
