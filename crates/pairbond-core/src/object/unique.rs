//! Objects with a single reference: changed in place, or taken out.
//!
//! Single means: one strong reference, no weak one, and no wrapper, through which any code might
//! look at any moment. A collector looks too, without a reference: so the object leaves its list
//! first, which waits for a collector that is walking, and is checked again then.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use super::object_layout::{Object, free_object};
use super::objects_table::objects_table;
use super::reference::Ref;
use crate::custody::{Header, Holder};
use crate::error::Error;
use crate::event::{Kind, notify_object_event};
use crate::memory::{Counted, Home};

/// Exclusive access to an object. It is listed for the collector again when this ends.
pub struct Unique<'a, T: Object>(&'a mut Ref<T>);

fn is_alone(header: &Header) -> bool {
    if header.info().is_node() {
        // Its children know where it is.
        return false;
    }
    let state = header.custody().state();
    state.holder() == Holder::Unwrapped
        && state.strong() == 1
        && state.weak() == 0
        && !state.is_watched()
        && header.custody().pair().wrapper().is_null()
}

/// Takes an object from the collector's list if it is not reachable otherwise.
fn try_unlist<T: Object>(object: &Ref<T>) -> bool {
    let header = object.header();
    if !is_alone(header) {
        return false;
    }
    if header.info().is_traced() {
        // SAFETY: a traced object is listed from its making to its end, except during exclusive
        // access: we have the only reference.
        unsafe { (objects_table().unlist)(object.as_ptr().as_ptr()) };
        if !is_alone(header) {
            list_again(object);
            return false;
        }
    }
    true
}

fn list_again<T: Object>(object: &Ref<T>) {
    if object.header().info().is_traced() {
        // SAFETY: taken from the list by `try_unlist`.
        // Without memory it stays unlisted, as during the access: its references keep their
        // targets.
        let _ = unsafe { (objects_table().track)(object.as_ptr().as_ptr(), Home::UNKNOWN) };
    }
}

impl<T: Object> Ref<T> {
    /// The value to be changed in place, if there is no other reference to the object, weak ones
    /// included, and no wrapper.
    ///
    /// ```compile_fail,E0499
    /// # use pairbond_core::object::{Object, Ref};
    /// fn twice<T: Object>(mut object: Ref<T>) {
    ///     let (one, two) = (object.get_mut(), object.get_mut());
    ///     drop((one, two));
    /// }
    /// ```
    pub fn get_mut(&mut self) -> Option<Unique<'_, T>> {
        // The length of trailing items must not change.
        let unlisted = T::items().is_none() && try_unlist(self);
        unlisted.then(|| Unique(self))
    }

    /// The value to be changed in place: the object's own if there is no other reference to it,
    /// otherwise that of a new object, a copy, to which this reference changes over.
    ///
    /// # Panics
    /// When the object would have to be copied and is of a type that extends `T`: a copy of the `T`
    /// in it would be another kind of object. [`try_make_mut`](Self::try_make_mut) says so in an
    /// error.
    #[track_caller]
    pub fn make_mut(&mut self) -> Unique<'_, T>
    where
        T: Clone,
    {
        match self.try_make_mut() {
            Ok(unique) => unique,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`make_mut`](Self::make_mut).
    ///
    /// # Errors
    /// The object would have to be copied, and is of a type that extends `T`.
    pub fn try_make_mut(&mut self) -> Result<Unique<'_, T>, Error>
    where
        T: Clone,
    {
        if T::items().is_some() || !try_unlist(self) {
            if !std::ptr::eq(self.header().info(), T::info()) {
                return Err(slice_error(T::KEY, self.header().info().key()));
            }
            *self = Ref::new((**self).clone());
            let alone = try_unlist(self);
            assert!(alone, "{}: a new object that others reach", T::KEY);
        }
        Ok(Unique(self))
    }

    /// Takes the value out, if there is no other reference to the object (as for
    /// [`get_mut`](Self::get_mut)) and it is a `T` and nothing that extends one.
    ///
    /// # Errors
    /// The reference itself.
    pub fn try_unwrap(self) -> Result<T, Self> {
        if T::items().is_some() || !std::ptr::eq(self.header().info(), T::info()) || !try_unlist(&self) {
            return Err(self);
        }
        let this = ManuallyDrop::new(self);
        let header = this.as_ptr();
        // SAFETY: ours alone and in no list. The value is moved out, and the memory given back
        // without dropping it; a panic is not possible.
        unsafe {
            let value = std::ptr::read(this.as_borrow().get());
            notify_object_event(Kind::Freed, header.as_ref(), 0);
            free_object(header, Counted::of_object(T::info(), false));
            Ok(value)
        }
    }
}

#[cold]
fn slice_error(wanted: &str, found: &str) -> Error {
    Error::type_error(format!(
        "this {found} cannot be changed in place, as others refer to it, nor copied as a {wanted}, which would lose what {found} adds"
    ))
}

impl<T: Object> Deref for Unique<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: Object> DerefMut for Unique<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only reference to the object, and it is in no list; the borrow of the
        // reference keeps it so.
        unsafe { &mut *self.0.header().value_ptr().cast::<T>() }
    }
}

impl<T: Object> Drop for Unique<'_, T> {
    fn drop(&mut self) {
        list_again(self.0);
    }
}
