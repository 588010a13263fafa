//! Python calls from any thread.
#![allow(unused, non_local_definitions)]
use std::cell::Cell;

#[pairbond::object("a.A")]
struct A {
    #[untraced]
    pointer: *const u8,
}

#[pairbond::object("a.B")]
struct B {
    #[untraced]
    count: Cell<u8>,
}

fn main() {}
