//! Blocks and receivers that the compiler does not accept either.
#![allow(unused)]
use pairbond::prelude::*;

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    fn typed(self: Ref<Self>) {}
}

#[pairbond::methods]
impl dyn Fn() {}

fn main() {}
