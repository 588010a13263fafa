//! Everything that an operation has besides its place, operands and results: in one field, for
//! there are many operations.

use pairbond::prelude::*;
use pairbond::tree::{TreeGuard, with_lock};

use super::use_list::Operand;
use super::{Block, Operation, Spot};
use crate::context::attributes::{Attribute, find_entry};

/// Where an operation comes from, its attributes (a dictionary that is not empty), and what stands
/// in `<{…}>`.
pub(crate) type About = (Ref<Attribute>, Option<Ref<Attribute>>, Option<Ref<Attribute>>);

/// A dictionary, if there is something in it.
pub(super) fn unless_empty(dictionary: Ref<Attribute>) -> Option<Ref<Attribute>> {
    Some(dictionary).filter(|it| !it.attributes().is_empty())
}

impl Operation {
    /// Where it comes from.
    #[must_use]
    pub fn location(&self) -> Ref<Attribute> {
        let (text, spot) = with_lock(|guard| {
            let text = self.about.with_in(guard, |(location, _, _)| location.clone());
            (text, self.about.small_in(guard))
        });
        spot.location_in(text)
    }

    pub(crate) fn put_location(&self, new: Ref<Attribute>) {
        drop(with_lock(|guard| {
            self.about.set_small_in(guard, Spot::default());
            self.about
                .update_in(guard, |(location, _, _)| std::mem::replace(location, new))
        }));
    }

    /// Its attributes, a dictionary that is not empty, without those in its properties.
    #[must_use]
    pub fn attributes(&self) -> Option<Ref<Attribute>> {
        self.about.with(|(_, attributes, _)| attributes.clone())
    }

    pub(crate) fn put_attributes(&self, new: Ref<Attribute>) {
        let new = unless_empty(new);
        drop(
            self.about
                .update(|(_, attributes, _)| std::mem::replace(attributes, new)),
        );
    }

    /// The properties in `<{…}>`.
    #[must_use]
    pub fn properties(&self) -> Option<Ref<Attribute>> {
        self.about.with(|(_, _, properties)| properties.clone())
    }

    pub(crate) fn put_properties(&self, new: Option<Ref<Attribute>>) {
        drop(
            self.about
                .update(|(_, _, properties)| std::mem::replace(properties, new)),
        );
    }

    /// Adds numbers that say which values its operands are, without handles to them: those of
    /// [`Weak::addr`], or 0 for one that is not there yet.
    pub(crate) fn operand_addresses(&self, guard: &TreeGuard, found: &mut Vec<usize>) {
        self.ends.with_in(guard, |ends| {
            found.extend(ends.operands.as_slice().iter().map(Operand::value_number));
        });
    }

    /// Its attribute of a name, in its properties or beside them.
    pub(crate) fn find_attribute(&self, name: &str) -> Option<Ref<Attribute>> {
        self.about.with(|(_, attributes, properties)| {
            let mut parts = properties.iter().chain(attributes);
            parts.find_map(|it| find_entry(it, name)).cloned()
        })
    }

    /// The blocks that it may go to.
    pub(crate) fn weak_successors(&self) -> Vec<Weak<Block>> {
        with_lock(|guard| self.successors_in(guard))
    }

    pub(crate) fn successors_in(&self, guard: &TreeGuard) -> Vec<Weak<Block>> {
        self.ends.with_in(guard, |it| it.successors().to_vec())
    }

    pub(crate) fn successor_count(&self) -> usize {
        self.ends.with(|it| it.successors().len())
    }

    pub(crate) fn has_successors(&self, guard: &TreeGuard) -> bool {
        self.ends.with_in(guard, |it| !it.successors().is_empty())
    }
}
