//! What a type knows of its objects: how large they are, and how they are traced and destroyed.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::{TypeFlags, TypeInfo, ValueFn, hot};
use crate::custody::Header;
use crate::sync::statics::Ordering;
use crate::types::{Plan, TracerTable};

impl TypeInfo {
    /// Adds what a thread that ends has counted.
    pub(crate) fn settle_count(&self, objects: isize, wrappers: isize) {
        self.objects.fetch_add(objects, Ordering::Relaxed);
        self.wrappers.fetch_add(wrappers, Ordering::Relaxed);
    }

    /// What threads that have ended counted: objects, and wrappers.
    pub(crate) fn settled_count(&self) -> (isize, isize) {
        (
            self.objects.load(Ordering::Relaxed),
            self.wrappers.load(Ordering::Relaxed),
        )
    }

    /// Whether objects die by giving their memory back, and nothing else.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.hot.load(Ordering::Relaxed) & hot::WORK == 0
    }

    /// Bytes of an object without items, from the beginning of the prefix.
    #[inline]
    pub(crate) fn object_size(&self) -> usize {
        self.size
    }

    /// Alignment of an object.
    #[inline]
    pub(crate) fn object_align(&self) -> usize {
        self.align
    }

    /// From an object's header to its value, in bytes.
    #[inline]
    #[must_use]
    pub fn value_offset(&self) -> usize {
        self.value_offset
    }

    #[inline]
    pub(crate) fn items_offset(&self) -> usize {
        self.items_offset
    }

    #[inline]
    pub(crate) fn prefix_size(&self) -> usize {
        self.prefix
    }

    #[inline]
    pub(crate) fn needs_drop(&self) -> bool {
        self.has_hot_bits(hot::DROP)
    }

    /// The layout of an object with `items` bytes of items, from the beginning of the prefix.
    #[inline]
    pub(crate) fn allocation_layout(&self, items: usize) -> Option<Layout> {
        let size = self.size.checked_add(items)?;
        Layout::from_size_align(size, self.align).ok()
    }

    /// Bytes of items of an object.
    ///
    /// # Safety
    /// The object is of this type and its value still readable (it may be dropped: the length is a
    /// plain number).
    #[inline]
    pub(crate) unsafe fn items_size(&self, object: NonNull<Header>) -> usize {
        match self.items {
            None => 0,
            // SAFETY: the caller's object is of this type, and its length still readable.
            Some(items) => unsafe {
                (items.len)(object.as_ptr().cast::<u8>().add(self.value_offset)) * items.size
            },
        }
    }

    /// Destroys an object's value and items.
    ///
    /// # Safety
    /// The object is of this type; called once.
    #[inline]
    pub(crate) unsafe fn drop_value(&self, object: NonNull<Header>) {
        /// Drops the value, also when an item's destructor panics.
        struct Value(Option<ValueFn>, *mut u8);
        impl Drop for Value {
            fn drop(&mut self) {
                if let Some(drop) = self.0 {
                    // SAFETY: once, after the items.
                    unsafe { drop(self.1) }
                }
            }
        }
        // SAFETY: the object is of this type, and its value is dropped once.
        unsafe {
            let start = object.as_ptr().cast::<u8>();
            let value = Value(self.drop, start.add(self.value_offset));
            if let Some(items) = self.items
                && let Some(drop) = items.drop
            {
                drop(start.add(self.items_offset), (items.len)(value.1));
            }
        }
    }

    /// Shows an object's references.
    ///
    /// # Safety
    /// The object is alive and of this type; the table's callbacks may be called.
    #[inline]
    pub unsafe fn trace_object(&self, object: &Header, table: &TracerTable) {
        if self.is_traced() {
            // SAFETY: the caller's object is alive and of this type.
            unsafe { (self.trace)(object.value_ptr(), table) }
        }
    }

    /// Where values keep the references that [`trace_object`](Self::trace_object) shows.
    #[inline]
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether an object may be shown in several interpreters at once: it leads to no object of a
    /// frontend.
    #[must_use]
    pub fn is_shareable(object: &Header) -> bool {
        let info = object.info();
        // SAFETY: a living value of the type.
        match unsafe { (info.shareable)(object.value_ptr()) } {
            0 => false,
            1 => true,
            _ => info.flags.contains(TypeFlags::SHAREABLE),
        }
    }

    /// Empties an object's mutable references.
    ///
    /// # Safety
    /// The object is alive, of this type, and garbage.
    pub unsafe fn clear(&self, object: &Header) {
        if self.is_traced() {
            // SAFETY: the caller's object is alive and of this type, and garbage.
            unsafe { (self.clear)(object.value_ptr()) }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::object::{Object, Ref, Root};
    use crate::trace::{Trace, Tracer};
    use crate::types::TypeCell;

    struct Number(#[expect(dead_code, reason = "what it is does not matter")] i64);

    // SAFETY: the cell is the type's own; no base.
    unsafe impl Object for Number {
        const KEY: &'static str = "core.objects.Number";
        const THREAD_SAFE: bool = true;
        type Base = Root;
        fn type_cell() -> &'static TypeCell {
            static CELL: TypeCell = TypeCell::new();
            &CELL
        }
    }

    // SAFETY: a number owns nothing.
    unsafe impl Trace for Number {
        const TRACED: bool = false;
        fn trace(&self, _: &mut Tracer<'_>) {}
    }

    /// Their objects die on a short way (`release_last`), whatever else is known of the type.
    #[test]
    fn types_without_references_and_destructors_are_plain() {
        let number = Ref::new(Number(7));
        assert!(number.header().info().is_plain());
    }
}
