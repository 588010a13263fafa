//! Parameters.
#![allow(unused, non_local_definitions)]
use std::path::Path;

#[pairbond::function]
fn patterns((a, b): (u8, u8), _: u8) {}

#[pairbond::function]
fn references(a: &mut u8, b: &String, c: &Vec<u8>, d: &[u16], e: &Path, f: impl Copy) {}

#[pairbond::function]
fn keyword(from: u8) {}

#[pairbond::function]
fn order(#[default(1)] early: u8, late: u8) {}

#[pairbond::function]
fn option(early: Option<u8>, late: u8) {}

#[pairbond::function]
fn defaults(#[default] a: u8, #[default(1, 2)] b: u8, #[default(1)] #[required] c: u8, #[required] d: u8) {}

#[pairbond::function]
fn rest(#[rest] a: u8, #[rest] b: Vec<u8>, #[keyword] #[rest] c: Vec<u8>) {}

#[pairbond::function]
fn rest_after(#[keyword] a: u8, #[rest] b: Vec<u8>) {}

#[pairbond::function]
fn conditional(#[cfg(all())] a: u8) {}

fn main() {}
