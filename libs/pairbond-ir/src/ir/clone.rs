//! Copies of operations with all that is in them.
//!
//! Originals are read some at a time, without handles ([`super::read`]), and then copied. The
//! numbers of the copies of values are known already when the originals are read, so that most
//! operands are read as the copies that they become ([`copies`](super::copies)).

use std::iter;

use pairbond::memory::{check_room, or_unwind};
use pairbond::prelude::*;
use pairbond::refs::Shares;
use pairbond::tree::{BatchInsert, DetachedNode, Found, List, TreeGuard, TreeNode, batch_insert, with_lock};

use super::copies::Copies;
use super::op_metadata::About;
use super::read::{has_regions, some_at_once};
use super::value_ids::Numbered;
use super::{Block, Operation, Region, Spot, Value, create, new_argument, uses, value};
use crate::context::Context;
use crate::context::attributes::Attribute;
use crate::context::types::Type;
use crate::error;
use crate::fast::{FastMap, object_address};
use crate::room::{Grow, Room};

/// Bytes that the tables of a copy have for each operation or value, while they grow.
const ROOM_FOR_EACH: usize = 128;

/// Copies by the address of the original; the originals are kept by the tree that is copied.
pub(super) struct Cloning {
    /// The originals of values, and the copies under their numbers.
    originals: Numbered,
    new: Copies,
    blocks: FastMap<usize, Ref<Block>>,
    /// The order that the caller wants.
    mapping: Option<Map<Any, Any>>,
    /// Values to map in the end, when nothing can fail any more.
    mapped: Vec<(Ref<Value>, Ref<Value>)>,
    again: Vec<Again>,
    read: Read,
    shared: Shared,
}

/// Objects that most copies refer to as well.
#[derive(Default)]
struct Shared {
    contexts: Shares<Ref<Context>>,
    names: Shares<Str>,
    types: Shares<Ref<Type>>,
    locations: Shares<Ref<Attribute>>,
    attributes: Shares<Ref<Attribute>>,
    properties: Shares<Ref<Attribute>>,
}

impl Shared {
    #[inline(always)]
    fn clone_metadata(&mut self, (location, attributes, properties): &About) -> About {
        let location = self.locations.clone_counted(location);
        let attributes = attributes.as_ref().map(|it| self.attributes.clone_counted(it));
        let properties = properties.as_ref().map(|it| self.properties.clone_counted(it));
        (location, attributes, properties)
    }
}

/// An operand that has to be resolved at the end.
#[derive(Clone)]
struct Again {
    original: Ref<Operation>,
    copy: Ref<Operation>,
    /// Whether it has regions.
    regions: bool,
    /// Whether it uses what may come behind it.
    late: bool,
}

/// Operations that were read and not copied yet. In lists of small items: moving a large one waits
/// for earlier writes.
#[derive(Default)]
struct Read {
    operations: Vec<Original>,
    /// The number of results of each, and what else is to be done.
    rest: Vec<(u32, More)>,
    /// The places of what their operands become, one operation's behind the other's, and where each
    /// one's end.
    operands: Vec<u32>,
    ends: Vec<usize>,
    /// Their copies, and the results of these.
    copies: Vec<DetachedNode<Operation>>,
    values: Vec<DetachedNode<Value>>,
    /// The types of their results, likewise, and how often each is used.
    types: Vec<Ref<Type>>,
    uses: Vec<u32>,
    /// The results, if the caller wants them.
    results: Vec<Ref<Value>>,
}

struct Original {
    context: Ref<Context>,
    name: Str,
    location: Ref<Attribute>,
    attributes: Option<Ref<Attribute>>,
    properties: Option<Ref<Attribute>>,
    spot: Spot,
}

/// The original, with whether it has regions and whether its edges come later; if one of them is
/// so.
type More = Option<(Ref<Operation>, bool, bool)>;

type Operations = Vec<Ref<Operation>>;
type Values = Vec<Ref<Value>>;

/// Copies of operations that stand nowhere, where some values become others, and what became of
/// other values: `(copies, new)`.
pub(crate) fn clone_operations(
    operations: &[Ref<Operation>],
    become_: &[(Ref<Value>, Ref<Value>)],
    asked: &[Ref<Value>],
) -> Result<(Operations, Values)> {
    let mut cloning = Cloning::new(None)?;
    for (from, to) in become_ {
        cloning.map_value(from, to);
    }
    cloning.new.be_careful();
    if !become_.is_empty() {
        cloning.originals.expect_again();
    }
    let copies = operations.iter().map(|it| cloning.clone_one(it));
    let copies = copies.collect::<Result<Vec<_>>>()?;
    cloning.connect_copies()?;
    let asked = asked.iter().map(|it| {
        cloning
            .mapped_value(object_address(it))
            .unwrap_or_else(|| it.clone())
    });
    let asked = asked.collect();
    Ok((copies, asked))
}

impl Cloning {
    pub(super) fn new(mapping: Option<Map<Any, Any>>) -> Result<Self> {
        let mut cloning = Cloning {
            originals: Numbered::default(),
            new: Copies::default(),
            blocks: FastMap::default(),
            mapping: None,
            mapped: Vec::new(),
            again: Vec::new(),
            read: Read::default(),
            shared: Shared::default(),
        };
        for (from, to) in mapping.iter().flat_map(Map::to_vec) {
            match (from.downcast::<Value>(), to.downcast::<Value>()) {
                (Some(from), Some(to)) => cloning.map_value(&from, &to),
                _ => return Err(Error::type_error("a mapping is from values to values")),
            }
        }
        if cloning.originals.len() > 0 {
            cloning.originals.expect_again();
        }
        if mapping.is_some() {
            cloning.new.be_careful();
        }
        cloning.mapping = mapping;
        Ok(cloning)
    }

    /// The copy, which stands nowhere.
    pub(super) fn clone_whole(mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        let root = self.clone_one(op)?;
        self.connect_copies()?;
        if !self.new.have_missed() {
            return Ok(root);
        }
        let mut again = Cloning::new(None)?;
        again.new.be_careful();
        again.clone_whole(op)
    }

    /// Connects the copies to their contents and operands.
    fn connect_copies(&mut self) -> Result<()> {
        // First all values, then uses of those that come later.
        let mut at = 0;
        while let Some(it) = self.again.get(at).cloned() {
            pairbond::check_signals()?;
            if it.regions {
                self.clone_regions(&it.original, &it.copy)?;
            }
            at += 1;
        }
        let mut again = std::mem::take(&mut self.again).into_iter();
        again.try_for_each(|it| match it.late {
            true => pairbond::check_signals().and_then(|()| self.connect_operands(&it.original, &it.copy)),
            false => Ok(()),
        })?;
        let Some(mapping) = &self.mapping else {
            return Ok(());
        };
        let mut mapped = self.mapped.drain(..);
        mapped.try_for_each(|(from, to)| mapping.insert(from.into(), to.into()).map(drop))
    }

    /// Returns the copy of a value.
    fn mapped_value(&mut self, address: usize) -> Option<Ref<Value>> {
        self.new.find_copy(self.originals.number_at(address)?)?.upgrade()
    }

    /// Lets what uses one value use another.
    fn map_value(&mut self, from: &Ref<Value>, to: &Ref<Value>) {
        with_lock(|guard| self.originals.assign_next(guard, guard.found(from)));
        self.new.set_replacement(to);
    }

    /// The copy of an argument.
    fn clone_argument(&mut self, from: &Ref<Value>, to: &Ref<Value>) -> Result<()> {
        if self.mapping.is_some() {
            self.mapped.room().push((from.clone(), to.clone()));
        }
        let uses = with_lock(|guard| {
            self.originals.assign_next(guard, guard.found(from));
            from.with_type_and_count(guard, |_, uses| uses)
        });
        self.new.add_copy(to, uses as u32);
        Ok(())
    }

    /// The copy of one operation, whose regions come later.
    fn clone_one(&mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        with_lock(|guard| self.read_operations(guard, iter::once(guard.found(op)), op));
        let copy = self.copy_read(None)?;
        copy.ok_or_else(|| error::ir_error("nothing was read"))
    }

    /// Reads operations of the tree of another: what their copies are made of.
    fn read_operations<'a>(
        &mut self,
        guard: &TreeGuard,
        all: impl Iterator<Item = Found<'a, Operation>>,
        by: &Ref<Operation>,
    ) {
        let (read, shared) = (&mut self.read, &mut self.shared);
        let originals = &mut self.originals;
        for found in all {
            let op = found.get();
            let results = guard.children(&op.results);
            // Made in its place: see [`Read`].
            read.operations.room().extend(iter::once_with(|| {
                let (location, attributes, properties) =
                    op.about.with_in(guard, |it| shared.clone_metadata(it));
                Original {
                    context: shared.contexts.clone_counted(op.context()),
                    name: shared.names.clone_counted(op.name()),
                    location,
                    attributes,
                    properties,
                    spot: op.about.small_in(guard),
                }
            }));
            let begin = read.operands.len();
            let late = op.ends.with_in(guard, |ends| {
                or_unwind(read.operands.try_reserve(ends.operands.as_slice().len()));
                let values = ends.operands.as_slice().iter().map(|it| it.value.as_ref());
                let places = values.map_while(|it| originals.of_weak(guard, it?));
                read.operands.grow(places);
                let all = read.operands.len() - begin == ends.operands.as_slice().len();
                !all || !ends.successors().is_empty()
            });
            if late {
                read.operands.truncate(begin);
            }
            read.ends.room().push(read.operands.len());
            let first = read.types.len();
            for value in results {
                value.get().with_type_and_count(guard, |it, uses| {
                    read.types.room().push(shared.types.clone_counted(it));
                    read.uses.room().push(uses as u32);
                });
                originals.assign_next(guard, value);
                if self.mapping.is_some() {
                    read.results.room().extend(guard.handle(value, by));
                }
            }
            let regions = has_regions(guard, op);
            // Under the lock no handle may be dropped: room comes first.
            read.rest.room();
            let more = (regions || late).then(|| guard.handle(found, by));
            let more = more.flatten().map(|it| (it, regions, late));
            read.rest.push(((read.types.len() - first) as u32, more));
        }
    }

    /// Makes the copies of the operations that were read, and puts them into a list; or returns the
    /// last, without one.
    fn copy_read(&mut self, list: Option<List<'_, Operation>>) -> Result<Option<Ref<Operation>>> {
        let mut read = std::mem::take(&mut self.read);
        check_room(read.types.len(), ROOM_FOR_EACH)?;
        read.values.try_reserve(read.types.len())?;
        read.copies.try_reserve(read.operations.len())?;
        let results = read.types.drain(..).zip(read.uses.drain(..));
        read.values.extend(results.map(|(r#type, uses)| {
            let mut value = value::detached_node(r#type);
            self.new.add_seed(&mut value, uses);
            value
        }));
        read.copies.extend(read.operations.drain(..).map(|it| {
            create::detached_node(
                it.context,
                it.name,
                (it.location, it.attributes, it.properties),
                it.spot,
            )
        }));
        let mut crowded = Vec::new();
        let last = batch_insert(|batch| self.batch_insert(batch, &mut read, list, &mut crowded))?;
        crowded
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|it| uses::prune_dead_uses(&it));
        read.operands.clear();
        read.ends.clear();
        if self.mapping.is_some() {
            for from in read.results.drain(..) {
                if let Some(to) = self.mapped_value(object_address(&from)) {
                    self.mapped.room().push((from, to));
                }
            }
        }
        self.read = read;
        Ok(last)
    }

    /// Puts copies into their places, with their results and operands.
    fn batch_insert(
        &mut self,
        batch: &mut BatchInsert<'_>,
        read: &mut Read,
        list: Option<List<'_, Operation>>,
        crowded: &mut Vec<Weak<Value>>,
    ) -> Option<Ref<Operation>> {
        let (mut begin, mut last) = (0, None);
        let mut values = read.values.drain(..);
        let copies = read.copies.drain(..).zip(read.rest.drain(..));
        for ((mut copy, (results, more)), end) in copies.zip(&read.ends) {
            for value in values.by_ref().take(results as usize) {
                batch.push_below(&copy, |it| &it.results, value);
            }
            let places = &read.operands[std::mem::replace(&mut begin, *end)..*end];
            uses::connect_copy(batch, &mut copy, &mut self.new, places, crowded);
            match (more, list) {
                (None, Some(list)) => batch.push(list, copy),
                (more, list) => {
                    let copy = batch.keep(copy);
                    if let Some(list) = list {
                        batch.push_root(list, &copy);
                    }
                    if let Some((original, regions, late)) = more {
                        let again = self.again.room();
                        let copy = copy.clone();
                        again.push(Again {
                            original,
                            copy,
                            regions,
                            late,
                        });
                    }
                    last = Some(copy);
                }
            }
        }
        last
    }

    fn clone_regions(&mut self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        for region in original.list(|it| &it.regions).to_vec() {
            let new = Region::new_detached();
            copy.list(|it| &it.regions).push(&new)?;
            for block in region.list(|it| &it.blocks).to_vec() {
                let to = Block::new_detached();
                new.list(|it| &it.blocks).push(&to)?;
                for it in block.list(|it| &it.arguments).iter() {
                    let made = new_argument(it.r#type(), value::location_of(&it));
                    self.clone_argument(&it, &made)?;
                    to.list(|it| &it.arguments).push_owned(made)?;
                }
                self.clone_block_operations(&block, &to)?;
                self.blocks.room().insert(object_address(&block), to);
            }
        }
        Ok(())
    }

    fn clone_block_operations(&mut self, block: &Ref<Block>, to: &Ref<Block>) -> Result<()> {
        let list = to.list(|it| &it.operations);
        let count = block.list(|it| &it.operations).len();
        check_room(count, ROOM_FOR_EACH)?;
        self.originals.reserve(count);
        self.new.reserve(count);
        let mut next = block.list(|it| &it.operations).first();
        while let Some(first) = next {
            pairbond::check_signals()?;
            next = some_at_once(&first, |guard, all| self.read_operations(guard, all, &first));
            self.copy_read(Some(list))?;
        }
        Ok(())
    }

    fn connect_operands(&mut self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        let mut addresses = Vec::new();
        uses::operand_addresses(original, &mut addresses);
        check_room(addresses.len(), 2 * size_of::<Ref<Value>>())?;
        let mut values = Vec::new();
        for (place, address) in addresses.iter().enumerate() {
            values.room().push(match self.mapped_value(*address) {
                Some(known) => known,
                None => uses::operand_at(original, place)?,
            });
        }
        uses::begin_operands(copy, &values);
        let successors = original.weak_successors();
        let successors = successors.iter().map(|weak| {
            let block = weak
                .upgrade()
                .ok_or_else(|| error::ir_error("a successor is gone"))?;
            Ok(self
                .blocks
                .get(&object_address(&block))
                .unwrap_or(&block)
                .downgrade())
        });
        let successors = successors.collect::<Result<Vec<_>>>()?;
        copy.ends.update(|ends| ends.go_to(successors));
        Ok(())
    }
}
