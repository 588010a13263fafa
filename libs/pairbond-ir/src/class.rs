//! `class!`: a class that extends another and adds no fields, for one kind of type, attribute or location.

macro_rules! class {
    ($(#[$doc:meta])* $class:ident: $base:ident = $key:literal) => {
        $(#[$doc])*
        #[pairbond::object($key, extends = $base, opaque)]
        pub struct $class {
            pub(super) base: $base,
        }
    };
}
