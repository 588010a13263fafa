//! Parts of declared operations, as their declarations name them.
//!
//! * `groups` – which operands (results, regions, successors) are which part.
//! * `access` – parts of an operation by name, for Python's attributes.

mod access;
mod groups;

pub(crate) use access::{Kind, attribute_of, part_of, parts_of, set_attribute_of, set_part_of};
pub(crate) use groups::segment_sizes;
