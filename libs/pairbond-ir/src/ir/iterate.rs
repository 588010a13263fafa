//! Iterators over lists that may be edited meanwhile. They go on from where the current one stands then, so what is put behind it is seen; if it is gone from
//! the list, with the one that was next when it became the current one; if that is gone, too, they end. Before the first step they stand before all.

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::tree::{Children, TreeNode};

use super::{Block, Operation, Region};

/// The current one, and the one that was next when it became that; nothing before the first step.
type At<T> = Option<(Option<Ref<T>>, Option<Ref<T>>)>;

fn advance<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    at: &Cell<At<T>>,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Option<Ref<T>>> {
    parent.check()?;
    let list = parent.list(list);
    let step = match at.get() {
        Some((now, next)) => list.step(now.as_ref(), next.as_ref()),
        None => loop {
            let first = list.first();
            let step = list.step(None, first.as_ref());
            // Another thread may take the first one away between the two.
            if step.is_some() || first.is_none() {
                break step;
            }
        },
    };
    let (found, after) = step.map_or((None, None), |(found, after)| (Some(found), after));
    at.set(Some((found.clone(), after)));
    Ok(found)
}

/// Over the operations of a block.
#[pairbond::object("pairbond_ir.OperationIterator", opaque)]
pub struct OperationIterator {
    block: Ref<Block>,
    at: Cell<At<Operation>>,
}

impl OperationIterator {
    pub(super) fn of(block: Ref<Block>) -> Ref<Self> {
        let at = Cell::new(None);
        Ref::new(OperationIterator { block, at })
    }
}

#[pairbond::methods]
impl OperationIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Operation>>> {
        advance(&self.block, &self.at, |it| &it.operations)
    }
}

/// Over the blocks of a region.
#[pairbond::object("pairbond_ir.BlockIterator", opaque)]
pub struct BlockIterator {
    region: Ref<Region>,
    at: Cell<At<Block>>,
}

impl BlockIterator {
    pub(super) fn of(region: Ref<Region>) -> Ref<Self> {
        let at = Cell::new(None);
        Ref::new(BlockIterator { region, at })
    }
}

#[pairbond::methods]
impl BlockIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Block>>> {
        advance(&self.region, &self.at, |it| &it.blocks)
    }
}
