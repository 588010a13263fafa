//! What makes an object.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    #[new]
    fn new() -> Ref<Self> {
        Ref::new(A)
    }
    #[new]
    fn again() -> Result<Self, Error> {
        Ok(A)
    }
    fn value(&self) -> Self {
        A
    }
    fn maybe() -> Option<A> {
        None
    }
}

fn main() {}
