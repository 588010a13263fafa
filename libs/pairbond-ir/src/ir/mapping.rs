//! [`OpAttributeMap`]: the attributes of an operation by name, those in its properties included.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Operation;
use crate::context::attributes::{Attribute, NamedAttribute, dictionary_attr, find_entry, names_of};
use crate::context::same_context;
use crate::op_definition;
use crate::slices::resolve_index;

/// The attributes of an operation.
#[pairbond::object("pairbond_ir.OpAttributeMap", opaque)]
pub struct OpAttributeMap {
    op: Ref<Operation>,
}

impl OpAttributeMap {
    pub(crate) fn for_operation(op: Ref<Operation>) -> Ref<Self> {
        Ref::new(OpAttributeMap { op })
    }

    /// Properties first.
    pub(super) fn all_entries(&self) -> Result<Vec<(Str, Ref<Attribute>)>> {
        self.op.check()?;
        let parts = self.op.properties().into_iter().chain(self.op.attributes());
        let all = parts.flat_map(|part| {
            let names = names_of(&part).to_vec();
            names
                .into_iter()
                .zip(part.attributes().to_vec())
                .collect::<Vec<_>>()
        });
        Ok(all.collect())
    }

    pub(crate) fn set_entry(&self, name: &str, value: Ref<Attribute>) -> Result<()> {
        same_context(self.op.context(), value.context(), "an attribute")?;
        self.store_entry(name, Some(value)).map(|_| ())
    }

    /// Takes an entry out. Whether there was one.
    pub(crate) fn remove_entry(&self, name: &str) -> Result<bool> {
        self.store_entry(name, None)
    }

    fn find_entry(&self, name: &str) -> Result<Option<Ref<Attribute>>> {
        self.op.check()?;
        Ok(self.op.find_attribute(name))
    }

    /// Replaces an entry, or takes it out; where the name is known already, or where it was
    /// declared to be, or else among the attributes. Whether it was known.
    fn store_entry(&self, name: &str, value: Option<Ref<Attribute>>) -> Result<bool> {
        self.op.check()?;
        let properties = self.op.properties();
        let is_known = |it: &Ref<Attribute>| find_entry(it, name).is_some();
        let is_declared =
            || op_definition::find_definition(self.op.name()).is_some_and(|it| it.is_inherent(name));
        let attributes = self.op.attributes();
        let is_inherent = properties.as_ref().is_some_and(is_known)
            || (!attributes.as_ref().is_some_and(is_known) && is_declared());
        let old = if is_inherent { properties } else { attributes };
        let old = old.map_or_else(|| dictionary_attr(self.op.context(), Vec::new()), Ok)?;
        let known = find_entry(&old, name).is_some();
        let kept = names_of(&old)
            .iter()
            .cloned()
            .zip(old.attributes().iter().cloned());
        let kept = kept.filter(|(known, _)| **known != *name);
        let entries = kept.chain(value.map(|it| (name.into(), it))).collect();
        let new = dictionary_attr(self.op.context(), entries)?;
        match is_inherent {
            true => self
                .op
                .put_properties((!new.attributes().is_empty()).then_some(new)),
            false => self.op.put_attributes(new),
        }
        Ok(known)
    }
}

#[pairbond::methods]
impl OpAttributeMap {
    fn __len__(&self) -> Result<usize> {
        self.all_entries().map(|it| it.len())
    }

    fn __contains__(&self, name: &str) -> Result<bool> {
        self.find_entry(name).map(|it| it.is_some())
    }

    /// By name, or the entry at a place.
    fn __getitem__(&self, key: Any) -> Result<Any> {
        if let Any::Str(name) = &key {
            let found = self.find_entry(name)?;
            return found.map(Any::from).ok_or_else(|| {
                Error::key_error(format!("attempt to access a non-existent attribute: {name}"))
            });
        }
        let all = self.all_entries()?;
        let (name, attribute) = all[resolve_index(key.to::<i64>()?, all.len(), "attribute")?].clone();
        Ok(NamedAttribute::from_parts(name, attribute).into())
    }

    fn __setitem__(&self, name: &str, value: Ref<Attribute>) -> Result<()> {
        self.set_entry(name, value)
    }

    fn __delitem__(&self, name: &str) -> Result<()> {
        match self.store_entry(name, None)? {
            true => Ok(()),
            false => Err(Error::key_error(format!(
                "attempt to delete a non-existent attribute: {name}"
            ))),
        }
    }

    fn __iter__(&self) -> Result<Vec<Str>> {
        self.keys()
    }

    fn keys(&self) -> Result<Vec<Str>> {
        Ok(self.all_entries()?.into_iter().map(|(name, _)| name).collect())
    }

    fn values(&self) -> Result<Vec<Ref<Attribute>>> {
        Ok(self.all_entries()?.into_iter().map(|(_, it)| it).collect())
    }

    fn items(&self) -> Result<Vec<(Str, Ref<Attribute>)>> {
        self.all_entries()
    }

    fn get(&self, key: &str, #[default(None)] default: Option<Any>) -> Result<Any> {
        Ok(self
            .find_entry(key)?
            .map(Any::from)
            .or(default)
            .unwrap_or(Any::None))
    }
}
