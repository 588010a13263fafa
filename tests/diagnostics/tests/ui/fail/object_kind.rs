//! Only enums, and structs with named fields and without parameters.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
union A {
    b: u8,
}

#[pairbond::object("a.C")]
struct C(u8);

#[pairbond::object("a.D")]
struct D<T> {
    value: T,
}

#[pairbond::object("a.E")]
struct E<'a> {
    value: &'a str,
}

#[pairbond::object("a.F")]
struct F
where
    u8: Copy,
{
    value: u8,
}

#[pairbond::object("a.G")]
#[repr(C, packed)]
struct G {
    value: u8,
}

#[pairbond::object("a.H")]
fn h() {}

fn main() {}
