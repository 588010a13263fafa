//! Subscripts of sequences: [`Key`]. A slice of a sequence is a sequence of the same class that
//! shows a [`Part`] of it.

use std::borrow::Cow;

use pairbond::convert::{FromValue, IntoValue, Mismatch, Sink, Source, Subscript};
use pairbond::prelude::*;

/// `[place]` or `[start:stop:step]`.
pub(crate) enum Key {
    Place(i64),
    Slice(Subscript),
}

impl<'a> FromValue<'a> for Key {
    fn expected_type() -> Cow<'static, str> {
        "an integer or a slice".into()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match i64::from_value(source) {
            Ok(place) => Ok(Key::Place(place)),
            Err(Mismatch::Type) => match source.read_subscript()? {
                slice @ Subscript::Slice { .. } => Ok(Key::Slice(slice)),
                _ => Err(Mismatch::Type),
            },
            Err(other) => Err(other),
        }
    }
}

/// One of a sequence, or several.
pub(crate) enum Picked<T, P> {
    One(T),
    Several(P),
}

impl<T: IntoValue, P: IntoValue> IntoValue for Picked<T, P> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match self {
            Picked::One(one) => one.into_value(out),
            Picked::Several(several) => several.into_value(out),
        }
    }
}

/// Which elements of a list a sequence shows: all, whatever their number at the time of an access,
/// or those at some places.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Whole,
    Places { start: usize, step: i64, len: usize },
}

impl Part {
    /// How many elements it has of a list of `all`.
    #[inline]
    pub(crate) fn len_within(self, all: usize) -> usize {
        match self {
            Part::Whole => all,
            Part::Places { len, .. } => len,
        }
    }

    /// Where in the list an element stands.
    #[inline]
    pub(crate) fn index_in_list(self, place: usize) -> usize {
        match self {
            Part::Whole => place,
            Part::Places { start, step, .. } => {
                start.saturating_add_signed((place as isize).saturating_mul(step as isize))
            }
        }
    }

    /// A part of the part.
    pub(crate) fn slice_part(self, all: usize, slice: Subscript) -> Part {
        let (first, step, len) = slice.places(self.len_within(all)).unwrap_or((0, 1, 0));
        let outer = match self {
            Part::Whole => 1,
            Part::Places { step, .. } => step,
        };
        Part::Places {
            start: self.index_in_list(first),
            step: step.saturating_mul(outer),
            len,
        }
    }

    /// Of all elements of a list those that it shows.
    pub(crate) fn select_from<T: Clone>(self, all: &[T]) -> Vec<T> {
        let places = (0..self.len_within(all.len())).map(|it| self.index_in_list(it));
        places.filter_map(|it| all.get(it).cloned()).collect()
    }
}

/// A place that may count from the end.
pub(crate) fn resolve_index(index: i64, len: usize, what: &str) -> Result<usize> {
    let from_end = if index < 0 { index + len as i64 } else { index };
    let place = usize::try_from(from_end).ok().filter(|place| *place < len);
    place.ok_or_else(|| Error::index_error(format!("{what} index out of range")))
}

/// The elements of a list that a key stands for.
///
/// # Errors
/// There is none at that place.
pub(crate) fn pick_elements<T: Clone>(all: &[T], key: &Key, what: &str) -> Result<Picked<T, Vec<T>>> {
    Ok(match key {
        Key::Place(index) => Picked::One(all[resolve_index(*index, all.len(), what)?].clone()),
        Key::Slice(slice) => Picked::Several(Part::Whole.slice_part(all.len(), *slice).select_from(all)),
    })
}
