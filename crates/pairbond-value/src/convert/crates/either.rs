//! `either`: an `Either` is its value. The left type is tried first.

use std::borrow::Cow;

use either::Either;

use crate::convert::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;

impl<'a, L: FromValue<'a>, R: FromValue<'a>> FromValue<'a> for Either<L, R> {
    const DETACHES: bool = L::DETACHES && R::DETACHES;
    fn expected_type() -> Cow<'static, str> {
        format!("{} or {}", L::expected_type(), R::expected_type()).into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let left = match L::from_value(source) {
            Ok(left) => return Ok(Either::Left(left)),
            Err(Mismatch::Raised(error)) => return Err(Mismatch::Raised(error)),
            Err(left) => left,
        };
        R::from_value(source)
            .map(Either::Right)
            .map_err(|right| match (left, right) {
                // The value is of the left type, which says more than that it is not of the right.
                (left, Mismatch::Type) => left,
                (_, right) => right,
            })
    }
}

impl<L: IntoValue, R: IntoValue> IntoValue for Either<L, R> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        either::for_both!(self, value => value.into_value(out))
    }
}

impl<L: Emit, R: Emit> Emit for Either<L, R> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        either::for_both!(self, value => value.emit_value(out))
    }
}
