//! What the compiler says of enums that lack a trait.
#![allow(unused)]

#[pairbond::object("a.Plain")]
#[derive(PartialEq)]
enum Plain {
    A,
    B,
}

#[pairbond::object("a.Data")]
#[derive(Clone)]
enum Data {
    A(std::rc::Rc<u8>),
}

fn main() {}
