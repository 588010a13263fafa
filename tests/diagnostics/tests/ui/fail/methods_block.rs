//! Inherent methods of one class.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
struct A;

struct Generic<T>(T);

#[pairbond::methods]
impl Clone for A {
    fn clone(&self) -> Self {
        A
    }
}

#[pairbond::methods]
impl<T> Generic<T> {}

#[pairbond::methods(name = "x")]
impl A {}

#[pairbond::methods]
fn f() {}

fn main() {}
