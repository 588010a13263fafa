//! All mistakes in the options are shown together.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A", "a.B", sealed, sealed, version = "two", extends = 3, frozen, seal = true)]
struct A;

fn main() {}
