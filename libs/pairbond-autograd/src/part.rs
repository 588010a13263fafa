//! [`Part`]: which elements of a tensor a view of it has.

use crate::data::Geometry;

/// Which elements of a whole a part has, in the order of the part.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// As strides over the elements of the whole, which lie behind each other.
    Strided(Geometry),
    /// The number of each among the elements of the whole, and the shape of the part.
    Listed(Vec<usize>, Vec<usize>),
}
