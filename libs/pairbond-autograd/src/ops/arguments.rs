//! Arguments of operations as Python passes them: dimensions, sizes.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::memory::{check_room, try_copy};
use pairbond::prelude::*;

use crate::data::{resolve_axis, room};

/// A number or several: `1`, `(0, 1)`, `[0, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct Ints(pub(crate) Vec<i64>);

impl<'a> FromValue<'a> for Ints {
    fn expected_type() -> Cow<'static, str> {
        "an int or a sequence of ints".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_i64() {
            // As in `view(1, 1, …)`, with millions of them.
            Ok(one) => Ok(Ints(try_copy(&[one]).map_err(Error::from)?)),
            Err(_) => {
                let all = Vec::from_value(source)?;
                // Shapes, strides and indices are made of them, which a tensor with so many
                // dimensions has several of.
                check_room(all.len(), 16 * size_of::<i64>())?;
                Ok(Ints(all))
            }
        }
    }
}

impl Ints {
    /// As what comes as `f(1, 2)` or as `f((1, 2))`.
    pub(crate) fn flatten_ints(all: Vec<Ints>) -> Vec<i64> {
        all.into_iter().flat_map(|ints| ints.0).collect()
    }

    /// As a height and a width.
    pub(crate) fn as_pair(&self, what: &str) -> Result<[usize; 2]> {
        let each = |value: i64| {
            usize::try_from(value)
                .map_err(|_| Error::runtime_error(format!("negative {what} is not supported, got {value}")))
        };
        match self.0[..] {
            [both] => Ok([each(both)?; 2]),
            [height, width] => Ok([each(height)?, each(width)?]),
            _ => Err(Error::runtime_error(format!(
                "{what} must be one or two ints, got {}",
                self.0.len()
            ))),
        }
    }
}

/// Dimensions, each once, in order; all of them if none are said.
pub(crate) fn resolve_axes(dims: Option<&Ints>, rank: usize) -> Result<Vec<usize>> {
    let Some(Ints(dims)) = dims.filter(|dims| !dims.0.is_empty()) else {
        return Ok((0..rank).collect());
    };
    let mut axes = dims
        .iter()
        .map(|&dim| resolve_axis(dim, rank))
        .collect::<Result<Vec<_>>>()?;
    axes.sort_unstable();
    if let Some(twice) = axes.windows(2).find(|both| both[0] == both[1]) {
        return Err(Error::runtime_error(format!(
            "dim {} appears multiple times in the list of dims",
            twice[0]
        )));
    }
    axes.truncate(rank); // One without dimensions has a dimension 0 for whoever asks.
    Ok(axes)
}

/// Lengths, one of which may be -1: the rest of `numel`.
pub(crate) fn resolve_lengths(sizes: &[i64], numel: usize) -> Result<Vec<usize>> {
    let invalid = || Error::runtime_error(format!("shape '{sizes:?}' is invalid for input of size {numel}"));
    if let Some(place) = sizes.iter().position(|&size| size < -1) {
        return Err(Error::runtime_error(format!(
            "invalid shape dimension {} at index {place} of shape {sizes:?}",
            sizes[place]
        )));
    }
    let mut all_known = sizes.iter().filter(|&&size| size != -1);
    let known = all_known.try_fold(1_i64, |known, &size| known.checked_mul(size));
    let known = known.ok_or_else(invalid)?;
    let each = |&size: &i64| match size {
        -1 if known == 0 => Err(Error::runtime_error(format!(
            "cannot reshape tensor of {numel} elements into shape {sizes:?} because the unspecified dimension size -1 can be any value"
        ))),
        -1 => usize::try_from(known)
            .map(|known| numel / known)
            .map_err(|_| invalid()),
        size => usize::try_from(size).map_err(|_| invalid()),
    };
    let shape = sizes.iter().map(each).collect::<Result<Vec<_>>>()?;
    let unknown = sizes.iter().filter(|&&size| size == -1).count();
    if unknown > 1 {
        return Err(Error::runtime_error("only one dimension can be inferred"));
    }
    if room::element_count(&shape) == numel {
        Ok(shape)
    } else {
        Err(invalid())
    }
}
