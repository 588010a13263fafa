//! [`Carry`] for lists of children: copying and writing nodes of trees with everything below them.
//! The parent and the place there are left out ([`Links`](super::Links) are no part of data): the
//! owner of a node has it in a list.
//!
//! Nodes are made without children, and come into their lists in order when all nodes are there. A
//! node of data that stands in two lists, or below itself, is refused there.

use super::children::{Children, List};
use super::hooks::is_tree;
use super::walk::node_of_ref;
use pairbond_core::error::Error;
use pairbond_core::object::{Object, Ref};
use pairbond_value::carry::{Carry, Fault, Loading, Part, Saver};

impl<T: Object + Send + Sync> Carry for Children<T> {
    const CHANGES: bool = true;

    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        let children = self.child_refs();
        to.put_part(Part::Sequence(children.len()))?;
        children
            .iter()
            .try_for_each(|child| to.put_part(Part::Owned(child.header())))
    }

    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        from.skip_value()?;
        from.leave_vacant();
        Ok(Children::new())
    }

    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        let mut children = Vec::new();
        for _ in 0..from.begin_sequence()? {
            children.push(from.next_value()?.to::<Ref<T>>().map_err(Fault::Error)?);
        }
        let owner = from.object().map(|owner| owner.to_ref());
        let owner = owner.filter(|owner| is_tree(owner.header()));
        let Some(owner) = owner else {
            return Err(Fault::Error(Error::value_error(
                "a list of children is a field of a node",
            )));
        };
        let node = node_of_ref(&owner);
        let list = self.head().cast();
        let number = (0..node.list_count()).find(|number| std::ptr::eq(node.list_ptr(*number), list));
        let number = number.ok_or_else(|| Error::value_error("a list of children is a field of a node"))?;
        let list = List::<T>::new(node, number);
        for child in children {
            list.push_owned(child)?;
        }
        Ok(())
    }
}
