//! Another path to the library; it is not there.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A", crate = elsewhere::pairbond)]
struct A;

fn main() {}
