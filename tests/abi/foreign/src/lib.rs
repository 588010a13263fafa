//! An extension module whose types have the keys of others.
#![forbid(unsafe_code)]
#![allow(dead_code, unused_imports)]

use std::collections::HashMap;

use pairbond::prelude::*;

/// As large as the other, and something else.
pub struct Inner {
    text: String,
    number: u64,
}

#[cfg(any(feature = "opaque", feature = "signature"))]
#[pairbond::object("shapes.Opaque")]
pub struct Member {
    #[untraced]
    inner: Box<Inner>,
}

#[cfg(feature = "field")]
#[pairbond::object("shapes.Known")]
pub struct Member {
    number: u64,
}

#[cfg(feature = "enumeration")]
#[pairbond::object("shapes.Color")]
#[derive(Clone, Copy, PartialEq)]
pub enum Member {
    Green,
    Red,
}

#[cfg(feature = "variants")]
#[pairbond::object("shapes.Shape")]
#[derive(Clone)]
pub enum Member {
    Circle { radius: u64 },
    Named(String),
    Empty,
}

#[cfg(feature = "base")]
mod base {
    use super::*;

    #[pairbond::object("shapes.Base")]
    pub struct Base {
        id: Cell<i64>,
    }

    #[pairbond::object("shapes.Derived", extends = Base)]
    pub struct Member {
        base: Base,
        text: Cell<Str>,
    }
}
#[cfg(feature = "base")]
use base::{Base, Member};

#[cfg(feature = "cell")]
#[derive(Clone)]
pub struct Held(u64);

/// With the fields of `shapes.Base`, by their sizes.
#[cfg(feature = "cell")]
#[pairbond::object("shapes.Base")]
pub struct Member {
    #[untraced]
    id: Cell<Held>,
}

#[cfg(feature = "container")]
#[pairbond::object("shapes.Known")]
pub struct Member {
    name: String,
    sizes: Cell<Vec<i64>>,
    by_name: HashMap<String, (u32, Option<f64>)>,
    next: Cell<Option<Ref<Member>>>,
    label: Str,
    #[untraced]
    log: std::sync::Arc<std::sync::Mutex<std::collections::BTreeMap<u64, Box<str>>>>,
}

/// Really the same, in another crate.
#[cfg(feature = "same")]
#[pairbond::object("shapes.Base")]
pub struct Member {
    id: Cell<u64>,
}

/// A trait's object: only its compiler knows the methods.
#[cfg(feature = "object")]
pub trait Speak: Send + Sync {
    fn speak(&self) -> String;
}

#[cfg(feature = "object")]
#[pairbond::object("shapes.Opaque")]
pub struct Member {
    #[untraced]
    inner: Box<dyn Speak>,
}

/// Only its signature says so.
#[cfg(feature = "signature")]
#[pairbond::function]
fn mention(_list: Option<Vec<Ref<Member>>>) -> u32 {
    1
}

#[cfg(feature = "base")]
pairbond::module!(foreign { Base, Member });

#[cfg(not(any(feature = "base", feature = "signature")))]
pairbond::module!(foreign { Member });

#[cfg(feature = "signature")]
pairbond::module!(foreign { mention });
