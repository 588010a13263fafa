//! Objects with a trailing array: one allocation for a header, a value and any number of items.

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::object_layout::Object;
use super::partially_built::Unfinished;
use super::reference::Ref;
use crate::custody::Header;
use crate::error::Error;
use crate::frontend::contain_panics;
use crate::memory::AllocationError;
use crate::types::Items;

/// A type whose objects carry a trailing array of items.
///
/// # Safety
/// `len` returns what [`Ref::new_with_items`] was called with, and never changes: it reads a plain
/// number that is still there when the value is dropped (its memory outlives it when weak
/// references do); [`Object::items`] is overridden to return `Some(Items::of::<Self>())`; nothing
/// extends the type.
// The number is the runtime's business; users of the trait have slices.
#[allow(clippy::len_without_is_empty)]
pub unsafe trait WithItems: Object {
    /// The item; it is dropped in place with the object and owns no references.
    type Item: Send + Sync + 'static;
    /// The number of items.
    fn len(&self) -> usize;
}

impl Items {
    /// The items of a type.
    #[must_use]
    pub fn of<T: WithItems>() -> Self {
        unsafe extern "C-unwind" fn items_len<T: WithItems>(value: *const u8) -> usize {
            // SAFETY: called with a living value of `T`.
            unsafe { &*value.cast::<T>() }.len()
        }
        unsafe extern "C-unwind" fn drop_items<T: WithItems>(items: *mut u8, len: usize) {
            let items = std::ptr::slice_from_raw_parts_mut(items.cast::<T::Item>(), len);
            // SAFETY: called once with the items of a dying object.
            contain_panics(T::KEY, || unsafe { items.drop_in_place() });
        }
        const {
            assert!(
                align_of::<T::Item>() <= 4096 && align_of::<T>() <= 4096,
                "alignment of more than a page"
            )
        };
        Items {
            size: size_of::<T::Item>(),
            align: align_of::<T::Item>(),
            len: items_len::<T>,
            drop: std::mem::needs_drop::<T>()
                .then_some(drop_items::<T> as unsafe extern "C-unwind" fn(*mut u8, usize)),
        }
    }
}

fn items_of<T: WithItems>(header: NonNull<Header>) -> *mut T::Item {
    // SAFETY: the object is a `T` and so ends with its items at this offset.
    unsafe { header.as_ptr().cast::<u8>().add(T::info().items_offset()).cast() }
}

impl<T: WithItems> Ref<T> {
    /// A new object with `items` behind its value; `T::len` of the value must be their number.
    ///
    /// # Errors
    /// The allocator refused; value and items are dropped.
    ///
    /// # Panics
    /// When `value.len()` is not the number of items, or the iterator lies about its length.
    pub fn new_with_items<I>(value: T, items: I) -> Result<Self, Error>
    where
        I: IntoIterator<Item = T::Item>,
        I::IntoIter: ExactSizeIterator,
    {
        let mut items = items.into_iter();
        let len = items.len();
        assert_eq!(
            value.len(),
            len,
            "an object's value must know the number of its items"
        );
        let bytes = Layout::array::<T::Item>(len).map_err(|_| AllocationError)?.size();
        /// Drops the items written so far, before the memory goes.
        struct Written<T: WithItems> {
            items: *mut T::Item,
            count: usize,
            _type: PhantomData<T>,
        }
        impl<T: WithItems> Drop for Written<T> {
            fn drop(&mut self) {
                // SAFETY: `count` items are initialised; the object has not been shared.
                unsafe { std::ptr::slice_from_raw_parts_mut(self.items, self.count).drop_in_place() }
            }
        }
        // SAFETY: value and items are written before the object is tracked or returned.
        unsafe {
            let info = T::info();
            let (unfinished, home) = Unfinished::new(info, None, bytes)?;
            let mut written = Written::<T> {
                items: items_of::<T>(unfinished.header()),
                count: 0,
                _type: PhantomData,
            };
            while written.count < len {
                written
                    .items
                    .add(written.count)
                    .write(items.next().expect("as many items as promised"));
                written.count += 1;
            }
            std::mem::forget(written);
            unfinished.value().cast::<T>().write(value);
            Ok(Ref::from_raw(unfinished.finish(home, info.is_traced())?))
        }
    }

    /// The items.
    #[must_use]
    pub fn items(&self) -> &[T::Item] {
        // SAFETY: `len` items were written when the object was made.
        unsafe { std::slice::from_raw_parts(items_of::<T>(self.as_ptr()), (**self).len()) }
    }
}
