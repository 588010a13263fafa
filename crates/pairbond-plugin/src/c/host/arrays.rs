//! Arrays: memory that C lends, and arrays that it looks at.

use std::ffi::c_void;

use super::functions::context_owner;
use crate::c::call::{Call, read_arg};
use crate::c::errors::{Problem, catch_errors_as_bool};
use crate::c::module::{Described, read_struct};
use pairbond_core::error::Error;
use pairbond_core::object::Borrow;
use pairbond_value::convert::FromValue;
use pairbond_value::value::{Any, Array, ArrayBody, DType, Device, Lent};

type Destroy = unsafe extern "C" fn(*mut c_void);

/// `pb_array`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ArraySpec {
    pub(super) size: usize,
    pub(super) data: *mut c_void,
    pub(super) dtype: DType,
    pub(super) device: Device,
    pub(super) readonly: bool,
    pub(super) dimensions: usize,
    pub(super) shape: *const usize,
    pub(super) strides: *const isize,
}

// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for ArraySpec {
    const FIRST: usize = size_of::<Self>();
}

/// So many numbers.
///
/// # Safety
/// They are there, for the lifetime that the caller chooses.
unsafe fn number_slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's numbers.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// An array of memory that lives as long as its owner, which is taken.
pub(super) unsafe extern "C" fn lend_array(
    spec: *const ArraySpec,
    owner: *mut Any,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: a specification whose pointers are good for the call; its elements lie in memory that
    // the owner keeps; places for a value and an error.
    unsafe {
        let owner = std::mem::take(&mut *owner);
        catch_errors_as_bool(problem, || {
            let spec = read_struct(spec)?;
            if spec.dimensions > 0 && spec.shape.is_null() {
                return Err(Error::value_error("an array with dimensions has a shape"));
            }
            let memory = Lent {
                start: spec.data.cast(),
                dtype: spec.dtype,
                device: spec.device,
                readonly: spec.readonly,
                shape: number_slice(spec.shape, spec.dimensions),
                strides: (!spec.strides.is_null()).then(|| number_slice(spec.strides, spec.dimensions)),
            };
            out.write(Any::from_object(Array::lent(&memory, owner)?.into_erased()));
            Ok(())
        })
    }
}

/// A value that owns a context, which it destroys at its end.
pub(super) unsafe extern "C" fn new_owner(context: *mut c_void, destroy: Option<Destroy>, out: *mut Any) {
    // SAFETY: a place for a value.
    unsafe { out.write(context_owner(context, destroy)) }
}

/// The array that a value is.
///
/// # Errors
/// It is none.
pub(super) fn array_body(value: &Any) -> Result<Borrow<'_, ArrayBody>, Error> {
    let array = match value {
        Any::Object(object) => object.as_borrow().downcast::<ArrayBody>(),
        _ => None,
    };
    array.ok_or_else(|| Error::type_error(format!("expected an array, got a {}", value.view().kind())))
}

/// Describes an array, whose value keeps its memory, shape and strides.
pub(super) unsafe extern "C" fn describe_array(
    value: *const Any,
    out: *mut ArraySpec,
    problem: Problem,
) -> bool {
    // SAFETY: a value; places for the description, which says how large it is, and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let size = read_struct(out)?.size;
            let array = array_body(&*value)?;
            out.write(ArraySpec {
                size,
                data: array.start_ptr().cast(),
                dtype: array.dtype(),
                device: array.device(),
                readonly: array.is_readonly(),
                dimensions: array.shape().len(),
                shape: array.shape().as_ptr(),
                strides: array.strides().as_ptr(),
            });
            Ok(())
        })
    }
}

/// An argument as an array: one, or an object that lends its numbers.
pub(super) unsafe extern "C" fn get_array_arg(call: *mut Call, index: usize, out: *mut Any) -> bool {
    // SAFETY: the caller's call and place.
    unsafe {
        read_arg(call, index, "an array", out, |source| {
            Ok(Any::from_object(Array::from_value(source)?.into_erased()))
        })
    }
}
