//! Making operations.

use std::collections::BTreeMap;

use pairbond::convert::Few;
use pairbond::memory::check_room;
use pairbond::prelude::*;
use pairbond::tree::{Children, DetachedNode, Guarded, Links, TreeNode, batch_insert};

use super::builders::{self, OpView};
use super::insertion::{self, InsertionPoint};
use super::module::{self, MODULE};
use super::op_metadata::About;
use super::traced::infer_location;
use super::use_list::Ends;
use super::{Block, Operation, Region, Spot, Value, contexts, uses, value};
use crate::context::attributes::{Attribute, dictionary_attr, sorted_dictionary, unknown_location};
use crate::context::types::Type;
use crate::context::{Context, current_location, implied_context, same_context};
use crate::op_definition::{self, known};

/// The parts of a new operation. Collections are taken from where they are: moving one waits for
/// writes that were made just now.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) name: &'a str,
    pub(crate) results: Option<&'a mut Few<Ref<Type>>>,
    pub(crate) operands: &'a [Ref<Value>],
    pub(crate) attributes: Option<&'a mut BTreeMap<Str, Ref<Attribute>>>,
    pub(crate) successors: &'a [Ref<Block>],
    pub(crate) regions: usize,
    pub(crate) location: Option<Ref<Attribute>>,
}

impl Parts<'_> {
    fn each_attribute(&self) -> impl Iterator<Item = &Ref<Attribute>> {
        self.attributes.iter().flat_map(|it| it.values())
    }

    fn result_types(&self) -> &[Ref<Type>] {
        self.results.as_deref().map_or(&[], |it| it)
    }

    /// All that is said to be of some context must be of one; without any it is that around, or the
    /// current one.
    pub(super) fn common_context(&self, around: Option<Ref<Context>>) -> Result<Ref<Context>> {
        if let Some(location) = &self.location {
            return Ok(location.context().clone());
        }
        let own = self.result_types().first().map(|it| it.context().clone());
        let own = own.or_else(|| self.operands.first().map(|it| it.context()));
        let own = own.or_else(|| self.each_attribute().next().map(|it| it.context().clone()));
        match (own, around) {
            (own, Some(around)) => Ok(own.unwrap_or(around)),
            (own, None) => implied_context(own, "what an operation is made of"),
        }
    }

    /// All but the operands.
    fn check_parts(&self, context: &Ref<Context>) -> Result<()> {
        for r#type in self.result_types() {
            same_context(context, r#type.context(), "a result type")?;
        }
        for attribute in self.each_attribute().chain(&self.location) {
            same_context(context, attribute.context(), "an attribute")?;
        }
        for block in self.successors {
            contexts::is_successor(context, block)?;
        }
        Ok(())
    }
}

/// The parts of an operation besides its values and regions, all of one context.
pub(crate) struct Bare {
    pub(crate) name: Str,
    pub(crate) properties: Option<Ref<Attribute>>,
    pub(crate) attributes: Option<Ref<Attribute>>,
    pub(crate) successors: Vec<Weak<Block>>,
    pub(crate) location: Ref<Attribute>,
    pub(crate) spot: Spot,
}

/// A detached operation without operands, results and regions.
pub(crate) fn bare_operation(context: Ref<Context>, parts: Bare) -> Ref<Operation> {
    let about = (parts.location, parts.attributes, parts.properties);
    let is_module = parts.name == *MODULE;
    let operation = new_operation(
        context,
        parts.name,
        Ends::to_successors(parts.successors),
        about,
        parts.spot,
    );
    match is_module {
        true => module::new_module(operation),
        false => builders::new_operation(operation),
    }
}

/// The same without successors, to be planted. A large value is built in place
/// ([`DetachedNode::uninit`]).
#[inline(always)]
pub(super) fn detached_node(
    context: Ref<Context>,
    name: Str,
    about: About,
    spot: Spot,
) -> DetachedNode<Operation> {
    if name == *MODULE {
        return module_seed(context, name, about, spot);
    }
    // Apart, so that each is kept in a variable of its own while there is made room.
    let (location, attributes, properties) = about;
    let room = DetachedNode::uninit();
    let about = (location, attributes, properties);
    let base = new_operation(context, name, Ends::default(), about, spot);
    room.init_in_place(OpView { base }).upcast()
}

#[cold]
#[inline(never)]
fn module_seed(context: Ref<Context>, name: Str, about: About, spot: Spot) -> DetachedNode<Operation> {
    module::module_node(new_operation(context, name, Ends::default(), about, spot))
}

#[inline(always)]
fn new_operation(context: Ref<Context>, name: Str, ends: Ends, about: About, spot: Spot) -> Operation {
    Operation {
        links: Links::new(),
        results: Children::new(),
        regions: Children::new(),
        context,
        name,
        ends: Guarded::new(ends),
        about: Guarded::beside(about, spot),
    }
}

/// A dictionary that is not empty.
type Dictionary = Option<Ref<Attribute>>;

/// Attributes as two dictionaries: those that belong to what the operation is, and the others.
fn split_attributes(
    context: &Ref<Context>,
    name: &str,
    all: BTreeMap<Str, Ref<Attribute>>,
) -> Result<(Dictionary, Dictionary)> {
    let declared = op_definition::find_definition(name);
    if declared.is_none() && !all.is_empty() {
        let made = sorted_dictionary(context, all.into_iter())?;
        return Ok((None, Some(made)));
    }
    let is_inherent = |name: &str| declared.as_ref().is_some_and(|it| it.is_inherent(name));
    type Entries = Vec<(Str, Ref<Attribute>)>;
    let (properties, attributes): (Entries, Entries) =
        all.into_iter().partition(|(name, _)| is_inherent(name));
    let if_any = |entries: Entries| match entries.is_empty() {
        true => Ok(None),
        false => dictionary_attr(context, entries).map(Some),
    };
    Ok((if_any(properties)?, if_any(attributes)?))
}

/// A detached operation.
pub(crate) fn build_operation(context: Ref<Context>, mut parts: Parts<'_>) -> Result<Ref<Operation>> {
    build_at(context, &mut parts, None, &mut false)
}

/// An operation, which stands at the end of a block if it can be put there without a second look;
/// whether it does is told.
///
/// A large value stays in place ([`detached_node`]), and the lock of trees is taken once for all of
/// it.
fn build_at(
    context: Ref<Context>,
    parts: &mut Parts<'_>,
    block: Option<&Ref<Block>>,
    stands: &mut bool,
) -> Result<Ref<Operation>> {
    parts.check_parts(&context)?;
    let here = || current_location().filter(|it| it.context().is(&context));
    let location = parts.location.take().or_else(here);
    let location = location.unwrap_or_else(|| unknown_location(&context));
    let (properties, attributes) = match parts.attributes.take() {
        Some(all) => split_attributes(&context, parts.name, std::mem::take(all))?,
        None => (None, None),
    };
    let name = context.op_name(parts.name)?;
    let made = detached_node(context, name, (location, attributes, properties), Spot::default());
    let (mut regions, mut results) = (Few::default(), Few::default());
    if parts.regions > 0 {
        // With what objects have besides.
        const EACH: usize = size_of::<Region>() + size_of::<DetachedNode<Region>>() + 64;
        if parts.regions > 1000 {
            check_room(parts.regions, EACH)?;
        }
        regions.extend((0..parts.regions).map(|_| Region::detached_node()));
    }
    if let Some(types) = &mut parts.results {
        results.extend(types.drain().map(value::detached_node));
    }
    let list = block.map(|it| it.list(|it| &it.operations));
    let mut fits = true;
    let made = batch_insert(|batch| {
        let mut made = made;
        let fits_in = |it: &Ref<Value>| it.with_type(batch, |it| it.context().is(&made.context));
        fits = parts.operands.iter().all(fits_in);
        if fits && !parts.operands.is_empty() {
            let mut users = made.downgrade(parts.operands.len() as u32);
            let user = || users.take().expect("as many as operands");
            uses::connect_operands(batch, &made, parts.operands.iter().map(Some), user);
        }
        regions
            .drain()
            .for_each(|it| batch.push_below(&made, |it| &it.regions, it));
        results
            .drain()
            .for_each(|it| batch.push_below(&made, |it| &it.results, it));
        // Those that are there already are of the context of the parent.
        let same = |it: &Ref<Block>| {
            let last = batch.last(&it.operations);
            last.is_some_and(|last| {
                let last = last.get();
                // Behind a terminator is no place; most compute something, and so are none.
                let ends = || {
                    batch.children(&last.results).next().is_none() && known::may_be_terminator(last.name())
                };
                last.context.is(&made.context) && !ends()
            })
        };
        match list.filter(|_| fits && block.is_some_and(same)) {
            Some(list) => match batch.push_and_keep(list, made) {
                Ok(made) => {
                    *stands = true;
                    made
                }
                Err(made) => batch.keep(made),
            },
            None => batch.keep(made),
        }
    })?;
    for operand in parts.operands {
        match fits {
            false => operand.of_context(&made.context, "an operand")?,
            true => uses::prune_dead_uses(operand),
        }
    }
    if !parts.successors.is_empty() {
        let successors = parts.successors.iter().map(Ref::downgrade).collect();
        made.ends.update(|ends| ends.go_to(successors));
    }
    Ok(made)
}

/// The same, of the context of its parts, or that of where it is going to stand.
pub(crate) fn build_detached(parts: Parts<'_>, around: Option<Ref<Context>>) -> Result<Ref<Operation>> {
    let context = parts.common_context(around)?;
    build_operation(context, parts)
}

/// An operation where an insertion point says.
pub(super) fn create_at(parts: &mut Parts<'_>, ip: &Any) -> Result<Ref<Operation>> {
    infer_location(parts, || None)?;
    let context = parts.common_context(None)?;
    // Most go to the end of the block of the innermost `with`.
    let innermost = matches!(ip, Any::None)
        .then(insertion::innermost_insertion)
        .flatten();
    let block = innermost.as_ref().and_then(|it| it.whole_block());
    let mut stands = false;
    let made = build_at(context, parts, block, &mut stands)?;
    if !stands {
        InsertionPoint::place_at(ip, &made)?;
    }
    Ok(made)
}
