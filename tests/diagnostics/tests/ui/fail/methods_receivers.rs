//! How a method gets its object.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    fn mutable(&mut self) {}
    fn value(self) {}
    fn reference(this: &Ref<Self>) {}
    fn other(this: Borrow<'_, Other>) {}
    #[new]
    fn new(&self) -> Self {
        A
    }
    #[classmethod]
    fn named(&self) {}
    #[staticmethod]
    fn fixed(&self) {}
}

#[pairbond::object("a.Other")]
struct Other;

fn main() {}
