//! Attributes that do not go together.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    #[staticmethod]
    #[classmethod]
    fn both() {}
    #[detach]
    #[detach]
    fn twice(&self) {}
    #[new(fast)]
    fn new() -> Self {
        A
    }
    #[name(other)]
    fn named(&self) {}
    #[name("a-b")]
    fn dashed(&self) {}
    #[hidden]
    #[detach]
    fn hidden(&self) {}
    #[getter(x)]
    #[name("y")]
    fn x(&self) -> u8 {
        0
    }
    fn lambda(&self) {}
}

fn main() {}
