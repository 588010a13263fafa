//! Subscripts, by numpy's rules: the part of a tensor that is selected.
//!
//! Numbers, slices, `None` and `...` mean a view. Tensors and lists of integers or truth values
//! choose elements one by one: they are stretched to a common shape, which takes the place of the
//! dimensions that they index, or comes first when something stands between them.

use pairbond::convert::{FromValue, Mismatch, Source, Subscript};
use pairbond::prelude::*;

use super::choose::{Chosen, Indices, broadcast_indices, choose_elements, resolve_place, tensor_indices};
use super::create::Nested;
use super::{T, to_dtype_untracked};
use crate::data::{DType, Geometry};

/// One of the things between commas.
#[derive(Clone)]
enum Item {
    Number(i64),
    Slice(Subscript),
    NewAxis,
    Ellipsis,
    /// Integers or truth values.
    Tensor(T),
}

/// All that stands in brackets.
pub(crate) struct Key(Vec<Item>);

impl<'a> FromValue<'a> for Key {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        "an integer, a slice, None, ..., a tensor or a sequence of integers or truth values".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut items = Vec::new();
        match source.read_subscript() {
            Ok(Subscript::Several) => {
                source.read_sequence(|_, item| {
                    items.push(parse_item(item)?);
                    Ok(())
                })?;
            }
            _ => items.push(parse_item(source)?),
        }
        Ok(Key(items))
    }
}

fn parse_item<'a, S: Source<'a>>(source: S) -> Result<Item, Mismatch> {
    if source.is_none() {
        return Ok(Item::NewAxis);
    }
    match source.read_subscript() {
        Ok(Subscript::Ellipsis) => return Ok(Item::Ellipsis),
        Ok(slice @ Subscript::Slice { .. }) => return Ok(Item::Slice(slice)),
        Ok(Subscript::Several) | Err(Mismatch::Type) => {}
        Err(other) => return Err(other),
    }
    if let Ok(tensor) = T::from_value(source) {
        return Ok(of_tensor(tensor));
    }
    if let Ok(array) = source.read_array() {
        return Ok(of_tensor(super::exchange::copy_array(&array, None)?));
    }
    // Truth values are ints to Python, but choose.
    if source.read_bool().is_err()
        && let Ok(number) = source.read_i64()
    {
        return Ok(Item::Number(number));
    }
    let tensor = match Nested::from_value(source) {
        Ok(nested) => nested.into_tensor(None),
        Err(Mismatch::Type) if source.read_str().is_err() => return Err(Mismatch::Raised(no_index())),
        Err(other) => return Err(other),
    };
    if tensor.shape().is_empty() && tensor.dtype().is_float() {
        return Err(Mismatch::Raised(no_index()));
    }
    // An empty list chooses nothing.
    if tensor.numel() == 0 && tensor.dtype() == DType::Float32 {
        return Ok(Item::Tensor(to_dtype_untracked(&tensor, DType::Int64)));
    }
    Ok(Item::Tensor(tensor))
}

fn no_index() -> Error {
    Error::index_error(
        "only integers, slices (`:`), ellipsis (`...`), None and tensors or sequences of integers or truth values are valid indices",
    )
}

/// An integer without dimensions is a number.
fn of_tensor(tensor: T) -> Item {
    if tensor.dtype() == DType::Int64 && tensor.shape().is_empty() {
        let memory = tensor.storage().read_memory();
        return Item::Number(memory.typed_slice::<i64>()[tensor.geometry().offset]);
    }
    Item::Tensor(tensor)
}

/// The part of a tensor that a key selects.
pub(crate) struct Part {
    /// A view of it: where it is in memory,
    pub(crate) view: Geometry,
    /// and where in the order of the elements of the whole.
    pub(crate) order: Geometry,
    /// Of that view single elements, in order, if there is more than numbers and slices.
    pub(crate) chosen: Option<Chosen>,
    /// The name of the operation.
    pub(crate) name: &'static str,
}

impl Key {
    pub(crate) fn from_place(place: usize) -> Key {
        Key(vec![Item::Number(place as i64)])
    }

    /// The part that it selects of a tensor with this geometry.
    pub(crate) fn select_part(self, geometry: &Geometry) -> Result<Part> {
        let items = self.complete_items(geometry.shape.len())?;
        let chooses = items.iter().any(|item| matches!(item, Item::Tensor(_)));
        let name = match items.iter().find(|item| !is_everything(item)) {
            Some(Item::Number(_)) => "SelectBackward0",
            Some(Item::NewAxis) => "UnsqueezeBackward0",
            None => "AliasBackward0",
            Some(_) => "SliceBackward0",
        };
        let mut both = [geometry.clone(), Geometry::new_contiguous(&geometry.shape)];
        // The next dimension of the rest, and of the whole.
        let (mut axis, mut dim) = (0, 0);
        let mut indices: Vec<Indices> = Vec::new();
        // Where in the key something chooses.
        let mut choosing: Vec<usize> = Vec::new();
        let mut stretched: Vec<usize> = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            match item {
                Item::Ellipsis => {}
                Item::NewAxis => {
                    both.iter_mut().for_each(|geometry| geometry.insert_axis(axis));
                    axis += 1;
                }
                Item::Slice(slice) => {
                    let (start, step, count) = slice.places(both[0].shape[axis]).unwrap_or((0, 1, 0));
                    let Ok(step) = usize::try_from(step) else {
                        return Err(Error::value_error("step must be greater than zero"));
                    };
                    both.iter_mut()
                        .for_each(|geometry| geometry.slice_axis(axis, start, step, count));
                    (axis, dim) = (axis + 1, dim + 1);
                }
                Item::Number(number) if !chooses => {
                    let place = resolve_place(number, both[0].shape[axis], dim)?;
                    both.iter_mut()
                        .for_each(|geometry| geometry.select_place(axis, place));
                    dim += 1;
                }
                Item::Number(number) => {
                    choosing.push(at);
                    indices.push(Indices {
                        axis,
                        dim,
                        values: vec![number],
                        shape: Vec::new(),
                    });
                    (axis, dim) = (axis + 1, dim + 1);
                }
                Item::Tensor(tensor) if tensor.dtype() == DType::Bool && tensor.shape().is_empty() => {
                    // A new dimension, of length one or none.
                    choosing.push(at);
                    both.iter_mut().for_each(|geometry| geometry.insert_axis(axis));
                    let is_true =
                        tensor.storage().read_memory().typed_slice::<bool>()[tensor.geometry().offset];
                    let values = vec![0; usize::from(is_true)];
                    let shape = vec![values.len()];
                    stretched = broadcast_indices(&stretched, &shape)?;
                    indices.push(Indices {
                        axis,
                        dim,
                        values,
                        shape,
                    });
                    axis += 1;
                }
                Item::Tensor(tensor) => {
                    choosing.push(at);
                    let found = tensor_indices(&tensor, (axis, dim), &both[0].shape)?;
                    stretched = broadcast_indices(&stretched, &found.1)?;
                    (axis, dim) = (axis + found.0.len(), dim + found.0.len());
                    indices.extend(found.0);
                }
            }
        }
        let [view, order] = both;
        let adjacent = choosing.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let chosen = chooses
            .then(|| choose_elements(&view.shape, indices, &stretched, adjacent))
            .transpose()?;
        let name = if chosen.is_some() { "IndexBackward0" } else { name };
        Ok(Part {
            view,
            order,
            chosen,
            name,
        })
    }

    /// With as many slices in the place of the ellipsis, or at the end, as there are dimensions
    /// left.
    fn complete_items(self, rank: usize) -> Result<Vec<Item>> {
        let taken = |item: &Item| match item {
            Item::Number(_) | Item::Slice(_) => 1,
            Item::NewAxis | Item::Ellipsis => 0,
            Item::Tensor(tensor) if tensor.dtype() == DType::Bool => tensor.shape().len(),
            Item::Tensor(_) => 1,
        };
        let used: usize = self.0.iter().map(taken).sum();
        let dots = self
            .0
            .iter()
            .filter(|item| matches!(item, Item::Ellipsis))
            .count();
        if dots > 1 {
            return Err(Error::index_error(
                "an index can only have a single ellipsis ('...')",
            ));
        }
        let Some(left) = rank.checked_sub(used) else {
            return Err(Error::index_error(match (rank, &self.0[..]) {
                (0, [Item::Number(_)]) => {
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number".into()
                }
                (0, [Item::Slice(_)]) => "slice() cannot be applied to a 0-dim tensor.".into(),
                _ => format!("too many indices for tensor of dimension {rank}"),
            }));
        };
        let everything = Item::Slice(Subscript::Slice {
            start: 0,
            stop: i64::MAX,
            step: 1,
        });
        let fill = std::iter::repeat_n(everything, left);
        let mut items = Vec::with_capacity(self.0.len() + left);
        for item in self.0 {
            let dots = matches!(item, Item::Ellipsis);
            items.push(item);
            if dots {
                items.extend(fill.clone());
            }
        }
        if dots == 0 {
            items.extend(fill);
        }
        Ok(items)
    }
}

fn is_everything(item: &Item) -> bool {
    matches!(
        item,
        Item::Ellipsis
            | Item::Slice(Subscript::Slice {
                start: 0,
                stop: i64::MAX,
                step: 1
            })
    )
}
