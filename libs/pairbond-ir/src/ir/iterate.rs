//! Iterators over lists that may be edited meanwhile: see [`Cursor`].

use pairbond::New;
use pairbond::prelude::*;
use pairbond::tree::{Cursor, TreeNode};

use super::{Block, Operation, Region};

/// Over the operations of a block.
#[pairbond::object("pairbond_ir.OperationIterator", opaque)]
pub struct OperationIterator {
    block: Ref<Block>,
    cursor: Cursor<Operation>,
}

impl OperationIterator {
    pub(super) fn over_block(block: Ref<Block>) -> New<Self> {
        let cursor = Cursor::new();
        New(OperationIterator { block, cursor })
    }
}

#[pairbond::methods]
impl OperationIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Operation>>> {
        self.block.list(|it| &it.operations).advance(&self.cursor)
    }
}

/// Over the blocks of a region.
#[pairbond::object("pairbond_ir.BlockIterator", opaque)]
pub struct BlockIterator {
    region: Ref<Region>,
    cursor: Cursor<Block>,
}

impl BlockIterator {
    pub(super) fn over_region(region: Ref<Region>) -> New<Self> {
        let cursor = Cursor::new();
        New(BlockIterator { region, cursor })
    }
}

#[pairbond::methods]
impl BlockIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Block>>> {
        self.region.list(|it| &it.blocks).advance(&self.cursor)
    }
}
