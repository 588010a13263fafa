//! Types that do not cross the border.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

struct Opaque;

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    fn takes(&self, opaque: Opaque) {}
    fn maybe(&self, opaque: Option<Opaque>) {}
    fn gives(&self) -> Opaque {
        Opaque
    }
    fn fails(&self) -> Result<u8, Opaque> {
        Ok(0)
    }
    fn default(&self, #[default("x")] count: u8) {}
}

fn main() {}
