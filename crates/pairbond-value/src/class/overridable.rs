//! Calls of methods that a class of a program overrides: what `#[overridable]` expands to, where
//! [`overridden`](crate::frontend::overridden) has said so.

use crate::convert::{AnySource, FromValue, Mismatch, Source};
use crate::error::Error;
use crate::frontend::{Overridable, frontend_of};
use crate::object::{Borrow, Header, Object};
use crate::types::ClassRecord;
use crate::value::Any;

/// Calls the overriding method, and reads its result.
///
/// # Errors
/// The exception that it raises, or a result that is no `R`.
#[cold]
#[inline(never)]
pub fn call_override<T: Object, R: for<'b> FromValue<'b>>(
    this: Borrow<'_, T>,
    method: &Overridable,
    arguments: &[Any],
) -> Result<R, Error> {
    let result = call_object(this.header(), method, arguments)?;
    let source = AnySource::One(&result);
    R::from_value(source)
        .map_err(|mismatch| explain_result(mismatch, this, method, &R::expected_type(), source))
}

/// Calls an overriding method and drops its result.
///
/// # Errors
/// The exception that it raises.
#[cold]
#[inline(never)]
pub fn call_override_unit<T: Object>(
    this: Borrow<'_, T>,
    method: &Overridable,
    arguments: &[Any],
) -> Result<(), Error> {
    call_object(this.header(), method, arguments).map(drop)
}

/// Calls the overriding method of an object of any type.
///
/// # Errors
/// The exception that it raises.
pub fn call_object(this: &Header, method: &Overridable, arguments: &[Any]) -> Result<Any, Error> {
    let tag = this.custody().pair().tag();
    // The wrapper that was made when the frontend looked may have been given back: another is made.
    let tag = match tag {
        0 => (this.info().class_records())
            .find(|class| class.tag() != 0 && !class.is_unchanged())
            .map_or(0, ClassRecord::tag),
        tag => tag,
    };
    frontend_of(tag).call_method(this, method.name(), arguments)
}

fn explain_result<T: Object>(
    mismatch: Mismatch,
    this: Borrow<'_, T>,
    method: &Overridable,
    expected: &str,
    source: AnySource<'_>,
) -> Error {
    let key = this.header().info().key();
    mismatch.into_error(
        || format!("the result of {}() of a subclass of {key}", method.name()),
        expected,
        || source.describe(),
    )
}
