//! Objects of C: references, weak references, mutable fields, and what a trace function calls.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::c::Text;
use crate::c::attributes::RefCell;
use crate::c::errors::{Problem, call_checked, catch_errors, catch_silently};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, RawObject, Ref, Root, Weak};
use pairbond_core::trace::{Trace, Tracer, TracerTable};
use pairbond_core::types::TypeInfo;
use pairbond_value::value::{Any, Cell};

/// Writes a value in place; on `false` an error, and no value is there.
pub(super) type WriteFn = unsafe extern "C" fn(*mut c_void, *mut c_void, Problem) -> bool;

// `pb_cell` in `pairbond.h`.
const _: () = assert!(size_of::<Cell<Any>>() == 24 && align_of::<Cell<Any>>() == 8);

pub(super) unsafe extern "C" fn new(
    info: *const TypeInfo,
    write: WriteFn,
    context: *mut c_void,
    problem: Problem,
) -> *mut Header {
    // SAFETY: a registered type, and a function for its values; the object's value may be used on
    // any thread, as `pairbond.h` demands of all types.
    unsafe {
        catch_errors(problem, || {
            let made = RawObject::from_writer(&*info, |place| {
                call_checked(|error| write(place.cast(), context, error))
            })?;
            Ok(made.finish()?.into_raw().as_ptr())
        })
        .unwrap_or(std::ptr::null_mut())
    }
}

pub(super) unsafe extern "C" fn retain_object(object: *mut Header) -> *mut Header {
    // SAFETY: an object that the caller keeps alive, or null.
    unsafe {
        match NonNull::new(object) {
            Some(object) => ErasedBorrow::from_header(object).to_ref().into_raw().as_ptr(),
            None => object,
        }
    }
}

pub(super) unsafe extern "C" fn release_object(object: *mut Header) {
    if let Some(object) = NonNull::new(object) {
        // SAFETY: a counted reference that is given away.
        catch_silently(|| drop(unsafe { ErasedRef::from_raw(object) }));
    }
}

pub(super) unsafe extern "C" fn type_of(object: *const Header) -> *const TypeInfo {
    // SAFETY: a living object.
    unsafe { &*object }.info()
}

pub(super) unsafe extern "C" fn object_value(object: *const Header) -> *mut c_void {
    // SAFETY: a living object.
    unsafe { &*object }.value_ptr().cast()
}

pub(super) unsafe extern "C" fn downgrade_object(object: *mut Header) -> *mut Header {
    // SAFETY: a living object.
    let weak = unsafe { Weak::<Root>::from_header(NonNull::new_unchecked(object)) };
    std::mem::ManuallyDrop::new(weak).as_non_null().as_ptr()
}

pub(super) unsafe extern "C" fn upgrade_weak(weak: *mut Header) -> *mut Header {
    // SAFETY: made by `downgrade`, and not given away.
    let weak =
        unsafe { std::mem::ManuallyDrop::new(Weak::<Root>::from_counted(NonNull::new_unchecked(weak))) };
    let found = catch_silently(|| weak.upgrade()).flatten();
    found.map_or(std::ptr::null_mut(), |object| Ref::into_raw(object).as_ptr())
}

pub(super) unsafe extern "C" fn drop_weak(weak: *mut Header) {
    if let Some(weak) = NonNull::new(weak) {
        // SAFETY: made by `downgrade`, and given away.
        drop(unsafe { Weak::<Root>::from_counted(weak) });
    }
}

pub(super) unsafe extern "C" fn type_key(info: *const TypeInfo) -> Text {
    // SAFETY: a registered type.
    Text::new(unsafe { &*info }.key())
}

pub(super) unsafe extern "C" fn is_a(info: *const TypeInfo, base: *const TypeInfo) -> bool {
    // SAFETY: registered types.
    unsafe { (*info).is_a(&*base) }
}

pub(super) unsafe extern "C" fn live_count(info: *const TypeInfo) -> isize {
    // SAFETY: a registered type.
    unsafe { &*info }.live_count()
}

pub(super) unsafe extern "C" fn cell_new(cell: *mut Cell<Any>, value: *mut Any) {
    // SAFETY: a place for a field; a value, which is taken.
    unsafe { cell.write(Cell::new(std::mem::take(&mut *value))) }
}

pub(super) unsafe extern "C" fn cell_get(cell: *const Cell<Any>, out: *mut Any) {
    // SAFETY: a field; a place for a value.
    unsafe { out.write((*cell).get()) }
}

pub(super) unsafe extern "C" fn cell_set(cell: *const Cell<Any>, value: *mut Any) {
    // SAFETY: a field; a value, which is taken.
    unsafe {
        let value = std::mem::take(&mut *value);
        catch_silently(|| (*cell).set(value));
    }
}

pub(super) unsafe extern "C" fn cell_replace(cell: *const Cell<Any>, value: *mut Any) {
    // SAFETY: a field; a value, in whose place comes the old one.
    unsafe {
        let new = std::mem::take(&mut *value);
        value.write((*cell).replace(new));
    }
}

pub(super) unsafe extern "C" fn cell_drop(cell: *mut Cell<Any>) {
    // SAFETY: a field, once.
    catch_silently(|| unsafe { cell.drop_in_place() });
}

pub(super) unsafe extern "C" fn cell_clear(cell: *const Cell<Any>) {
    // SAFETY: a field.
    catch_silently(|| unsafe { (*cell).clear() });
}

/// The pointer of a reference, which is given away.
fn into_pointer(object: Option<ErasedRef>) -> *mut Header {
    object.map_or(std::ptr::null_mut(), |object| object.into_raw().as_ptr())
}

pub(super) unsafe extern "C" fn ref_cell_get(cell: *const RefCell) -> *mut Header {
    // SAFETY: a field.
    into_pointer(unsafe { &*cell }.get())
}

pub(super) unsafe extern "C" fn ref_cell_replace(cell: *const RefCell, object: *mut Header) -> *mut Header {
    // SAFETY: a field; a counted reference that is given away, or null.
    unsafe {
        let new = NonNull::new(object).map(|object| ErasedRef::from_raw(object));
        into_pointer((*cell).replace(new))
    }
}

pub(super) unsafe extern "C" fn ref_cell_clear(cell: *const RefCell) {
    // SAFETY: a field.
    catch_silently(|| unsafe { (*cell).clear() });
}

pub(super) unsafe extern "C" fn trace_object(tracer: *const TracerTable, object: *const Header) {
    // SAFETY: the tracer of the walk; a living object or null.
    unsafe {
        if let Some(object) = object.as_ref() {
            Tracer::new(&*tracer).visit_edge(object);
        }
    }
}

pub(super) unsafe extern "C" fn trace_any(tracer: *const TracerTable, value: *const Any) {
    // SAFETY: the tracer of the walk; a value.
    unsafe { (*value).trace(&mut Tracer::new(&*tracer)) }
}

pub(super) unsafe extern "C" fn trace_cell(tracer: *const TracerTable, cell: *const Cell<Any>) {
    // SAFETY: the tracer of the walk; a field.
    unsafe { (*cell).trace(&mut Tracer::new(&*tracer)) }
}

pub(super) unsafe extern "C" fn trace_ref_cell(tracer: *const TracerTable, cell: *const RefCell) {
    // SAFETY: the tracer of the walk; a field.
    unsafe { (*cell).trace(&mut Tracer::new(&*tracer)) }
}
