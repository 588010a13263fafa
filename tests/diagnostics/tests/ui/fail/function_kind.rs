//! What kinds of functions Python can call.
#![allow(unused, non_local_definitions)]

use pairbond::prelude::*;

#[pairbond::function]
unsafe fn risky() {}

#[pairbond::function]
fn generic<T, const N: usize>(value: [T; N]) {}

#[pairbond::function]
fn opaque() -> impl Copy {}

#[pairbond::function]
fn method(&self) {}

#[pairbond::function(detach)]
fn option() {}

#[pairbond::function]
fn global() {}

#[pairbond::function]
struct Not;

#[pairbond::function]
#[overridable]
fn nobody_to_ask() -> Result<(), Error> {
    Ok(())
}

#[pairbond::function]
#[overridable]
fn cannot_raise(a: Any) {
    let _ = a;
}

#[pairbond::function]
#[overridable]
fn by_keyword(a: Any, #[keyword] b: i64) -> Result<(), Error> {
    let _ = (a, b);
    Ok(())
}

fn main() {}
