//! What this binary's own runtime does with its functions by name. Called only in the binary whose
//! runtime is in use.

use std::ffi::c_void;

use super::functions::Registry;
use super::{Found, Word};
use crate::fork::{StaticLocks, hold_over_forks};

static FUNCTIONS: Registry = Registry::new();

fn functions() -> &'static Registry {
    hold_over_forks(StaticLocks::Functions, || FUNCTIONS.try_hold());
    &FUNCTIONS
}

/// # Safety
/// `name` points at `len` bytes of UTF-8 that live for `'a`.
unsafe fn text_of_parts<'a>(name: *const u8, len: usize) -> &'a str {
    // SAFETY: the caller's string.
    unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len)) }
}

pub(super) unsafe extern "C" fn register_function(
    name: *const u8,
    len: usize,
    function: *const Word,
    replace: bool,
) -> bool {
    // SAFETY: a string, and a function that is given away. The old or refused one dies here,
    // outside of the lock.
    let done = unsafe { functions().register_function(text_of_parts(name, len), function.read(), replace) };
    done.is_ok()
}

pub(super) unsafe extern "C" fn get_function(name: *const u8, len: usize, place: *mut Word) -> Found {
    // SAFETY: a string, and the caller's place.
    unsafe {
        let (found, function) = functions().get(text_of_parts(name, len));
        if let Some(function) = function {
            place.write(function);
        }
        found
    }
}

pub(super) unsafe extern "C" fn remove_function(name: *const u8, len: usize, place: *mut Word) -> bool {
    // SAFETY: a string, and the caller's place.
    unsafe {
        match functions().remove(text_of_parts(name, len)) {
            Some(function) => {
                place.write(function);
                true
            }
            None => false,
        }
    }
}

pub(super) unsafe extern "C" fn each_function(
    context: *mut c_void,
    each: unsafe extern "C" fn(*mut c_void, *const u8, usize),
) {
    // SAFETY: the caller's own function and argument; it only copies the name.
    functions().each_name(|name| unsafe { each(context, name.as_ptr(), name.len()) });
}

pub(super) unsafe extern "C" fn end_functions(tag: u16) {
    functions().end_interpreter(tag);
}

#[cfg(pairbond_next_abi)]
pub(super) unsafe extern "C" fn next() -> u32 {
    super::NEXT
}
