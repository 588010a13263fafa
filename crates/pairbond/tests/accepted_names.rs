//! Whatever users call their things, the expansion means its own.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code, reason = "macros made it, and that it compiles is the test")]
#![no_implicit_prelude]

extern crate pairbond as elsewhere;
extern crate std;

mod again {
    pub(crate) use crate::elsewhere as bound;
}

use std::convert::Into;
use std::default::Default;
use std::string::String;

/// Names of the expansion's generics and traits.
pub struct A;
/// See [`A`].
pub struct S;
/// See [`A`].
pub struct V;
/// See [`A`].
pub enum Option {}
/// See [`A`].
pub enum Result {}
/// See [`A`].
pub trait Callable {}

const _: (A, S, V) = (A, S, V);

#[derive(Debug)]
#[elsewhere::object("a.Object", crate = crate::again::bound)]
#[derive(Default)]
struct Object {
    #[field]
    owner: u8,
    #[field(name = "out")]
    visitor: elsewhere::Str,
    #[field(set)]
    r#mod: elsewhere::Cell<std::option::Option<elsewhere::Weak<Object>>>,
}

#[elsewhere::methods(crate = crate::again::bound)]
impl self::Object {
    #[new]
    fn new(args: u8, mut result: u8, #[default("out".into())] out: String) -> Self {
        result += 1;
        Self {
            owner: args + result,
            visitor: out.into(),
            ..Self::default()
        }
    }

    fn call<'a>(
        &'a self,
        receiver: &'a Self,
        #[default(value())] value: u8,
        #[default(0)] visitor: u8,
    ) -> &'a str
    where
        Self: 'a,
    {
        let _ = (receiver, value, visitor);
        &self.visitor
    }

    #[getter]
    fn r#type(&self) -> (u8, std::vec::Vec<u8>) {
        (self.owner, std::vec::Vec::new())
    }
}

fn value() -> u8 {
    3
}

#[std::prelude::v1::test]
fn it_compiles() {}
