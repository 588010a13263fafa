//! A parent must be an object type.
#![allow(unused, non_local_definitions)]

struct Parent;

#[pairbond::object("a.Child", extends = Parent)]
struct Child {
    #[untraced]
    base: Parent,
}

#[pairbond::object("a.Other", extends = Parent)]
struct Other {
    base: Parent,
}

fn main() {}
