//! [`TypeCell`]: where a Rust type finds its registered [`TypeInfo`].

use super::info::TypeInfo;
use super::registry::{RegisterError, enter_type};
use crate::object::{Object, Root};
use crate::sync::statics::{AtomicPtr, Ordering};

/// Where a Rust type keeps its registered [`TypeInfo`]. One `static` per type and binary.
#[derive(Debug)]
pub struct TypeCell(AtomicPtr<TypeInfo>);

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

    pub(super) fn is_root(&self) -> bool {
        std::ptr::eq(self, Root::type_cell())
    }

    /// Registers `T` with the process's runtime; the same type from another binary with the same
    /// layout is the same type.
    ///
    /// # Errors
    /// The key is taken by a type with another layout.
    pub fn register<T: Object>() -> Result<&'static TypeInfo, RegisterError> {
        if let Some(info) = T::type_cell().get() {
            return Ok(info);
        }
        if std::any::TypeId::of::<T>() != std::any::TypeId::of::<Root>() {
            TypeCell::register::<T::Base>()?;
        }
        match enter_type(TypeInfo::describe_type::<T>()) {
            Ok(info) => {
                let place = &T::type_cell().0;
                place.store(std::ptr::from_ref(info).cast_mut(), Ordering::Release);
                Ok(info)
            }
            Err((known, refused)) => {
                let error = RegisterError::new(known, &refused);
                refused.discard();
                Err(error)
            }
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn register_or_panic<T: Object>() -> &'static TypeInfo {
        match TypeCell::register::<T>() {
            Ok(info) => info,
            Err(error) => panic!("{error}"),
        }
    }
}
