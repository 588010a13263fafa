//! Objects that are written by other macros.
#![forbid(unsafe_code)]
#![deny(warnings)]

use pairbond::prelude::*;

macro_rules! node {
    ($(#[$meta:meta])* $name:ident, $key:literal, $value:ty, $default:expr) => {
        $(#[$meta])*
        #[pairbond::object($key)]
        #[derive(Default)]
        struct $name {
            #[field]
            value: $value,
            #[field(set)]
            next: Cell<Option<Ref<$name>>>,
        }

        #[pairbond::methods]
        impl $name {
            #[new]
            fn new(#[default($default)] value: $value) -> Self {
                $name { value, ..Default::default() }
            }

            fn add(&self, other: $value, more: Option<$value>) -> $value {
                self.value + other + more.unwrap_or_default()
            }
        }
    };
}

node!(
    /// An integer.
    Int, "a.Int", i64, -1
);
node!(Float, "a.Float", f64, 1.5);

macro_rules! getter {
    ($name:ident: $t:ty = $value:expr) => {
        #[pairbond::function]
        fn $name() -> $t {
            $value
        }
    };
}

getter!(three: u8 = 3);

fn inside() {
    #[pairbond::object("a.Inside")]
    struct Inside;

    #[pairbond::methods]
    impl Inside {
        fn f(&self) {}
    }

    Inside.f();
    let _ = pairbond::Ref::new(Inside);
}

pairbond::module!(a { Int, Float, three });

#[test]
fn it_does_what_it_says() {
    inside();
    assert_eq!(Int::new(1).add(2, Some(3)), 6);
    let _ = (Float::new(1.0).add(1.0, None), three());
}
