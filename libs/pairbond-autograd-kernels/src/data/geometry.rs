//! [`Geometry`]: which of a storage's numbers a tensor has, and in what order.

use pairbond::prelude::*;

use super::room;

/// Lengths or strides. Those of matrices take no memory of their own, and no more room than a
/// `Vec`.
pub use pairbond_tape::Dims;

const _: () = assert!(size_of::<Dims>() == size_of::<Vec<usize>>());

/// Shape, strides and the place of the first element, in elements.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Geometry {
    /// How many elements there are along each dimension.
    pub shape: Dims,
    /// How far the next element along each dimension is.
    pub strides: Dims,
    /// Where the first element is.
    pub offset: usize,
}

/// Strides of rows behind each other.
#[inline]
fn row_major(shape: &[usize]) -> Dims {
    let mut strides = Dims::from_elem(1, shape.len());
    for axis in (1..shape.len()).rev() {
        // Where there is no element they may be anything.
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1));
    }
    strides
}

impl Geometry {
    /// Elements that lie behind each other from the first number on.
    #[inline]
    pub fn new_contiguous(shape: &[usize]) -> Self {
        room::ask_for_dims(shape.len());
        Geometry {
            shape: shape.into(),
            strides: row_major(shape),
            offset: 0,
        }
    }

    /// Returns how many elements there are.
    #[inline]
    pub fn numel(&self) -> usize {
        // Where there is no element the other lengths may be anything.
        self.shape.iter().fold(1, |all, len| all.wrapping_mul(*len))
    }

    /// Whether all elements are among so many numbers.
    ///
    /// # Errors
    /// They are not, or it is no geometry at all.
    pub fn check_bounds(&self, numbers: usize) -> Result<()> {
        let extent = self
            .shape
            .iter()
            .zip(&self.strides)
            .try_fold(self.offset, |at, (&len, &stride)| {
                at.checked_add(stride.checked_mul(len.saturating_sub(1))?)
            });
        let empty = self.shape.contains(&0);
        if self.shape.len() != self.strides.len() || !empty && extent.is_none_or(|last| last >= numbers) {
            return Err(Error::value_error(format!(
                "a tensor of shape {:?} and strides {:?} from {} on does not fit into a storage of {numbers} numbers",
                self.shape, self.strides, self.offset
            )));
        }
        Ok(())
    }

    /// Whether the elements lie behind each other in order.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&len, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if len == 0 {
                return true;
            }
            if len != 1 && stride != expected {
                return false;
            }
            expected *= len;
        }
        true
    }

    /// Whether elements lie in the same place because a dimension was stretched.
    pub fn has_repeats(&self) -> bool {
        let mut dims = self.shape.iter().zip(&self.strides);
        dims.any(|(&len, &stride)| len > 1 && stride == 0) && !self.shape.contains(&0)
    }

    /// Calls `f` with the place of each element, in order.
    pub fn element_places(&self) -> Places<'_> {
        Places {
            geometry: self,
            index: vec![0; self.shape.len()],
            place: self.offset,
            left: self.numel(),
        }
    }

    /// With a dimension of length 1 more, there.
    pub fn insert_axis(&mut self, axis: usize) {
        let stride = match (self.shape.get(axis), self.strides.get(axis)) {
            (Some(len), Some(stride)) => len * stride,
            _ => 1,
        };
        self.shape.insert(axis, 1);
        self.strides.insert(axis, stride);
    }

    /// With one place of a dimension only, which is no dimension any more.
    pub fn select_place(&mut self, axis: usize, place: usize) {
        self.shape.remove(axis);
        self.offset += place * self.strides.remove(axis);
    }

    /// With `count` places of a dimension, every `step`th from `start` on.
    pub fn slice_axis(&mut self, axis: usize, start: usize, step: usize, count: usize) {
        self.offset += start * self.strides[axis];
        if count > 1 {
            self.strides[axis] *= step;
        }
        self.shape[axis] = count;
    }

    /// Repeated along the dimensions of a shape that it can be stretched to.
    pub fn broadcast_to(&self, shape: &[usize]) -> Geometry {
        room::ask_for_dims(shape.len());
        let more = shape.len() - self.shape.len();
        let stride = |axis: usize| match axis.checked_sub(more) {
            Some(own) if self.shape[own] == shape[axis] => self.strides[own],
            _ => 0,
        };
        Geometry {
            shape: shape.into(),
            strides: (0..shape.len()).map(stride).collect(),
            offset: self.offset,
        }
    }

    /// Another shape for the same elements; `None`: they would have to be moved.
    pub fn reshape_view(&self, shape: &[usize]) -> Option<Geometry> {
        if self.is_contiguous() || self.numel() == 0 {
            return Some(Geometry {
                offset: self.offset,
                ..Geometry::new_contiguous(shape)
            });
        }
        room::ask_for_dims(shape.len());
        // From the end on: dimensions that lie behind each other evenly are a run, which new
        // dimensions have to fill.
        let mut strides = Dims::from_elem(1, shape.len());
        let mut new = shape.len();
        let (mut count, mut filled) = (1, 1);
        let mut step = self.strides[self.strides.len() - 1];
        for old in (0..self.shape.len()).rev() {
            count *= self.shape[old];
            let before = old.checked_sub(1);
            if before.is_some_and(|next| self.shape[next] == 1 || self.strides[next] == count * step) {
                continue;
            }
            while new > 0 && (filled < count || shape[new - 1] == 1) {
                new -= 1;
                strides[new] = filled * step;
                filled *= shape[new];
            }
            if filled != count {
                return None;
            }
            if let Some(next) = before {
                (step, count, filled) = (self.strides[next], 1, 1);
            }
        }
        (new == 0).then(|| Geometry {
            shape: shape.into(),
            strides,
            offset: self.offset,
        })
    }
}

/// Where the elements are, one after the other.
#[derive(Clone)]
pub struct Places<'a> {
    geometry: &'a Geometry,
    index: Vec<usize>,
    place: usize,
    left: usize,
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let place = self.place;
        self.left -= 1;
        for axis in (0..self.index.len()).rev() {
            self.index[axis] += 1;
            self.place += self.geometry.strides[axis];
            if self.index[axis] < self.geometry.shape[axis] {
                break;
            }
            self.place -= self.index[axis] * self.geometry.strides[axis];
            self.index[axis] = 0;
        }
        Some(place)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Places<'_> {}

/// The shape that both can be stretched to.
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let len = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |at| shape[at]);
    let shape = (0..rank)
        .map(|axis| match (len(a, axis), len(b, axis)) {
            (one, other) if one == other => Ok(one),
            (1, other) => Ok(other),
            (one, 1) => Ok(one),
            (one, other) => Err(Error::runtime_error(format!(
                "The size of tensor a ({one}) must match the size of tensor b ({other}) at non-singleton dimension {axis}"
            ))),
        })
        .collect::<Result<Vec<_>>>()?;
    room::check_size(&shape)?;
    Ok(shape)
}

/// A dimension as Python counts it: -1 is the last.
pub fn resolve_axis(dim: i64, rank: usize) -> Result<usize> {
    let len = i64::try_from(rank.max(1)).unwrap_or(i64::MAX);
    if (-len..len).contains(&dim) {
        let from_the_front = if dim < 0 { dim + len } else { dim };
        return Ok(usize::try_from(from_the_front).unwrap_or(0));
    }
    Err(Error::index_error(format!(
        "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
        -len,
        len - 1
    )))
}
