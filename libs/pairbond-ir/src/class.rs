//! `class!`: a class that extends another and adds no fields, for one kind of type, attribute or
//! location.

use pairbond::Object;
use pairbond::prelude::*;

/// Casts a new object to its class: types and attributes are of the class of their kind from the
/// beginning.
pub(crate) fn cast_to_class<T: Object>(made: Ref<impl Object + Send + Sync>) -> Ref<T> {
    let Ok(made) = made.downcast() else {
        unreachable!("it was made of its class")
    };
    made
}

macro_rules! class {
    ($(#[$doc:meta])* $class:ident: $base:ident = $key:literal) => {
        $(#[$doc])*
        #[pairbond::object($key, extends = $base, opaque)]
        pub struct $class {
            pub(super) base: $base,
        }
    };
}
