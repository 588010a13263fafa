//! [`TypeCell`]: where a Rust type finds its registered [`TypeInfo`].

use super::info::TypeInfo;
use crate::sync::statics::{AtomicPtr, Ordering};

/// Where a Rust type keeps its registered [`TypeInfo`]. One `static` per type and binary.
#[derive(Debug)]
pub struct TypeCell(pub(crate) AtomicPtr<TypeInfo>);

impl TypeCell {
    /// Not registered yet.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        TypeCell(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The type, if registered.
    #[inline]
    pub fn get(&self) -> Option<&'static TypeInfo> {
        // SAFETY: registered types live for the process.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}
