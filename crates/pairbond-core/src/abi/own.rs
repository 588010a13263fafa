//! The [`Layout`] of this library's own types: the same in all binaries that share a runtime
//! ([`shapes`](super::shapes)).

use super::Layout;
use crate::any::Foreign;
use crate::cell::Cell;
use crate::object::{ErasedRef, Object, Ref, Weak, Weaks};

/// Implements [`Layout`] for types of this library, which are compared when binaries join:
/// `Type = "name"`, and for generic types a function that shows their arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! own_layouts {
    ($(<$($g:ident: $bound:path),*> $t:ty = $name:literal, $show:expr);* $(;)?) => {$(
        // SAFETY: a type of this library, compared when binaries join, and its type arguments.
        unsafe impl<$($g: $bound),*> $crate::abi::Layout for $t {
            fn write_layout(to: &mut $crate::abi::LayoutWriter) {
                to.write_known::<$t>($name);
                let show: fn(&mut $crate::abi::LayoutWriter) = $show;
                show(to);
            }
        }
    )*};
    ($($t:ty = $name:literal),* $(,)?) => {$(
        // SAFETY: a type of this library, compared when binaries join.
        unsafe impl $crate::abi::Layout for $t {
            fn write_layout(to: &mut $crate::abi::LayoutWriter) {
                to.write_known::<$t>($name);
            }
        }
    )*};
}

own_layouts! {
    Foreign = "Foreign", ErasedRef = "ErasedRef", crate::CellLock = "CellLock",
    crate::error::Error = "Error", crate::object::Root = "Root",
}

own_layouts! {
    // A reference needs to know which type it is to; how that is laid out is asked when the type is
    // registered.
    <T: Object> Ref<T> = "Ref", |to| to.write_text(T::KEY);
    <T: Object> Weak<T> = "Weak", |to| to.write_text(T::KEY);
    <T: Object> Weaks<T> = "Weaks", |to| to.write_text(T::KEY);
    <T: Layout> Cell<T> = "Cell", T::write_layout;
    <T: Layout> crate::memory::ThinVec<T> = "ThinVec", T::write_layout;
    <T: Layout> crate::trace::Untraced<T> = "Untraced", T::write_layout;
}
