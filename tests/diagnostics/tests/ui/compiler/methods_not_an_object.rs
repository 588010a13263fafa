//! Methods of something that is no object.
#![allow(unused, non_local_definitions)]

struct A;

#[pairbond::methods]
impl A {
    fn f(&self) {}
}

fn main() {}
