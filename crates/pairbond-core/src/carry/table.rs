//! Functions of fields and types at run time, behind pointers, the same for types of every origin.
//!
//! They are called from other binaries than the type's own, which cannot catch its panics: each
//! function returns a panic as an error.

use super::parts::{Carry, Kinds, Loading, Saver, failure, status};
use crate::error::{Error, panics};
use crate::frontend::contain;
use crate::types::{FieldDefault, FieldInfo};
use crate::value::{Any, Element};

/// How the values of a field are taken apart and made again. Each function is given the field that
/// it is called for.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CarryTable {
    /// `(value, field, saver, error)`
    pub save: unsafe extern "C-unwind" fn(*const u8, *const FieldInfo, *mut Saver, *mut Any) -> bool,
    /// `(place, field, loading, error)` → fine (0), waiting (1), error (2). On 0 a value was
    /// written.
    pub load: unsafe extern "C-unwind" fn(*mut u8, *const FieldInfo, *mut Loading, *mut Any) -> u8,
    /// `(value, field, loading, error)`: fills the vacant places.
    pub finish: unsafe extern "C-unwind" fn(*const u8, *const FieldInfo, *mut Loading, *mut Any) -> u8,
    /// Destroys a value.
    pub drop: unsafe extern "C-unwind" fn(*mut u8),
    /// Shows what containers hold.
    pub kinds: fn(&mut Kinds<'_>),
}

impl CarryTable {
    /// Of fields of type `T`.
    #[must_use]
    pub const fn of<T: Carry>() -> Self {
        CarryTable {
            save: save_field::<T>,
            load: load_field::<T>,
            finish: finish_field::<T>,
            drop: drop_value::<T>,
            kinds: kinds_of::<T>,
        }
    }
}

fn kinds_of<T: Carry>(kinds: &mut Kinds<'_>) {
    // What a panic leaves out is not found, which is an error where it is looked for.
    let _ = panics::catch(|| {
        T::kinds(kinds);
        Ok::<_, Error>(())
    });
}

unsafe extern "C-unwind" fn save_field<T: Carry>(
    value: *const u8,
    _: *const FieldInfo,
    to: *mut Saver,
    error: *mut Any,
) -> bool {
    // SAFETY: called with a living value of `T`, a saver and a place for an error.
    unsafe { write_outcome(panics::catch(|| (*value.cast::<T>()).save(&mut *to)), error) }
}

unsafe extern "C-unwind" fn load_field<T: Carry>(
    place: *mut u8,
    _: *const FieldInfo,
    from: *mut Loading,
    error: *mut Any,
) -> u8 {
    // SAFETY: called with a place for a `T`, a loading and a place for an error.
    unsafe {
        let made = panics::catch(|| T::load(&mut *from)).map(|value| place.cast::<T>().write(value));
        status::give(made, &mut *error)
    }
}

unsafe extern "C-unwind" fn finish_field<T: Carry>(
    value: *const u8,
    _: *const FieldInfo,
    from: *mut Loading,
    error: *mut Any,
) -> u8 {
    // SAFETY: called with a living value of `T`, a loading and a place for an error.
    unsafe {
        let finished = panics::catch(|| (*value.cast::<T>()).finish(&mut *from));
        status::give(finished, &mut *error)
    }
}

unsafe extern "C-unwind" fn drop_value<T>(value: *mut u8) {
    // SAFETY: called once with a living value of `T`.
    contain(std::any::type_name::<T>(), || unsafe {
        value.cast::<T>().drop_in_place()
    });
}

/// What a closure that captures nothing returns is the value of a field that data does not have.
#[must_use]
pub const fn default_of<T, F: Fn() -> T + Copy>(make: F) -> FieldDefault {
    unsafe extern "C-unwind" fn write_default<T, F: Fn() -> T + Copy>(
        place: *mut u8,
        _: *const FieldInfo,
        error: *mut Any,
    ) -> bool {
        // SAFETY: a place for a `T`, one for an error; `assert_zero_sized` was called with an `F`.
        unsafe {
            let made = panics::catch(|| Ok::<_, Error>(zero_sized::<F>()()));
            write_outcome(made.map(|value| place.cast::<T>().write(value)), error)
        }
    }
    assert_zero_sized(&make);
    FieldDefault {
        write: write_default::<T, F>,
        drop: drop_value::<T>,
    }
}

/// # Safety
/// There was a value of this type, which has no size and can be copied.
const unsafe fn zero_sized<F: Copy>() -> F {
    // SAFETY: promised; a value without size is read from anywhere.
    unsafe { std::ptr::NonNull::<F>::dangling().as_ptr().read() }
}

const fn assert_zero_sized<F: Copy>(_: &F) {
    const { assert!(size_of::<F>() == 0, "a function that captures nothing") }
}

type SaveFn = unsafe extern "C-unwind" fn(*const u8, *mut Any) -> bool;
type LoadFn = unsafe extern "C-unwind" fn(*const Any, *mut u8, *mut Any) -> bool;
type CheckFn = unsafe extern "C-unwind" fn(*const u8, *mut Any) -> bool;

/// How the objects of a type are taken apart and made again.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Carrying {
    by_fields: bool,
    ordered: bool,
    save: Option<SaveFn>,
    load: Option<LoadFn>,
    check: Option<CheckFn>,
    kinds: Option<fn(&mut Kinds<'_>)>,
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
    pub const unsafe fn fields() -> Self {
        Carrying {
            by_fields: true,
            ..Self::opaque()
        }
    }

    /// By functions of their own: into a value of any kind, and back.
    #[must_use]
    pub fn hooks<T, S, L>(save: S, load: L) -> Self
    where
        S: Fn(&T) -> Result<Any, Error> + Copy,
        L: Fn(Any) -> Result<T, Error> + Copy,
    {
        unsafe extern "C-unwind" fn save_hook<T, S: Fn(&T) -> Result<Any, Error> + Copy>(
            value: *const u8,
            out: *mut Any,
        ) -> bool {
            // SAFETY: a living value of `T`, a place for a value; `assert_zero_sized` was called
            // with an `S`.
            unsafe {
                match panics::catch(|| zero_sized::<S>()(&*value.cast::<T>())) {
                    Ok(data) => {
                        *out = data;
                        true
                    }
                    Err(error) => write_outcome(Err(error), out),
                }
            }
        }
        unsafe extern "C-unwind" fn load_hook<T, L: Fn(Any) -> Result<T, Error> + Copy>(
            data: *const Any,
            place: *mut u8,
            error: *mut Any,
        ) -> bool {
            // SAFETY: a living value, places for a `T` and an error; `assert_zero_sized` was called
            // with an `L`.
            unsafe {
                let made = panics::catch(|| zero_sized::<L>()((*data).clone()));
                write_outcome(made.map(|value| place.cast::<T>().write(value)), error)
            }
        }
        assert_zero_sized(&save);
        assert_zero_sized(&load);
        Carrying {
            save: Some(save_hook::<T, S>),
            load: Some(load_hook::<T, L>),
            ..Self::opaque()
        }
    }

    /// With a last look at an object that was made by its fields, which may refuse it.
    #[must_use]
    pub fn check<T, C: Fn(&T) -> Result<(), Error> + Copy>(mut self, check: C) -> Self {
        unsafe extern "C-unwind" fn check_hook<T, C: Fn(&T) -> Result<(), Error> + Copy>(
            value: *const u8,
            error: *mut Any,
        ) -> bool {
            // SAFETY: a living value of `T`; `assert_zero_sized` was called with a `C`.
            unsafe { write_outcome(panics::catch(|| zero_sized::<C>()(&*value.cast::<T>())), error) }
        }
        assert_zero_sized(&check);
        self.check = Some(check_hook::<T, C>);
        self
    }

    /// With an order: by the fields, one after the other.
    #[must_use]
    pub const fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// With a type that containers hold.
    #[must_use]
    pub fn element<T: Element>(mut self) -> Self {
        self.kinds = Some(T::kinds);
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

    /// Shows what containers of the type hold.
    pub fn show_kinds(&self, kinds: &mut Kinds<'_>) {
        if let Some(show) = self.kinds {
            show(kinds);
        }
    }

    /// What an object is written as.
    ///
    /// # Safety
    /// A living value of the type.
    pub unsafe fn save(&self, value: *const u8) -> Option<Result<Any, Error>> {
        let mut out = Any::None;
        // SAFETY: A living value of the type: the caller ensures it.
        self.save.map(|save| match unsafe { save(value, &mut out) } {
            true => Ok(out),
            false => Err(failure(out)),
        })
    }

    /// Makes a value.
    ///
    /// # Safety
    /// A place for a value of the type.
    pub unsafe fn load(&self, data: &Any, place: *mut u8) -> Result<(), Error> {
        let mut error = Any::None;
        // SAFETY: A place for a value of the type: the caller ensures it.
        let done = self
            .load
            .is_some_and(|load| unsafe { load(data, place, &mut error) });
        match done {
            true => Ok(()),
            false => Err(failure(error)),
        }
    }

    /// Looks at an object.
    ///
    /// # Safety
    /// A living value of the type.
    pub unsafe fn look(&self, value: *const u8) -> Result<(), Error> {
        let mut error = Any::None;
        // SAFETY: A living value of the type: the caller ensures it.
        match self.check.is_none_or(|check| unsafe { check(value, &mut error) }) {
            true => Ok(()),
            false => Err(failure(error)),
        }
    }
}

/// # Safety
/// A place for an error.
unsafe fn write_outcome(result: Result<(), Error>, place: *mut Any) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            // SAFETY: A place for an error: the caller ensures it.
            unsafe { *place = Any::Error(std::sync::Arc::new(error)) };
            false
        }
    }
}
