//! Copies of operations with all that is in them.

use std::collections::HashMap;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Operation, Parts, Region, Value, argument, build, uses, value};
use crate::error;

/// What became of what, by address; those on the left are kept by the tree that is copied.
pub(super) struct Cloning {
    values: HashMap<usize, Ref<Value>>,
    blocks: HashMap<usize, Ref<Block>>,
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
        let mut values = HashMap::new();
        for (from, to) in mapping.iter().flat_map(Map::to_vec) {
            match (from.downcast::<Value>(), to.downcast::<Value>()) {
                (Some(from), Some(to)) => values.insert(address(&from), to),
                _ => return Err(Error::type_error("a mapping is from values to values")),
            };
        }
        Ok(Cloning {
            values,
            blocks: HashMap::new(),
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
        for (original, copy) in &self.copies {
            self.connect(original, copy)?;
        }
        Ok(())
    }

    fn shallow(&mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().collect();
        let parts = Parts {
            name: op.name().clone(),
            results: results.iter().map(|it| it.r#type()).collect(),
            location: Some(op.location.get()),
            ..Parts::default()
        };
        let copy = build(op.context(), parts)?;
        copy.attributes.set(op.attributes.get());
        copy.properties.set(op.properties.get());
        for (from, to) in results.iter().zip(copy.list(|it| &it.results).iter()) {
            self.value(from, to)?;
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
        for region in original.list(|it| &it.regions).iter() {
            let new = Region::detached();
            copy.list(|it| &it.regions).push(&new)?;
            for block in region.list(|it| &it.blocks).iter() {
                let to = Block::detached();
                new.list(|it| &it.blocks).push(&to)?;
                for it in block.list(|it| &it.arguments).iter() {
                    let made = argument(it.r#type(), value::location_of(&it));
                    to.list(|it| &it.arguments).push(&made)?;
                    self.value(&it, made)?;
                }
                for it in block.list(|it| &it.operations).iter() {
                    let made = self.shallow(&it)?;
                    to.list(|it| &it.operations).push(&made)?;
                }
                self.blocks.insert(address(&block), to);
            }
        }
        Ok(())
    }

    fn connect(&self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        let count = original.operands.with(Vec::len);
        let operands = (0..count).map(|place| {
            let value = uses::operand(original, place)?;
            Ok(self.values.get(&address(&value)).cloned().unwrap_or(value))
        });
        uses::begin(copy, &operands.collect::<Result<Vec<_>>>()?);
        let successors = original.successors.get();
        let successors = successors.iter().map(|weak| {
            let block = weak.upgrade().ok_or_else(|| error::ir("a successor is gone"))?;
            Ok(self.blocks.get(&address(&block)).unwrap_or(&block).downgrade())
        });
        copy.successors.set(successors.collect::<Result<Vec<_>>>()?);
        Ok(())
    }
}
