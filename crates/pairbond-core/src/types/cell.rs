//! [`TypeCell`]: where a Rust type finds its registered [`TypeInfo`].

use super::info::TypeInfo;
use super::registry::RegisterError;
use crate::object::{Object, Root};
use crate::runtime::runtime;
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
        std::ptr::eq(self, Root::cell())
    }

    /// Registers `T` with the process's runtime; the same type from another binary with the same
    /// layout is the same type.
    ///
    /// # Errors
    /// The key is taken by a type with another layout.
    pub fn register<T: Object>() -> Result<&'static TypeInfo, RegisterError> {
        if let Some(info) = T::cell().get() {
            return Ok(info);
        }
        if std::any::TypeId::of::<T>() != std::any::TypeId::of::<Root>() {
            TypeCell::register::<T::Base>()?;
        }
        let mine = Box::into_raw(Box::new(TypeInfo::describe::<T>()));
        let mut entered: *const TypeInfo = std::ptr::null();
        // SAFETY: `mine` lives for the process if it is entered.
        let fits = unsafe { (runtime().register_type)(mine, &mut entered) };
        // SAFETY: the table returns a registered type.
        let info = unsafe { &*entered };
        // SAFETY: the table keeps `mine` or returns another.
        let refused = (!std::ptr::eq(entered, mine)).then(|| unsafe { Box::from_raw(mine) });
        if let Some(refused) = refused {
            let error = (!fits).then(|| RegisterError::new(info, &refused));
            refused.discard();
            if let Some(error) = error {
                return Err(error);
            }
        }
        T::cell().0.store(entered.cast_mut(), Ordering::Release);
        Ok(info)
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
