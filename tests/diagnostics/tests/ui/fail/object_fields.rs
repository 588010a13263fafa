//! All mistakes in fields are shown together.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

#[pairbond::object("a.A")]
struct A {
    #[field(frozen)]
    unknown: u8,
    #[field]
    #[field]
    twice: u8,
    #[field]
    lambda: u8,
    #[field(name = "x y")]
    spaces: u8,
    #[field(name = "twice")]
    same: u8,
    #[untraced(always)]
    arguments: u8,
}

#[pairbond::object("a.B", native)]
struct B {
    #[field]
    shown: Str,
}

fn main() {}
