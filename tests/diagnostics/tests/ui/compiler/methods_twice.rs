//! One block per class.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {}

#[pairbond::methods]
impl A {}

fn main() {}
