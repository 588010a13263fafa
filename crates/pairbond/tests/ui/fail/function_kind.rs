//! What kinds of functions Python can call.
#![allow(unused, non_local_definitions)]

#[pairbond::function]
async fn later() {}

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

fn main() {}
