//! [`Reach`]: where the references of a type can lead, by the types that it declares.
//!
//! A type is *shareable* when that is nowhere but to shareable types: no value of it leads to an object of a frontend, so it may be shown in several
//! interpreters at once. Asked once, when a type is registered. An object of a type that extends another is asked for itself: what a
//! `Ref<Base>` finds at run time decides for itself again.

use std::any::TypeId;
use std::collections::HashSet;

use crate::object::Object;

/// A walk over declared types.
#[derive(Debug, Default)]
pub struct Reach {
    seen: HashSet<TypeId>,
    foreign: bool,
}

impl Reach {
    /// Values can own an object of a frontend, or nobody knows what they own.
    pub fn anything(&mut self) {
        self.foreign = true;
    }

    /// Values can refer to objects of type `T`.
    pub fn object<T: Object>(&mut self) {
        if !self.foreign && self.seen.insert(TypeId::of::<T>()) {
            T::reach(self);
        }
    }

    /// Whether what `show` shows leads to no object of a frontend.
    #[must_use]
    pub fn is_native(show: impl FnOnce(&mut Reach)) -> bool {
        let mut reach = Reach::default();
        show(&mut reach);
        !reach.foreign
    }
}
