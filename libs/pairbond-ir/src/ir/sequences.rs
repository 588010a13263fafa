//! The lists that Python sees. Each holds the node that it is a list of, and looks anew each time.

use pairbond::prelude::*;
use pairbond::tree::{Children, TreeNode, look};
use pairbond::{Few, New, Object};

use super::{
    Block, BlockIterator, Operation, OperationIterator, Region, Value, block, contexts, place as places, uses,
};
use crate::attributes::{Location, place};
use crate::types::Type;

fn at<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    index: i64,
    what: &str,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Ref<T>> {
    parent.read(|| {
        let all = parent.list(&list);
        let found = all.get(place(index, all.len(), what)?);
        found.ok_or_else(|| Error::index_error(format!("{what} index out of range")))
    })?
}

fn all<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Few<Ref<T>>> {
    parent.read(|| {
        look(|still| {
            let all = still.children(list(parent));
            all.filter_map(|it| still.handle(it, parent)).collect()
        })
    })
}

macro_rules! children {
    ($(#[$doc:meta])* $list:ident $key:literal $parent:ident $child:ident $field:ident $what:literal) => {
        $(#[$doc])*
        #[pairbond::object($key, opaque)]
        pub struct $list {
            of: Ref<$parent>,
        }

        impl $list {
            pub(super) fn of(of: Ref<$parent>) -> New<Self> {
                New($list { of })
            }

            fn len(&self) -> Result<usize> {
                self.of.read(|| self.of.list(|it| &it.$field).len())
            }

            fn at(&self, index: i64) -> Result<Ref<$child>> {
                at(&self.of, index, $what, |it| &it.$field)
            }
        }
    };
}

children! {
    /// The operations of a block.
    OperationList "pairbond_ir.OperationList" Block Operation operations "operation"
}
children! {
    /// The arguments of a block.
    BlockArgumentList "pairbond_ir.BlockArgumentList" Block Value arguments "block argument"
}
children! {
    /// The blocks of a region.
    BlockList "pairbond_ir.BlockList" Region Block blocks "block"
}
children! {
    /// The regions of an operation.
    RegionSequence "pairbond_ir.RegionSequence" Operation Region regions "region"
}
children! {
    /// The results of an operation.
    OpResultList "pairbond_ir.OpResultList" Operation Value results "result"
}

#[pairbond::methods]
impl OperationList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Operation>> {
        self.at(index)
    }

    fn __iter__(&self) -> New<OperationIterator> {
        OperationIterator::of(self.of.clone())
    }

    fn __contains__(&self, operation: Ref<Operation>) -> bool {
        self.of.list(|it| &it.operations).contains(&operation)
    }

    /// Puts an operation before the one at a place, or to the end.
    fn insert(&self, index: i64, operation: Ref<Operation>) -> Result<()> {
        let count = self.len()? as i64;
        let index = if index < 0 { (index + count).max(0) } else { index };
        match self.of.list(|it| &it.operations).get(index as usize) {
            Some(other) => places::before(&operation, &other),
            None => places::at_end(&operation, &self.of),
        }
    }

    fn append(&self, operation: Ref<Operation>) -> Result<()> {
        places::at_end(&operation, &self.of)
    }
}

#[pairbond::methods]
impl BlockArgumentList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &BlockArgumentList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Value>> {
        self.at(index)
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        all(&self.of, |it| &it.arguments)
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        let all = all(&self.of, |it| &it.arguments)?;
        Ok(all.iter().map(|it| it.r#type()).collect())
    }
}

#[pairbond::methods]
impl BlockList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Block>> {
        self.at(index)
    }

    fn __iter__(&self) -> New<BlockIterator> {
        BlockIterator::of(self.of.clone())
    }

    /// A new last block with arguments of these types, at a location for each, or that of the innermost `with`, or none.
    fn append(
        &self,
        #[rest] args: Vec<Ref<Type>>,
        arg_locs: Option<Vec<Ref<Location>>>,
    ) -> Result<Ref<Block>> {
        self.of.check()?;
        let block = block::with_arguments(args, arg_locs)?;
        contexts::put_block(&self.of, &block, contexts::At::End)?;
        Ok(block)
    }
}

#[pairbond::methods]
impl RegionSequence {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &RegionSequence) -> Result<Vec<Ref<Region>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Region>> {
        self.at(index)
    }

    fn __iter__(&self) -> Result<Few<Ref<Region>>> {
        all(&self.of, |it| &it.regions)
    }
}

#[pairbond::methods]
impl OpResultList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &OpResultList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Value>> {
        self.at(index)
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        all(&self.of, |it| &it.results)
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        let all = all(&self.of, |it| &it.results)?;
        Ok(all.iter().map(|it| it.r#type()).collect())
    }

    #[getter]
    fn owner(&self) -> Ref<Operation> {
        self.of.clone()
    }
}

/// The operands of an operation.
#[pairbond::object("pairbond_ir.OpOperandList", opaque)]
pub struct OpOperandList {
    of: Ref<Operation>,
}

impl OpOperandList {
    pub(super) fn of(of: Ref<Operation>) -> New<Self> {
        New(OpOperandList { of })
    }

    fn len(&self) -> Result<usize> {
        self.of.check()?;
        Ok(uses::count(&self.of))
    }
}

#[pairbond::methods]
impl OpOperandList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &OpOperandList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Value>> {
        uses::operand(&self.of, place(index, self.len()?, "operand")?)
    }

    fn __setitem__(&self, index: i64, value: Ref<Value>) -> Result<()> {
        uses::set(&self.of, place(index, self.len()?, "operand")?, &value)
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        (0..self.len()?)
            .map(|place| uses::operand(&self.of, place))
            .collect()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.__iter__()?.iter().map(|it| it.r#type()).collect())
    }
}

/// The blocks that a terminator may go to.
#[pairbond::object("pairbond_ir.OpSuccessors", opaque)]
pub struct OpSuccessors {
    of: Ref<Operation>,
}

impl OpSuccessors {
    pub(crate) fn of(of: Ref<Operation>) -> Ref<Self> {
        Ref::new(OpSuccessors { of })
    }

    /// Lets another block be a successor.
    pub(crate) fn set(&self, at: usize, block: &Ref<Block>) {
        let new = block.downgrade();
        let old = self.of.ends.update(|all| {
            all.successors_mut()
                .get_mut(at)
                .map(|it| std::mem::replace(it, new))
        });
        drop(old);
    }

    pub(crate) fn at(&self, at: usize) -> Result<Ref<Block>> {
        let weak = self.of.ends.with(|all| all.successors().get(at).cloned());
        let gone = || {
            Error::new(
                ErrorKind::Invalidated,
                format!("successor {at} of {} was erased", self.of.name()),
            )
        };
        let block = weak.and_then(|it| it.upgrade()).ok_or_else(gone)?;
        block.check()?;
        Ok(block)
    }
}

#[pairbond::methods]
impl OpSuccessors {
    fn __len__(&self) -> Result<usize> {
        self.of.check()?;
        Ok(self.of.successor_count())
    }

    fn __add__(&self, other: &OpSuccessors) -> Result<Vec<Ref<Block>>> {
        Ok([self.__iter__()?, other.__iter__()?].concat())
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Block>> {
        self.at(place(index, self.__len__()?, "successor")?)
    }

    fn __setitem__(&self, index: i64, block: Ref<Block>) -> Result<()> {
        let at = place(index, self.__len__()?, "successor")?;
        contexts::is_successor(self.of.context(), &block)?;
        self.set(at, &block);
        Ok(())
    }

    fn __iter__(&self) -> Result<Vec<Ref<Block>>> {
        (0..self.__len__()?).map(|at| self.at(at)).collect()
    }
}
