//! [`UninitObject`]: memory where an object's value will stay.
//!
//! A value that is made first and handed from function to function is copied each time, and each
//! copy waits for writes made just before. So memory is allocated first, and the value is built in
//! place.

use std::marker::PhantomData;

use super::object_layout::{Object, Shape};
use super::partially_built::{Birth, Unfinished};
use super::reference::Ref;
use crate::error::Error;
use crate::memory::{AllocationError, Home};

/// Memory for an object, which is given back if no value comes.
pub struct UninitObject<T: Object> {
    unfinished: Unfinished,
    home: Home,
    _for: PhantomData<T>,
}

impl<T: Object> UninitObject<T> {
    /// # Errors
    /// The allocator refuses.
    #[inline(always)]
    pub fn new(birth: Birth) -> Result<Self, Error> {
        let info = T::info();
        let (layout, prefix) = match T::items() {
            None => (Shape::<T>::LAYOUT, Shape::<T>::PREFIX),
            Some(_) => (
                info.allocation_layout(0).ok_or(AllocationError)?,
                info.prefix_size(),
            ),
        };
        // SAFETY: layout and prefix were computed from this type.
        let (unfinished, home) = unsafe { Unfinished::with_layout(info, birth, layout, prefix)? };
        let _for = PhantomData;
        Ok(UninitObject {
            unfinished,
            home,
            _for,
        })
    }

    /// The object of a value. The result is a reference if its birth gives one.
    ///
    /// # Errors
    /// There is no memory to list the object; the value is dropped.
    ///
    /// # Panics
    /// A value with items, which is made an object by `new_with_items`.
    #[inline(always)]
    pub fn fill(self, value: T) -> Result<Ref<T>, AllocationError> {
        // SAFETY: room for a `T`, where it is written before anybody sees the object.
        unsafe {
            let object = self.unfinished.header().as_ptr().cast::<u8>();
            let place = object.add(Shape::<T>::OFFSET).cast::<T>();
            place.write(value);
            if let Some(items) = T::items()
                && (items.len)(place.cast_const().cast()) != 0
            {
                place.drop_in_place();
                panic!(
                    "{}: a value with items is made an object by `new_with_items`",
                    T::KEY
                );
            }
            Ok(Ref::from_raw(self.unfinished.finish(self.home, T::TRACED)?))
        }
    }
}
