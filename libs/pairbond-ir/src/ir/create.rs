//! Making operations.

use std::collections::BTreeMap;

use pairbond::Few;
use pairbond::prelude::*;
use pairbond::tree::{Children, Guarded, Links, Seed, TreeNode, plant};

use super::insertion::InsertionPoint;
use super::module::{self, MODULE};
use super::plain;
use super::traced::locate;
use super::use_list::Ends;
use super::{Block, Operation, Region, Value, uses, value};
use crate::attributes::{Attribute, dictionary, unknown};
use crate::context::{Context, current, current_location, same_context};
use crate::declared;
use crate::error;
use crate::types::Type;

/// What an operation is made of.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) name: &'a str,
    pub(crate) results: Few<Ref<Type>>,
    pub(crate) operands: Few<Ref<Value>>,
    pub(crate) attributes: Option<BTreeMap<String, Ref<Attribute>>>,
    pub(crate) successors: Vec<Ref<Block>>,
    pub(crate) regions: usize,
    pub(crate) location: Option<Ref<Attribute>>,
}

impl Parts<'_> {
    fn each_attribute(&self) -> impl Iterator<Item = &Ref<Attribute>> {
        self.attributes.iter().flat_map(BTreeMap::values)
    }

    /// All that is said to be of some context must be of one; without any it is that around, or the current one.
    pub(super) fn context(&self, around: Option<Ref<Context>>) -> Result<Ref<Context>> {
        let own = self.location.as_ref().map(|it| it.context().clone());
        let own = own.or_else(|| self.results.first().map(|it| it.context().clone()));
        let own = own.or_else(|| self.operands.first().map(|it| it.context()));
        let own = own.or_else(|| self.each_attribute().next().map(|it| it.context().clone()));
        own.or(around).map_or_else(current, Ok)
    }

    /// All but the operands.
    fn check(&self, context: &Ref<Context>) -> Result<()> {
        for r#type in &self.results {
            same_context(context, r#type.context(), "a result type")?;
        }
        for attribute in self.each_attribute().chain(&self.location) {
            same_context(context, attribute.context(), "an attribute")?;
        }
        if self.name.is_empty() || self.name.contains('\0') {
            return Err(error::ir("an operation needs a name"));
        }
        Ok(())
    }
}

/// What an operation is made of besides its values and regions, all of one context.
pub(crate) struct Bare {
    pub(crate) name: Str,
    pub(crate) properties: Option<Ref<Attribute>>,
    pub(crate) attributes: Option<Ref<Attribute>>,
    pub(crate) successors: Vec<Weak<Block>>,
    pub(crate) location: Ref<Attribute>,
}

impl Bare {
    fn operation(self, context: Ref<Context>) -> Operation {
        let parts = self;
        Operation {
            links: Links::new(),
            results: Children::new(),
            regions: Children::new(),
            context,
            name: parts.name,
            ends: Guarded::new(Ends::to(parts.successors)),
            about: Cell::new((parts.location, parts.attributes, parts.properties)),
        }
    }
}

/// A detached operation without operands, results and regions.
pub(crate) fn bare(context: Ref<Context>, parts: Bare) -> Ref<Operation> {
    match parts.name == *MODULE {
        true => module::of(parts.operation(context)),
        false => plain::of(parts.operation(context)),
    }
}

/// The same, to be planted.
pub(super) fn seed(context: Ref<Context>, parts: Bare) -> Seed<Operation> {
    match parts.name == *MODULE {
        true => module::seed(parts.operation(context)),
        false => plain::seed(parts.operation(context)),
    }
}

/// A dictionary that is not empty.
type Dictionary = Option<Ref<Attribute>>;

/// Attributes as two dictionaries: those that belong to what the operation is, and the others.
fn parted(
    context: &Ref<Context>,
    name: &str,
    all: BTreeMap<String, Ref<Attribute>>,
) -> Result<(Dictionary, Dictionary)> {
    let declared = declared::find(name);
    let is_inherent = |name: &str| declared.as_ref().is_some_and(|it| it.is_inherent(name));
    type Entries = Vec<(Box<str>, Ref<Attribute>)>;
    let entries = all.into_iter().map(|(name, it)| (Box::from(name), it));
    let (properties, attributes): (Entries, Entries) = entries.partition(|(name, _)| is_inherent(name));
    let if_any = |entries: Entries| match entries.is_empty() {
        true => Ok(None),
        false => dictionary(context, entries).map(Some),
    };
    Ok((if_any(properties)?, if_any(attributes)?))
}

/// A detached operation.
pub(crate) fn build(context: Ref<Context>, parts: Parts<'_>) -> Result<Ref<Operation>> {
    parts.check(&context)?;
    let here = || current_location().filter(|it| it.context().is(&context));
    let location = parts.location.or_else(here).unwrap_or_else(|| unknown(&context));
    let (properties, attributes) = match parts.attributes {
        Some(all) => parted(&context, parts.name, all)?,
        None => (None, None),
    };
    let parts_of_its_own = Bare {
        name: context.op_name(parts.name),
        properties,
        attributes,
        successors: parts.successors.iter().map(Ref::downgrade).collect(),
        location,
    };
    let made = bare(context, parts_of_its_own);
    for _ in 0..parts.regions {
        made.list(|it| &it.regions).push_owned(Region::detached())?;
    }
    let results: Few<_> = parts.results.into_iter().map(value::seed).collect();
    let list = made.list(|it| &it.results);
    let refused = plant(|planting| {
        let fits = |it: &Ref<Value>| it.with_type(planting, |it| it.context().is(&made.context));
        if !parts.operands.iter().all(fits) {
            // Dropped when the lock is given back.
            return Some(results);
        }
        uses::connect(planting, &made, parts.operands.iter().map(Some), || {
            made.downgrade()
        });
        results.into_iter().for_each(|it| planting.push(list, it));
        None
    })?;
    for operand in &parts.operands {
        match refused {
            Some(_) => operand.of_context(&made.context, "an operand")?,
            None => uses::tidy(operand),
        }
    }
    Ok(made)
}

/// The same, of the context of its parts, or that of where it is going to stand.
pub(crate) fn detached(parts: Parts<'_>, around: Option<Ref<Context>>) -> Result<Ref<Operation>> {
    let context = parts.context(around)?;
    build(context, parts)
}

/// An operation where an insertion point says.
pub(super) fn made(mut parts: Parts<'_>, ip: &Any) -> Result<Ref<Operation>> {
    locate(&mut parts, || None)?;
    let made = detached(parts, None)?;
    InsertionPoint::place(ip, &made)?;
    Ok(made)
}
