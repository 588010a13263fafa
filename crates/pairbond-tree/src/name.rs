//! The name of a node in errors: its key, and the name that its type gives it.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::node::TreeTable;
use pairbond_core::error::{Error, panics};
use pairbond_core::object::Header;

/// Tells the name of a node: shows it to a function, once, with the pointer that it was given.
pub type NameFn = unsafe extern "C-unwind" fn(value: *const u8, context: *mut c_void, show: ShowFn);
type ShowFn = unsafe extern "C-unwind" fn(context: *mut c_void, name: *const u8, len: usize);

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

/// What the type of a node calls it, if it has a name for its nodes, shown to a function. It is the
/// type's code that says so.
#[inline]
pub fn with_name<R>(object: &Header, show: impl FnOnce(&str) -> R) -> Option<R> {
    struct Wanted<R, F>(Option<F>, Option<std::thread::Result<R>>);
    unsafe extern "C-unwind" fn show_to<R, F: FnOnce(&str) -> R>(
        context: *mut c_void,
        name: *const u8,
        len: usize,
    ) {
        // SAFETY: the wanted value below, which is not shared, and a text.
        unsafe {
            let wanted = &mut *context.cast::<Wanted<R, F>>();
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
            if let Some(show) = wanted.0.take() {
                // A panic of ours passes no frame of the type's binary.
                wanted.1 = Some(catch_unwind(AssertUnwindSafe(|| show(name))));
            }
        }
    }
    fn show_fn_of<R, F: FnOnce(&str) -> R>(_: &Wanted<R, F>) -> ShowFn {
        show_to::<R, F>
    }
    let name = TreeTable::of_node(object.info().node().copied())?.name?;
    let mut wanted = Wanted(Some(show), None);
    let show = show_fn_of(&wanted);
    // SAFETY: a living value of the type that the table is for, which what extends it begins with.
    unsafe { name(object.value_ptr(), (&raw mut wanted).cast(), show) };
    wanted
        .1
        .map(|shown| shown.unwrap_or_else(|panic| resume_unwind(panic)))
}
