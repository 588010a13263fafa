//! Objects of C: references, weak references, mutable fields, and what a trace function calls.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::c::Text;
use crate::c::attributes::RefCell;
use crate::c::errors::{Problem, call_checked, catch_errors, catch_silently};
use pairbond_core::error::Error;
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, RawObject, Ref, Root, Weak};
use pairbond_core::runtime::registered_types;
use pairbond_core::trace::{Trace, Tracer, TracerTable};
use pairbond_core::types::TypeInfo;
use pairbond_tree::no_reference_error;
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

/// An owned reference to the object of a type whose value lies at an address.
pub(super) unsafe extern "C" fn object_of_value(
    value: *const c_void,
    info: *const TypeInfo,
    problem: Problem,
) -> *mut Header {
    // SAFETY: a registered type or null; a place for an error; the address of a value of the type,
    // before which a header's bytes can be read. They are used as a header only where they name a
    // type.
    unsafe {
        catch_errors(problem, || {
            let Some(info) = info.as_ref() else {
                return Err(Error::type_error("an object is asked for without its type"));
            };
            let none = || {
                Error::type_error(format!(
                    "a {} lies in no object: one is made by pb::make, or by returning the value itself",
                    info.key()
                ))
            };
            let start = value.wrapping_byte_sub(info.value_offset()).cast::<Header>();
            let header = NonNull::new(start.cast_mut()).filter(|at| !value.is_null() && at.is_aligned());
            let at = header.ok_or_else(none)?;
            let is = |known: &TypeInfo| at.as_ref().is_exactly(known) && known.is_a(info);
            if !is(info) && !registered_types().into_iter().any(is) {
                return Err(none());
            }
            let found = ErasedBorrow::from_header(at).try_to_ref();
            let found = found.ok_or_else(|| no_reference_error(at.as_ref().info()))?;
            Ok(found.into_raw().as_ptr())
        })
        .unwrap_or(std::ptr::null_mut())
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
    let Some(object) = NonNull::new(object) else {
        return std::ptr::null_mut();
    };
    // SAFETY: a living object.
    let weak = unsafe { Weak::<Root>::from_header(object) };
    std::mem::ManuallyDrop::new(weak).as_non_null().as_ptr()
}

pub(super) unsafe extern "C" fn upgrade_weak(weak: *mut Header) -> *mut Header {
    let Some(weak) = NonNull::new(weak) else {
        return std::ptr::null_mut();
    };
    // SAFETY: made by `downgrade`, and not given away.
    let weak = unsafe { std::mem::ManuallyDrop::new(Weak::<Root>::from_counted(weak)) };
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
