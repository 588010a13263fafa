//! The name of a node in errors: its key, and the name that its type gives it.

use std::ffi::c_void;

use pairbond_core::error::{Error, panics};
use pairbond_core::object::{Header, NameFn, ShowFn, with_name};

/// The receiver of a node's name.
#[derive(Debug)]
pub struct NameWriter(*mut c_void, ShowFn);

impl NameWriter {
    /// The name: a `String`, a `&str` that is at hand, a [`Str`](pairbond_value::value::Str).
    #[inline]
    pub fn write(self, name: impl AsRef<str>) {
        let name = name.as_ref();
        // SAFETY: the function and the pointer belong together; the text is there during the call.
        unsafe { (self.1)(self.0, name.as_ptr(), name.len()) }
    }
}

/// The function of a type of nodes that has a name: `#[object("…", tree, name = Self::name)]`.
#[must_use]
pub const fn name_fn<T, F: Fn(&T, NameWriter) + Copy>(name: F) -> NameFn {
    unsafe extern "C-unwind" fn call_name_fn<T, F: Fn(&T, NameWriter) + Copy>(
        value: *const u8,
        context: *mut c_void,
        show: ShowFn,
    ) {
        // A node whose name panics has none: the caller may be another binary, which cannot catch
        // it.
        let _ = panics::catch_panic(|| {
            // SAFETY: a living value of `T`; a value without size, of which there was one, is read
            // from anywhere.
            unsafe {
                let name = std::ptr::NonNull::<F>::dangling().as_ptr().read();
                name(&*value.cast::<T>(), NameWriter(context, show));
            }
            Ok::<_, Error>(())
        });
    }
    const { assert!(size_of::<F>() == 0, "a function that captures nothing") }
    let _ = name;
    call_name_fn::<T, F>
}

/// `pairbond_ir.OpView arith.addi`. Not under the lock: the name is the type's code.
pub(super) fn key_and_name(object: &Header) -> String {
    let key = object.info().key();
    with_name(object, |name| format!("{key} {name}")).unwrap_or_else(|| key.to_owned())
}
