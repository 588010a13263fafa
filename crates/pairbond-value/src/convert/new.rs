//! [`New`]: the result of a function that makes an object for its caller.

use super::{IntoValue, Sink};
use crate::error::Error;
use crate::object::Object;

/// A value that becomes a new object, which is given away. The same as a
/// [`Ref`](crate::object::Ref) to it, but a frontend may make the object and its wrapper in one
/// step: for views and iterators, which are made again and again and die soon.
///
/// ```
/// # use pairbond_value::convert::New;
/// # use pairbond_core::object::{Object, Ref};
/// # fn example<T: Object, V: Object>(make: impl Fn(Ref<T>) -> V, tree: Ref<T>) -> New<V> {
/// New(make(tree))
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct New<T>(pub T);

impl<T: Object + Send + Sync> IntoValue for New<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_new_object(self.0)
    }
}
