//! Methods that a class made by a program of the frontend's language may override: what
//! `#[overridable]` expands to.
//!
//! A call from Rust has to find out whether the object's wrapper is of such a class, and whether
//! that class has a method of its own.
//! 1. The lowest bit of the pair says the first: one load and one untaken branch for all other
//!    objects. Programs may also assign methods to the class of the native type, which such objects
//!    are or would be of, whether they have a wrapper or not: [`TypeInfo::has_unchanged_class`].
//! 2. A class has a *version*, a number that its runtime changes whenever the class, or one that it
//!    extends, is changed, and never uses again. The method remembers the version of the class that
//!    it met last and that did not override it (and of one that did), with the interpreter's tag:
//!    three loads and a compare, on any thread.
//! 3. Otherwise the frontend looks, attached.
//!
//! The version is read from the wrapper's class by a thread that may not be attached. Both live: a
//! native reference or the wrapper's holder keeps the wrapper, which keeps its class; a wrapper
//! that is cut off from its object when its interpreter ends keeps its memory (the frontend sees to
//! that, and refuses to assign another class to a wrapper). A version that is read while the class
//! changes is the old or the new one.

use std::ffi::c_void;

use super::borrow::{Borrow, ErasedBorrow};
use super::object_layout::Object;
use crate::custody::{Header, Pair};
use crate::error::Error;
use crate::frontend::{Overridable, frontend_of, stamp_of};
use crate::sync::statics::{AtomicU16, AtomicU32, Ordering};

/// Where a wrapper has its class: bytes from the beginning. 0: unknown.
static CLASS: AtomicU16 = AtomicU16::new(0);
/// Where a class has its version, once it is known where classes are.
static VERSION: AtomicU16 = AtomicU16::new(0);

/// Says where wrappers have their class (a pointer), and classes their version (32 bits, 0 for
/// none). By the frontend, once per binary.
///
/// # Safety
/// It is so for every wrapper of every interpreter of this process.
pub unsafe fn set_class_layout(class: u16, version: u16) {
    VERSION.store(version, Ordering::Relaxed);
    CLASS.store(class, Ordering::Release);
}

/// Whether a call of `method` goes to the class of the object's wrapper.
///
/// # Errors
/// The interpreter of the wrapper has ended, or looking raised an error.
#[inline]
pub fn is_overridden<T: Object>(this: Borrow<'_, T>, method: &Overridable) -> Result<bool, Error> {
    overridden_by(this.header(), method)
}

/// As [`is_overridden`], for an object of any type.
///
/// # Errors
/// As there.
#[inline]
pub fn overridden_object(this: ErasedBorrow<'_>, method: &Overridable) -> Result<bool, Error> {
    overridden_by(this.header(), method)
}

#[inline]
fn overridden_by(this: &Header, method: &Overridable) -> Result<bool, Error> {
    let pair = this.custody().pair();
    if pair.may_override() {
        of_class(this, pair, method)
    } else if this.info().has_unchanged_class() {
        Ok(false)
    } else {
        of_changed_class(this, pair, method)
    }
}

/// As [`of_class`], of an object whose wrapper is of a class that the type's library made, or that
/// has none: of such a class of each interpreter that it may come to belong to, since one was
/// changed.
#[cold]
#[inline(never)]
fn of_changed_class(this: &Header, pair: Pair, method: &Overridable) -> Result<bool, Error> {
    for class in this.info().class_records() {
        let tag = class.tag();
        let is_its = tag != 0 && (pair.tag() == 0 || pair.tag() == tag);
        if !is_its || class.is_unchanged() {
            continue;
        }
        let stamp = stamp_of(tag, class.version());
        if stamp == method.native.load(Ordering::Relaxed) {
            continue;
        }
        // The frontend makes a wrapper for the call.
        if stamp == method.overriding.load(Ordering::Relaxed) && !pair.wrapper().is_null() {
            return Ok(true);
        }
        match frontend_of(tag).is_overridden(this, method) {
            Ok(false) => {}
            Err(_) if class.tag() != tag => {} // Its interpreter has ended meanwhile.
            answer => return answer,
        }
    }
    Ok(false)
}

#[inline]
fn of_class(this: &Header, pair: Pair, method: &Overridable) -> Result<bool, Error> {
    if let Some(version) = class_version(pair) {
        // A class without a version has 0 there, which no method remembers.
        let stamp = stamp_of(pair.tag(), version);
        if stamp == method.native.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if stamp == method.overriding.load(Ordering::Relaxed) {
            return Ok(true);
        }
    }
    frontend_of(pair.tag()).is_overridden(this, method)
}

/// The version of the wrapper's class; 0 if it has none.
#[inline]
fn class_version(pair: Pair) -> Option<u32> {
    let class = usize::from(CLASS.load(Ordering::Acquire));
    if class == 0 {
        return None;
    }
    let version = usize::from(VERSION.load(Ordering::Relaxed));
    // SAFETY: promised to `set_class_layout`; see the head of this file for why both live. Read
    // atomically, since the class may be changing.
    unsafe {
        let class = pair
            .wrapper()
            .cast::<u8>()
            .add(class)
            .cast::<*mut c_void>()
            .read();
        let version = class.cast::<u8>().add(version).cast::<u32>();
        Some(AtomicU32::from_ptr(version).load(Ordering::Relaxed))
    }
}
