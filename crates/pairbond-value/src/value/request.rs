//! Requests to the frontend to read or create a value of a class of its language's library, by the
//! name of the class.

use super::Any;

/// An argument of [`Sink::write_constructed`](crate::convert::Sink::write_constructed).
#[derive(Debug)]
#[repr(C)]
pub enum Part<'a> {
    /// A value.
    Value(Any),
    /// An object of the frontend's library by its name: `datetime.timezone.utc`.
    Named(&'a str),
    /// A value of a class that is made for this: the name of the class, and its arguments.
    Made(&'a str, &'a [Part<'a>]),
    /// An argument with a name; those by position come first.
    Keyword(&'a str, &'a Part<'a>),
}

impl<T: Into<Any>> From<T> for Part<'_> {
    fn from(value: T) -> Self {
        Part::Value(value.into())
    }
}

/// The arguments of [`Source::read_parts`](crate::convert::Source::read_parts), for tables of
/// functions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Request<'a> {
    /// The name of the class.
    pub class: &'a str,
    /// The names of the attributes; of methods with `()` behind.
    pub names: &'a [&'a str],
}
