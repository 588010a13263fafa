//! What cannot be a member of a module.
#![allow(unused)]

struct NotAnObject;

pairbond::module!(a { NotAnObject });

#[pairbond::object("a.Native", native)]
struct Native;

pairbond::module!(a { Native });

fn main() {}
