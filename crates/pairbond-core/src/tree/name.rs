//! What errors call a node: its key, and the name that its type gives it.

use std::ffi::c_void;
use std::fmt::{Display, Write};

use smallvec::SmallVec;

use crate::object::Header;

/// Tells the name of a node: hands pieces of text to a function, with the pointer that it was given.
pub type NameFn = unsafe extern "C-unwind" fn(value: *const u8, text: *mut c_void, put: PutFn);
type PutFn = unsafe extern "C" fn(text: *mut c_void, piece: *const u8, len: usize);

/// The function of a type of nodes that has a name: `#[object("…", tree, name = Self::name)]`.
#[must_use]
pub const fn named<T, D: Display, F: Fn(&T) -> D + Copy>(name: F) -> NameFn {
    unsafe extern "C-unwind" fn call<T, D: Display, F: Fn(&T) -> D + Copy>(
        value: *const u8,
        text: *mut c_void,
        put: PutFn,
    ) {
        // SAFETY: a living value of `T`; a value without size, of which there was one, is read from anywhere.
        let name = unsafe {
            let name = std::ptr::NonNull::<F>::dangling().as_ptr().read();
            name(&*value.cast::<T>())
        };
        let _ = write!(Pieces(text, put), "{name}");
    }
    const { assert!(size_of::<F>() == 0, "a function that captures nothing") }
    let _ = name;
    call::<T, D, F>
}

struct Pieces(*mut c_void, PutFn);

impl Write for Pieces {
    fn write_str(&mut self, piece: &str) -> std::fmt::Result {
        // SAFETY: the function and the pointer belong together; the text is there during the call.
        unsafe { (self.1)(self.0, piece.as_ptr(), piece.len()) }
        Ok(())
    }
}

/// `pairbond_ir.Operation arith.addi`. Not under the lock: the name is the type's code.
pub(super) fn title(object: &Header) -> String {
    let key = object.info().key();
    with_name(object, |name| format!("{key} {name}")).unwrap_or_else(|| key.to_owned())
}

/// What the type of a node calls it, if it has a name for its nodes, shown to a function. It is the type's code that says so.
pub fn with_name<R>(object: &Header, show: impl FnOnce(&str) -> R) -> Option<R> {
    /// Most names are that short, and take no memory of their own.
    type Text = SmallVec<[u8; 64]>;
    unsafe extern "C" fn put(text: *mut c_void, piece: *const u8, len: usize) {
        // SAFETY: the text below, and a piece of text.
        unsafe {
            let piece = std::slice::from_raw_parts(piece, len);
            (*text.cast::<Text>()).extend_from_slice(piece);
        }
    }
    let name = object.info().tree().and_then(|table| table.name)?;
    let mut text = Text::new();
    // SAFETY: a living value of the type that the table is for, which what extends it begins with.
    unsafe { name(object.value(), (&raw mut text).cast(), put) }
    Some(show(&String::from_utf8_lossy(&text)))
}
