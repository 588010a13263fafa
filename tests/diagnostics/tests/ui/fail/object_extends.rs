//! The parent is the first field.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

#[pairbond::object("a.Parent")]
struct Parent {
    #[field]
    name: Str,
}

#[pairbond::object("a.Late", extends = Parent)]
struct Late {
    size: u8,
    base: Parent,
}

#[pairbond::object("a.Empty", extends = Parent)]
struct Empty;

#[pairbond::object("a.Hidden", extends = Parent)]
struct Hidden {
    #[cfg(all())]
    #[untraced]
    base: Parent,
}

fn main() {}
