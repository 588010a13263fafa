//! Functions of fields and types at run time, behind pointers, the same for types of every origin.
//!
//! They are called from other binaries than the type's own, which cannot catch its panics: each
//! function returns a panic as an error.

use std::ffi::c_void;

use super::parts::{Carry, Loading, Saver, status};
use crate::any::RawAny;
use crate::error::{Error, panics};
use crate::frontend::contain_panics;
use crate::types::{
    CarryTable, Carrying, FieldDefault, FieldInfo, assert_zero_sized, write_outcome, zero_sized,
};
use crate::value::{Any, Element, Kinds};

/// The functions of fields of type `T`.
#[must_use]
pub const fn carry_table<T: Carry>() -> CarryTable {
    CarryTable {
        save: save_field::<T>,
        load: load_field::<T>,
        finish: finish_field::<T>,
        drop: drop_value::<T>,
        kinds: kinds_of::<T>,
    }
}

/// With what containers of a type hold.
#[must_use]
pub const fn with_element<T: Element>(mut carrying: Carrying) -> Carrying {
    carrying.kinds = Some(kinds_of_element::<T>);
    carrying
}

/// Shows what containers of a type hold.
pub fn show_kinds(carrying: &Carrying, kinds: &mut Kinds<'_>) {
    if let Some(show) = carrying.kinds {
        // SAFETY: the function takes a pointer to a `Kinds`.
        unsafe { show(std::ptr::from_mut(kinds).cast()) }
    }
}

/// Shows what containers hold that a field of these functions leads to.
pub fn show_field_kinds(table: &CarryTable, kinds: &mut Kinds<'_>) {
    // SAFETY: the function takes a pointer to a `Kinds`.
    unsafe { (table.kinds)(std::ptr::from_mut(kinds).cast()) }
}

/// # Safety
/// Called with a `Kinds`.
unsafe fn kinds_of_element<T: Element>(kinds: *mut c_void) {
    // SAFETY: the caller's `Kinds`.
    T::visit_kinds(unsafe { &mut *kinds.cast::<Kinds<'_>>() });
}

/// # Safety
/// Called with a `Kinds`.
unsafe fn kinds_of<T: Carry>(kinds: *mut c_void) {
    // SAFETY: the caller's `Kinds`.
    let kinds = unsafe { &mut *kinds.cast::<Kinds<'_>>() };
    // What a panic leaves out is not found, which is an error where it is looked for.
    let _ = panics::catch_panic(|| {
        T::visit_kinds(kinds);
        Ok::<_, Error>(())
    });
}

unsafe extern "C-unwind" fn save_field<T: Carry>(
    value: *const u8,
    _: *const FieldInfo,
    to: *mut c_void,
    error: *mut RawAny,
) -> bool {
    // SAFETY: called with a living value of `T`, a saver and a place for an error.
    unsafe {
        write_outcome(
            panics::catch_panic(|| (*value.cast::<T>()).save_value(&mut *to.cast::<Saver>())),
            error,
        )
    }
}

unsafe extern "C-unwind" fn load_field<T: Carry>(
    place: *mut u8,
    _: *const FieldInfo,
    from: *mut c_void,
    error: *mut RawAny,
) -> u8 {
    // SAFETY: called with a place for a `T`, a loading and a place for an error.
    unsafe {
        let made = panics::catch_panic(|| T::load_value(&mut *from.cast::<Loading>()))
            .map(|value| place.cast::<T>().write(value));
        status::to_status(made, &mut *error.cast::<Any>())
    }
}

unsafe extern "C-unwind" fn finish_field<T: Carry>(
    value: *const u8,
    _: *const FieldInfo,
    from: *mut c_void,
    error: *mut RawAny,
) -> u8 {
    // SAFETY: called with a living value of `T`, a loading and a place for an error.
    unsafe {
        let finished = panics::catch_panic(|| (*value.cast::<T>()).fill_vacant(&mut *from.cast::<Loading>()));
        status::to_status(finished, &mut *error.cast::<Any>())
    }
}

unsafe extern "C-unwind" fn drop_value<T>(value: *mut u8) {
    // SAFETY: called once with a living value of `T`.
    contain_panics(std::any::type_name::<T>(), || unsafe {
        value.cast::<T>().drop_in_place()
    });
}

/// What a closure that captures nothing returns is the value of a field that data does not have.
#[must_use]
pub const fn default_of<T, F: Fn() -> T + Copy>(make: F) -> FieldDefault {
    unsafe extern "C-unwind" fn write_default<T, F: Fn() -> T + Copy>(
        place: *mut u8,
        _: *const FieldInfo,
        error: *mut RawAny,
    ) -> bool {
        // SAFETY: a place for a `T`, one for an error; `assert_zero_sized` was called with an `F`.
        unsafe {
            let made = panics::catch_panic(|| Ok::<_, Error>(zero_sized::<F>()()));
            write_outcome(made.map(|value| place.cast::<T>().write(value)), error)
        }
    }
    assert_zero_sized(&make);
    FieldDefault {
        write: write_default::<T, F>,
        drop: drop_value::<T>,
    }
}
