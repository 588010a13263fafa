//! Numbers on their way to Python.

use pairbond::prelude::*;

use crate::data::room;
use crate::data::{DType, Element};

/// Numbers that Python sees as a tuple.
pub(crate) struct Shape(pub(crate) Vec<usize>);

impl pairbond::convert::IntoValue for Shape {
    fn into_value<S: pairbond::convert::Sink>(self, out: S) -> Result<S::Out> {
        out.write_tuple(self.0.len(), &mut |index, slot| {
            self.0[index].into_value(slot).map(drop)
        })
    }
}

pub(crate) fn element_to_python<E: Element>(value: E) -> Any {
    match E::DTYPE {
        DType::Bool => Any::from(value.to_i64() != 0),
        DType::Int64 => Any::from(value.to_i64()),
        _ => Any::from(value.to_f64()),
    }
}

/// Lists in lists.
pub(crate) enum Lists {
    One(Any),
    Many(Vec<Lists>),
}

impl pairbond::convert::IntoValue for Lists {
    fn into_value<S: pairbond::convert::Sink>(self, out: S) -> Result<S::Out> {
        match self {
            Lists::One(value) => value.into_value(out),
            Lists::Many(all) => all.into_value(out),
        }
    }
}

pub(crate) fn nested_lists(shape: &[usize], next: &mut dyn FnMut() -> Any) -> Lists {
    match shape.split_first() {
        None => Lists::One(next()),
        Some((&len, inner)) => Lists::Many(room::collect_vec((0..len).map(|_| nested_lists(inner, next)))),
    }
}

/// One list.
pub(crate) fn flat_list<E: Element>(numbers: &[E]) -> Lists {
    Lists::Many(room::collect_vec(
        numbers
            .iter()
            .map(|&number| Lists::One(element_to_python(number))),
    ))
}
