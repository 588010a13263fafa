//! Trees, and objects that several interpreters may see.

use pairbond::prelude::*;
use pairbond::tree::{Children, Links, TreeNode};

/// A block of operations.
#[pairbond::object("shop.Block", tree)]
pub(crate) struct Block {
    links: Links,
    ops: Children<Op>,
}

#[pairbond::methods]
impl Block {
    #[new]
    fn new() -> Self {
        Block {
            links: Links::new(),
            ops: Children::new(),
        }
    }

    /// Adds an operation at the end.
    fn push(this: Borrow<'_, Self>, op: Ref<Op>) -> Result<(), Error> {
        this.to_ref().list(|b| &b.ops).push(&op)
    }

    #[getter]
    fn ops(this: Borrow<'_, Self>) -> Vec<Ref<Op>> {
        this.to_ref().list(|b| &b.ops).iter().collect()
    }
}

/// An operation, which may have blocks.
#[pairbond::object("shop.Op", tree, name = Self::name)]
pub(crate) struct Op {
    links: Links,
    regions: Children<Block>,
    #[field]
    name: Str,
}

#[pairbond::methods]
impl Op {
    #[new]
    fn new(name: &str) -> Self {
        Op {
            links: Links::new(),
            regions: Children::new(),
            name: name.into(),
        }
    }

    /// Adds a block at the end.
    fn push(this: Borrow<'_, Self>, block: Ref<Block>) -> Result<(), Error> {
        this.to_ref().list(|o| &o.regions).push(&block)
    }

    #[getter]
    fn parent(this: Borrow<'_, Self>) -> Option<Ref<Block>> {
        this.to_ref().parent()?.downcast().ok()
    }

    fn erase(this: Borrow<'_, Self>) -> Result<(), Error> {
        this.to_ref().erase()
    }
}

impl Op {
    fn name(&self) -> Str {
        self.name.clone()
    }
}

/// Shareable: whatever is reached from here is Rust's.
#[pairbond::object("shop.Shelf")]
pub(crate) struct Shelf {
    #[field]
    items: List<Thing>,
    #[field(set)]
    above: Cell<Option<Ref<Shelf>>>,
}

#[pairbond::methods]
impl Shelf {
    #[new]
    fn new() -> Self {
        Shelf {
            items: List::new(),
            above: Cell::new(None),
        }
    }
}

/// Something on a shelf.
#[pairbond::object("shop.Thing")]
pub(crate) struct Thing {
    #[field]
    name: Str,
}

#[pairbond::methods]
impl Thing {
    #[new]
    fn new(name: &str) -> Self {
        Thing { name: name.into() }
    }
}
