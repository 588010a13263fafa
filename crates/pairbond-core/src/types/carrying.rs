//! How the objects of a type, and the values of a field, are taken apart and made again: functions
//! that the crate `pairbond-value` writes and calls (its module `carry`). The core keeps them.

use std::ffi::c_void;

use super::FieldInfo;
use crate::error::{Error, panics};
use crate::raw::{Holds, RawAny};

/// How the values of a field are taken apart and made again. Each function is given the field that
/// it is called for.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CarryTable {
    /// `(value, field, saver, error)`
    pub save: unsafe extern "C-unwind" fn(*const u8, *const FieldInfo, *mut c_void, *mut RawAny) -> bool,
    /// `(place, field, loading, error)` → fine (0), waiting (1), error (2). On 0 a value was
    /// written.
    pub load: unsafe extern "C-unwind" fn(*mut u8, *const FieldInfo, *mut c_void, *mut RawAny) -> u8,
    /// `(value, field, loading, error)`: fills the vacant places.
    pub finish: unsafe extern "C-unwind" fn(*const u8, *const FieldInfo, *mut c_void, *mut RawAny) -> u8,
    /// Destroys a value.
    pub drop: unsafe extern "C-unwind" fn(*mut u8),
    /// Shows what containers hold, to a `Kinds`.
    pub kinds: unsafe fn(*mut c_void),
}

/// `(value, result)`: writes an object as a value, or the error.
#[doc(hidden)]
pub type SaveFn = unsafe extern "C-unwind" fn(*const u8, *mut RawAny) -> bool;
/// `(data, place, error)`: makes a value.
#[doc(hidden)]
pub type LoadFn = unsafe extern "C-unwind" fn(*const RawAny, *mut u8, *mut RawAny) -> bool;
/// `(value, error)`: looks at a value.
#[doc(hidden)]
pub type CheckFn = unsafe extern "C-unwind" fn(*const u8, *mut RawAny) -> bool;

/// How the objects of a type are taken apart and made again.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Carrying {
    by_fields: bool,
    ordered: bool,
    #[doc(hidden)]
    pub save: Option<SaveFn>,
    #[doc(hidden)]
    pub load: Option<LoadFn>,
    #[doc(hidden)]
    pub check: Option<CheckFn>,
    /// Shows what containers of the type hold, to a `Kinds`.
    #[doc(hidden)]
    pub kinds: Option<unsafe fn(*mut c_void)>,
}

impl Carrying {
    /// Not at all.
    #[must_use]
    pub const fn opaque() -> Self {
        Carrying {
            by_fields: false,
            ordered: false,
            save: None,
            load: None,
            check: None,
            kinds: None,
        }
    }

    /// By their fields.
    ///
    /// # Safety
    /// The type's `FIELDS`, with its bases' where it has some, are all that a value consists of:
    /// when each is written, there is a value.
    #[must_use]
    pub const unsafe fn by_fields() -> Self {
        Carrying {
            by_fields: true,
            ..Self::opaque()
        }
    }

    /// By functions of their own: into a value of any kind, and back.
    #[must_use]
    pub fn by_hooks<T, S, L, V>(save: S, load: L) -> Self
    where
        S: Fn(&T) -> Result<V, Error> + Copy,
        L: Fn(V) -> Result<T, Error> + Copy,
        RawAny: Holds<V>,
    {
        unsafe extern "C-unwind" fn save_hook<T, S, V>(value: *const u8, out: *mut RawAny) -> bool
        where
            S: Fn(&T) -> Result<V, Error> + Copy,
            RawAny: Holds<V>,
        {
            // SAFETY: a living value of `T`, a place for a value; `assert_zero_sized` was called
            // with an `S`.
            unsafe {
                match panics::catch_panic(|| zero_sized::<S>()(&*value.cast::<T>())) {
                    Ok(data) => {
                        *out = RawAny::new(data);
                        true
                    }
                    Err(error) => write_outcome(Err(error), out),
                }
            }
        }
        unsafe extern "C-unwind" fn load_hook<T, L, V>(
            data: *const RawAny,
            place: *mut u8,
            error: *mut RawAny,
        ) -> bool
        where
            L: Fn(V) -> Result<T, Error> + Copy,
            RawAny: Holds<V>,
        {
            // SAFETY: a living value, places for a `T` and an error; `assert_zero_sized` was called
            // with an `L`.
            unsafe {
                let made = panics::catch_panic(|| zero_sized::<L>()((*data).clone().into_value()));
                write_outcome(made.map(|value| place.cast::<T>().write(value)), error)
            }
        }
        assert_zero_sized(&save);
        assert_zero_sized(&load);
        Carrying {
            save: Some(save_hook::<T, S, V>),
            load: Some(load_hook::<T, L, V>),
            ..Self::opaque()
        }
    }

    /// With a last look at an object that was made by its fields, which may refuse it.
    #[must_use]
    pub fn with_check<T, C: Fn(&T) -> Result<(), Error> + Copy>(mut self, check: C) -> Self {
        unsafe extern "C-unwind" fn check_hook<T, C: Fn(&T) -> Result<(), Error> + Copy>(
            value: *const u8,
            error: *mut RawAny,
        ) -> bool {
            // SAFETY: a living value of `T`; `assert_zero_sized` was called with a `C`.
            unsafe {
                write_outcome(
                    panics::catch_panic(|| zero_sized::<C>()(&*value.cast::<T>())),
                    error,
                )
            }
        }
        assert_zero_sized(&check);
        self.check = Some(check_hook::<T, C>);
        self
    }

    /// With an order: by the fields, one after the other.
    #[must_use]
    pub const fn with_order(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// Whether objects can be taken apart.
    #[must_use]
    pub const fn is_opaque(&self) -> bool {
        !self.by_fields && self.save.is_none()
    }

    /// Returns whether objects have an order, by their fields.
    #[must_use]
    pub const fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// Returns whether objects are taken apart by their fields.
    #[must_use]
    pub const fn is_by_fields(&self) -> bool {
        self.by_fields
    }
    /// What an object is written as.
    ///
    /// # Safety
    /// A living value of the type.
    pub unsafe fn save_object<V>(&self, value: *const u8) -> Option<Result<V, Error>>
    where
        RawAny: Holds<V>,
    {
        let mut out = RawAny::None;
        // SAFETY: A living value of the type: the caller ensures it.
        self.save.map(|save| match unsafe { save(value, &mut out) } {
            true => Ok(out.into_value()),
            false => Err(out.into_error("it")),
        })
    }

    /// Makes a value.
    ///
    /// # Safety
    /// A place for a value of the type.
    pub unsafe fn load_object<V>(&self, data: &V, place: *mut u8) -> Result<(), Error>
    where
        RawAny: Holds<V>,
    {
        let (data, mut error) = (std::ptr::from_ref(data).cast(), RawAny::None);
        // SAFETY: A place for a value of the type: the caller ensures it.
        let done = self
            .load
            .is_some_and(|load| unsafe { load(data, place, &mut error) });
        match done {
            true => Ok(()),
            false => Err(error.into_error("it")),
        }
    }

    /// Looks at an object.
    ///
    /// # Safety
    /// A living value of the type.
    pub unsafe fn check_loaded(&self, value: *const u8) -> Result<(), Error> {
        let mut error = RawAny::None;
        // SAFETY: A living value of the type: the caller ensures it.
        match self.check.is_none_or(|check| unsafe { check(value, &mut error) }) {
            true => Ok(()),
            false => Err(error.into_error("it")),
        }
    }
}

/// # Safety
/// A place for an error.
#[doc(hidden)]
pub unsafe fn write_outcome(result: Result<(), Error>, place: *mut RawAny) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            // SAFETY: A place for an error: the caller ensures it.
            unsafe { *place = RawAny::from_error(error) };
            false
        }
    }
}

/// # Safety
/// There was a value of this type, which has no size and can be copied.
#[doc(hidden)]
#[must_use]
pub const unsafe fn zero_sized<F: Copy>() -> F {
    // SAFETY: promised; a value without size is read from anywhere.
    unsafe { std::ptr::NonNull::<F>::dangling().as_ptr().read() }
}

/// Fails to compile for a function that captures something.
#[doc(hidden)]
pub const fn assert_zero_sized<F: Copy>(_: &F) {
    const { assert!(size_of::<F>() == 0, "a function that captures nothing") }
}
