//! [`Reach`]: where the references of a type can lead, by the types that it declares.
//!
//! A type is *shareable* when that is nowhere but to shareable types: no value of it leads to an
//! object of a frontend, so it may be shown in several interpreters at once. Asked once, when a
//! type is registered. An object of a type that extends another is asked for itself: what a
//! `Ref<Base>` finds at run time decides for itself again.

use std::any::TypeId;
use std::collections::HashSet;

use super::object_layout::Object;
use crate::types::{RegisterError, TypeCell};

/// A walk over declared types.
#[derive(Debug, Default)]
pub struct Reach {
    seen: HashSet<TypeId>,
    foreign: bool,
    /// Only what values own by themselves counts, and not where other objects lead.
    own: bool,
    /// Whether the types are registered that are met, and what came of it.
    registering: Option<Result<(), RegisterError>>,
}

impl Reach {
    /// Values can own an object of a frontend, or their contents are not known.
    pub fn visit_anything(&mut self) {
        self.foreign = true;
    }

    /// Values can refer to objects of any type.
    pub fn any_object(&mut self) {
        self.foreign |= !self.own;
    }

    /// Values can refer to objects of types that `show` shows; to containers, which are objects,
    /// too.
    pub fn visit_objects(&mut self, show: impl FnOnce(&mut Reach)) {
        if !self.own {
            show(self);
        }
    }

    /// Values can refer to objects of type `T`.
    pub fn visit_object<T: Object>(&mut self) {
        if self.own {
            return;
        }
        if let Some(Ok(())) = &self.registering {
            if self.seen.insert(TypeId::of::<T>()) {
                if let Err(error) = TypeCell::register::<T>() {
                    self.registering = Some(Err(error));
                }
                T::visit_types(self);
            }
        } else if self.registering.is_none() && !self.foreign && self.seen.insert(TypeId::of::<T>()) {
            T::visit_reachable(self);
        }
    }

    /// A walk that registers the types that it meets, wherever they lead.
    #[doc(hidden)]
    pub fn new_registering() -> Self {
        Reach {
            registering: Some(Ok(())),
            ..Reach::default()
        }
    }

    /// What came of registering.
    ///
    /// # Errors
    /// The first type that was refused.
    #[doc(hidden)]
    pub fn finish(self) -> Result<(), RegisterError> {
        self.registering.unwrap_or(Ok(()))
    }

    /// Whether no value of `T` can own an object of a frontend by itself.
    pub(crate) fn owns_none<T: Object>() -> bool {
        let mut reach = Reach {
            own: true,
            ..Reach::default()
        };
        T::visit_reachable(&mut reach);
        !reach.foreign
    }

    /// Whether what `show` shows leads to no object of a frontend.
    #[must_use]
    pub fn is_native(show: impl FnOnce(&mut Reach)) -> bool {
        let mut reach = Reach::default();
        show(&mut reach);
        !reach.foreign
    }
}
