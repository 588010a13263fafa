//! Making operations.

use std::collections::BTreeMap;

use pairbond::Few;
use pairbond::prelude::*;
use pairbond::tree::{Children, Links, TreeNode};

use super::insertion::InsertionPoint;
use super::module::{self, MODULE};
use super::plain;
use super::use_list::Ends;
use super::{Block, Operation, Region, Value, result, uses};
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
    fn context(&self, around: Option<Ref<Context>>) -> Result<Ref<Context>> {
        let own = self.location.as_ref().map(|it| it.context().clone());
        let own = own.or_else(|| self.operands.first().map(|it| it.context()));
        let own = own.or_else(|| self.results.first().map(|it| it.context().clone()));
        let own = own.or_else(|| self.each_attribute().next().map(|it| it.context().clone()));
        own.or(around).map_or_else(current, Ok)
    }

    fn check(&self, context: &Ref<Context>) -> Result<()> {
        for operand in &self.operands {
            operand.of_context(context, "an operand")?;
        }
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

/// A detached operation without operands, results and regions.
pub(crate) fn bare(context: Ref<Context>, parts: Bare) -> Ref<Operation> {
    let is_module = parts.name == *MODULE;
    let operation = Operation {
        links: Links::new(),
        results: Children::new(),
        regions: Children::new(),
        context,
        name: parts.name,
        ends: Cell::new(Ends::to(parts.successors)),
        about: Cell::new((parts.location, parts.attributes, parts.properties)),
    };
    if is_module {
        module::of(operation)
    } else {
        plain::of(operation)
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
    let results = made.list(|it| &it.results);
    for r#type in parts.results {
        results.push_owned(result(r#type))?;
    }
    for _ in 0..parts.regions {
        made.list(|it| &it.regions).push_owned(Region::detached())?;
    }
    uses::begin(&made, &parts.operands);
    Ok(made)
}

/// The same, of the context of its parts, or that of where it is going to stand.
pub(crate) fn detached(parts: Parts<'_>, around: Option<Ref<Context>>) -> Result<Ref<Operation>> {
    let context = parts.context(around)?;
    build(context, parts)
}

/// An operation where an insertion point says.
pub(super) fn made(parts: Parts<'_>, ip: &Any) -> Result<Ref<Operation>> {
    let made = detached(parts, None)?;
    InsertionPoint::place(ip, &made)?;
    Ok(made)
}
