//! A parent of the same name from elsewhere is not the parent.
#![allow(unused, non_local_definitions)]

mod other {
    #[pairbond::object("other.Parent")]
    pub struct Parent;
}

#[pairbond::object("a.Parent")]
struct Parent;

#[pairbond::object("a.Child", extends = Parent)]
struct Child {
    base: other::Parent,
}

fn main() {}
