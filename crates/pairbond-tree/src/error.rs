//! Errors of trees, and their messages.

use super::name::key_and_name;
use super::node::Node;
use super::reason::Reason;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::Header;
use pairbond_core::types::TypeInfo;

/// Why an edit is refused: found under the lock, put into words without it, because names of nodes
/// are foreign code. The caller of the edit has handles to the nodes.
#[derive(Clone, Copy)]
pub(super) enum Refused {
    /// It was erased.
    Erased(Node),
    /// It has a parent.
    Owned(Node),
    /// The first is above the second, or is it.
    Cycle(Node, Node),
    /// The first does not stand in the list of the second.
    Elsewhere(Node, Node),
    /// Not a range, or a place within it.
    OutOfOrder,
    /// A node of the first type, for a list of the second.
    Type(&'static TypeInfo, &'static TypeInfo),
}

impl From<Refused> for Error {
    #[cold]
    fn from(refused: Refused) -> Error {
        let name = |node: Node| key_and_name(node.header());
        Error::value_error(match refused {
            Refused::Erased(node) => return erased_error(node.header(), node.links().erase_reason()),
            Refused::Owned(node) => format!(
                "this {} has a parent already: detach it first, or move it",
                name(node)
            ),
            Refused::Cycle(node, parent) => format!(
                "this {} cannot stand below a {} that stands below it, or is it: trees have no cycles",
                name(node),
                name(parent)
            ),
            Refused::Elsewhere(node, parent) => {
                format!(
                    "this {} does not stand in that list of the {}",
                    name(node),
                    name(parent)
                )
            }
            Refused::Type(given, element) => {
                let (given, element) = (given.key(), element.key());
                return Error::type_error(format!("a {given} does not go into a list of {element}"));
            }
            Refused::OutOfOrder => {
                "the last node of a range stands before the first, or the place to move it to is within it"
                    .into()
            }
        })
    }
}

/// The object was erased.
#[cold]
#[inline(never)]
pub(super) fn erased_error(object: &Header, reason: Option<&'static Reason>) -> Error {
    let by = reason.map_or("erase()", Reason::name);
    Error::new(
        ErrorKind::Invalidated,
        format!(
            "this {} was erased, by {by}: it is part of no tree any more. Get the one that took its place from the tree, and what you still \
             need of an object before it is erased",
            key_and_name(object)
        ),
    )
}
