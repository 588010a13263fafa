//! Copies of operations with all that is in them.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Bare, Block, Operation, Region, Value, argument, bare, result, uses, value};
use crate::error;
use crate::fast::FastMap;

/// What became of what, by address; those on the left are kept by the tree that is copied.
pub(super) struct Cloning {
    values: FastMap<usize, Ref<Value>>,
    blocks: FastMap<usize, Ref<Block>>,
    /// In which those who asked want to see it.
    mapping: Option<Map<Any, Any>>,
    copies: Vec<(Ref<Operation>, Ref<Operation>)>,
}

type Operations = Vec<Ref<Operation>>;
type Values = Vec<Ref<Value>>;

/// Copies of operations that stand nowhere, where some values become others, and what became of other values: `(copies, new)`.
pub(crate) fn several(
    operations: &[Ref<Operation>],
    become_: &[(Ref<Value>, Ref<Value>)],
    asked: &[Ref<Value>],
) -> Result<(Operations, Values)> {
    let mut cloning = Cloning::new(None)?;
    for (from, to) in become_ {
        cloning.value(from, to.clone())?;
    }
    let copies = operations.iter().map(|it| cloning.shallow(it));
    let copies = copies.collect::<Result<Vec<_>>>()?;
    cloning.finish()?;
    let new = |it: &Ref<Value>| cloning.values.get(&address(it)).unwrap_or(it).clone();
    let asked = asked.iter().map(new).collect();
    Ok((copies, asked))
}

fn address<T: pairbond::Object>(of: &Ref<T>) -> usize {
    std::ptr::from_ref(of.header()).addr()
}

impl Cloning {
    pub(super) fn new(mapping: Option<Map<Any, Any>>) -> Result<Self> {
        let mut values = FastMap::default();
        for (from, to) in mapping.iter().flat_map(Map::to_vec) {
            match (from.downcast::<Value>(), to.downcast::<Value>()) {
                (Some(from), Some(to)) => values.insert(address(&from), to),
                _ => return Err(Error::type_error("a mapping is from values to values")),
            };
        }
        Ok(Cloning {
            values,
            blocks: FastMap::default(),
            mapping,
            copies: Vec::new(),
        })
    }

    /// The copy, which stands nowhere.
    pub(super) fn all(mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        let root = self.shallow(op)?;
        self.finish()?;
        Ok(root)
    }

    /// What is in the copies, and what they use.
    fn finish(&mut self) -> Result<()> {
        // First all that there is, then who uses it, which may come before it.
        let mut at = 0;
        while at < self.copies.len() {
            let (original, copy) = self.copies[at].clone();
            self.regions(&original, &copy)?;
            at += 1;
        }
        let mut scratch = Default::default();
        for (original, copy) in &self.copies {
            self.connect(original, copy, &mut scratch)?;
        }
        Ok(())
    }

    fn shallow(&mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        let parts = Bare {
            name: op.name().clone(),
            properties: op.properties.get(),
            attributes: op.attributes.get(),
            successors: Vec::new(),
            location: op.location.get(),
        };
        let copy = bare(op.context(), parts);
        let list = copy.list(|it| &it.results);
        for from in op.list(|it| &it.results).to_vec() {
            let to = result(from.r#type());
            list.push(&to)?;
            self.value(&from, to)?;
        }
        self.copies.push((op.clone(), copy.clone()));
        Ok(copy)
    }

    fn value(&mut self, from: &Ref<Value>, to: Ref<Value>) -> Result<()> {
        if let Some(mapping) = &self.mapping {
            mapping.insert(from.clone().into(), to.clone().into())?;
        }
        self.values.insert(address(from), to);
        Ok(())
    }

    fn regions(&mut self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        for region in original.list(|it| &it.regions).to_vec() {
            let new = Region::detached();
            copy.list(|it| &it.regions).push(&new)?;
            for block in region.list(|it| &it.blocks).to_vec() {
                let to = Block::detached();
                new.list(|it| &it.blocks).push(&to)?;
                for it in block.list(|it| &it.arguments).iter() {
                    let made = argument(it.r#type(), value::location_of(&it));
                    to.list(|it| &it.arguments).push(&made)?;
                    self.value(&it, made)?;
                }
                let list = to.list(|it| &it.operations);
                for it in block.list(|it| &it.operations).to_vec() {
                    list.push(&self.shallow(&it)?)?;
                }
                self.blocks.insert(address(&block), to);
            }
        }
        Ok(())
    }

    /// `scratch` is only there to be used again.
    fn connect(
        &self,
        original: &Ref<Operation>,
        copy: &Ref<Operation>,
        scratch: &mut (Vec<usize>, Vec<Ref<Value>>),
    ) -> Result<()> {
        let (addresses, values) = scratch;
        uses::addresses(original, addresses);
        values.clear();
        for (place, address) in addresses.iter().enumerate() {
            values.push(match self.values.get(address) {
                Some(known) => known.clone(),
                None => uses::operand(original, place)?,
            });
        }
        uses::begin(copy, values);
        if original.successors.with(Vec::is_empty) {
            return Ok(());
        }
        let successors = original.successors.get();
        let successors = successors.iter().map(|weak| {
            let block = weak.upgrade().ok_or_else(|| error::ir("a successor is gone"))?;
            Ok(self.blocks.get(&address(&block)).unwrap_or(&block).downgrade())
        });
        copy.successors.set(successors.collect::<Result<Vec<_>>>()?);
        Ok(())
    }
}
