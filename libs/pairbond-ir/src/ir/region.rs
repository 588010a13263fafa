//! [`Region`].

use pairbond::prelude::*;
use pairbond::tree::{Children, Links, TreeNode};

use super::{Block, BlockIterator, BlockList, Operation};

/// Blocks in order, below an operation.
#[pairbond::object("pairbond_ir.Region", tree, opaque)]
pub struct Region {
    links: Links,
    pub(crate) blocks: Children<Block>,
}

impl Region {
    /// The last region of an operation, without blocks.
    pub(crate) fn detached_in(op: &Ref<Operation>) -> Result<Ref<Region>> {
        let region = Region::detached();
        op.list(|it| &it.regions).push(&region)?;
        Ok(region)
    }

    /// Without blocks and operation.
    pub(crate) fn detached() -> Ref<Region> {
        Ref::new(Region {
            links: Links::new(),
            blocks: Children::new(),
        })
    }
}

#[pairbond::methods]
impl Region {
    #[getter]
    fn blocks(this: Borrow<'_, Self>) -> Ref<BlockList> {
        BlockList::of(this.to_ref())
    }

    /// The operation that it is a region of.
    #[getter]
    fn owner(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        this.to_ref().parent().and_then(|it| it.downcast().ok())
    }

    fn __iter__(this: Borrow<'_, Self>) -> Ref<BlockIterator> {
        BlockIterator::of(this.to_ref())
    }
}
