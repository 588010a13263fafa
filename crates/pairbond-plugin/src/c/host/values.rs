//! Values of any kind: a `pb_any` is an [`Any`].

use crate::c::Text;
use crate::c::errors::{Problem, catch_errors_as_bool, catch_silently};
use pairbond_core::memory::check_room;
use pairbond_value::convert::{AnySource, Mismatch, Source};
use pairbond_value::value::{Any, Bytes, Str, View, keys_equal};

const _: () = assert!(size_of::<Any>() == 16 && align_of::<Any>() == 8);

pub(super) unsafe extern "C" fn copy_value(value: *const Any, out: *mut Any) {
    // SAFETY: a value, and a place for one.
    unsafe { out.write((*value).clone()) }
}

pub(super) unsafe extern "C" fn drop_value(value: *mut Any) {
    // SAFETY: a value, which is taken.
    let value = unsafe { std::mem::take(&mut *value) };
    catch_silently(|| std::mem::drop(value));
}

pub(super) unsafe extern "C" fn from_text(text: Text, out: *mut Any, problem: Problem) -> bool {
    // SAFETY: a text, a place for a value and one for an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let text = text.get()?;
            check_room(text.len(), 1)?;
            out.write(Any::Str(Str::from(text)));
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn from_bytes(bytes: Text, out: *mut Any, problem: Problem) -> bool {
    // SAFETY: bytes, a place for a value and one for an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let bytes = bytes.as_bytes();
            check_room(bytes.len(), 1)?;
            out.write(Any::Bytes(Bytes::from(bytes)));
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn from_u64(number: u64, out: *mut Any) {
    // SAFETY: a place for a value.
    unsafe { out.write(Any::from(number)) }
}

/// An integer of any size as one without a sign.
pub(super) unsafe extern "C" fn as_u64(value: *const Any, out: *mut u64, problem: Problem) -> bool {
    // SAFETY: a value, places for the number and an error.
    unsafe {
        read_number(&*value, out, problem, "an int from 0 to 2**64-1", |it| {
            it.read_u64()
        })
    }
}

/// An integer of any size, if it fits.
pub(super) unsafe extern "C" fn as_i64(value: *const Any, out: *mut i64, problem: Problem) -> bool {
    // SAFETY: a value, places for the number and an error.
    unsafe { read_number(&*value, out, problem, "an int of 64 bits", |it| it.read_i64()) }
}

/// An integer or floating-point number as one of these.
pub(super) unsafe extern "C" fn as_f64(value: *const Any, out: *mut f64, problem: Problem) -> bool {
    // SAFETY: a value, places for the number and an error.
    unsafe { read_number(&*value, out, problem, "float", |it| it.read_f64()) }
}

/// Reads a number as an argument is read.
///
/// # Safety
/// Places for the number and an error.
unsafe fn read_number<T>(
    value: &Any,
    out: *mut T,
    problem: Problem,
    expected: &str,
    read: impl FnOnce(AnySource<'_>) -> Result<T, Mismatch>,
) -> bool {
    // SAFETY: the caller's places.
    unsafe {
        catch_errors_as_bool(problem, || {
            let source = AnySource::One(value);
            out.write(read(source).map_err(|why| why.into_bare_error(expected, &|| source.describe()))?);
            Ok(())
        })
    }
}

/// Lends the bytes of a text.
pub(super) unsafe extern "C" fn as_text(value: *const Any, out: *mut Text) -> bool {
    // SAFETY: a value, and a place for a text, which the value keeps.
    unsafe {
        match (*value).view() {
            View::Str(text) => {
                out.write(Text::new(text));
                true
            }
            _ => false,
        }
    }
}

/// Lends bytes.
pub(super) unsafe extern "C" fn as_bytes(value: *const Any, out: *mut Text) -> bool {
    // SAFETY: a value, and a place for bytes, which the value keeps.
    unsafe {
        match (*value).view() {
            View::Bytes(bytes) => {
                out.write(Text {
                    data: bytes.as_ptr(),
                    size: bytes.len(),
                });
                true
            }
            _ => false,
        }
    }
}

pub(super) unsafe extern "C" fn are_equal(
    one: *const Any,
    two: *const Any,
    out: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: values, and places for the answer and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            out.write(keys_equal(&*one, &*two)?);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn kind_name(value: *const Any) -> Text {
    // SAFETY: a value; names of kinds live for the process.
    Text::new(unsafe { (*value).view().kind() })
}
