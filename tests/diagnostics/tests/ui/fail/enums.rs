//! What an enum must be to be seen by Python.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.Generic")]
enum Generic<T> {
    Value(T),
}

#[pairbond::object("a.Empty")]
enum Empty {}

#[pairbond::object("a.Sealed", sealed)]
enum Sealed {
    A,
}

#[pairbond::object("a.Extends", extends = Sealed)]
enum Extends {
    A(u8),
}

#[pairbond::object("a.Names")]
enum Names {
    None,
    Same,
    #[name("Same")]
    Other,
    _Hidden,
}

#[pairbond::object("a.Fields")]
enum Fields {
    A {
        #[field(set)]
        lambda: u8,
        #[untraced]
        b: u8,
    },
}

fn main() {}
