//! [`Overridable`]: a method that a class may override, with the versions of the classes that it
//! met last. `object/overridable.rs` finds out whether one does.

use crate::sync::statics::{AtomicU64, Ordering};
use crate::types::TypeInfo;

/// One method that can be overridden.
#[derive(Debug)]
#[repr(C)]
pub struct Overridable {
    name: &'static str,
    /// `None`: `info` is the owner.
    owner: Option<fn() -> &'static TypeInfo>,
    pub(crate) native: AtomicU64,
    pub(crate) overriding: AtomicU64,
    info: Option<&'static TypeInfo>,
}

impl Overridable {
    /// The method of that name, of the type that the function gives.
    #[must_use]
    pub const fn new(name: &'static str, owner: fn() -> &'static TypeInfo) -> Self {
        Overridable {
            name,
            owner: Some(owner),
            native: AtomicU64::new(0),
            overriding: AtomicU64::new(0),
            info: None,
        }
    }

    /// The method of that name of a type that is registered.
    pub fn of_type(name: &'static str, info: &'static TypeInfo) -> Self {
        Overridable {
            name,
            owner: None,
            native: AtomicU64::new(0),
            overriding: AtomicU64::new(0),
            info: Some(info),
        }
    }

    /// The name that programs use.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The type that defines it.
    #[must_use]
    pub fn owner(&self) -> &'static TypeInfo {
        match self.owner {
            Some(owner) => owner(),
            None => self.info.expect("one of both is there"),
        }
    }

    /// Remembers what a frontend found out about a class. A version of 0 is none.
    pub fn remember_override(&self, tag: u16, version: u32, overrides: bool) {
        if version != 0 {
            let place = if overrides { &self.overriding } else { &self.native };
            place.store(stamp_of(tag, version), Ordering::Relaxed);
        }
    }
}

pub(crate) fn stamp_of(tag: u16, version: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(version)
}
