//! How objects of a type are compared and hashed where they are keys.

use crate::custody::Header;
use crate::raw::RawAny;

/// Asks one object, about another (or itself, where there is nothing to be said about another). On
/// `false` the result is an error.
#[doc(hidden)]
pub type AskFn = unsafe extern "C-unwind" fn(*const Header, *const Header, *mut RawAny) -> bool;

/// `__eq__` and `__hash__` of a type, in Rust.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Equality {
    pub(crate) equal: Option<AskFn>,
    pub(crate) hash: Option<AskFn>,
}

impl Equality {
    #[doc(hidden)]
    #[must_use]
    pub fn new(equal: Option<AskFn>, hash: Option<AskFn>) -> Self {
        Equality { equal, hash }
    }
}
