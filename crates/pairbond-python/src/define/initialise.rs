//! `__init__` of classes that were defined in Python: for objects that are there already, and whose
//! fields it assigns.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::object::Header;
use pyo3_ffi as py;

use super::bind_fields::{argument_errors, bind_arguments};
use super::plan::{self, Default, MISSING, Plan};
use super::record_construct::{fill_values, make_object, post_init};
use crate::call::from_objects;
use crate::errors::{finish_call, finish_status};
use crate::owned::Owned;
use crate::wrapper::{self, Wrapper};

type Object = *mut py::PyObject;

/// Assigns the fields of an object that is there already, or makes it: one that begins with a Rust
/// type's value is not there before.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn assign_fields(plan: &'static Plan, wrapper: Object, bound: &[Object]) -> Result<(), Error> {
    // SAFETY: attached; a living wrapper, which begins with this struct.
    unsafe {
        if plan.base.is_some()
            && (*wrapper.cast::<Wrapper>()).native.is_null()
            && plan::deciding_plan(py::Py_TYPE(wrapper)).is_some_and(|it| std::ptr::eq(it, plan))
        {
            wrapper::tie_with(wrapper, |pair| make_object(plan, pair, bound))?;
            if plan.post_init {
                post_init(plan, wrapper, bound)?;
            }
            return Ok(());
        }
    }
    // SAFETY: attached; a living wrapper.
    let native = unsafe { wrapper::borrow(wrapper) };
    let Some(native) = native.filter(|native| native.header().info().is_a(plan.info)) else {
        return Err(other_object(plan, wrapper));
    };
    let header: &Header = native.header();
    // SAFETY: attached; the arguments of one call.
    unsafe {
        fill_values(plan, bound, |number, value| {
            plan.fields[number].field.write(header, Some(value));
            Ok(())
        })?;
        if plan.post_init {
            post_init(plan, wrapper, bound)?;
        }
    }
    Ok(())
}

#[cold]
fn other_object(plan: &Plan, object: Object) -> Error {
    // SAFETY: attached; an argument of the call under way, or its receiver.
    let class = unsafe { Owned::lend(&object) }.class_name();
    let (name, key) = (plan.info.name(), plan.info.key());
    Error::type_error(format!(
        "{name}.__init__() makes {key} objects, it cannot make a {class}"
    ))
}

/// `tp_init` of the class itself, for calls that do not come by `vectorcall`.
pub(super) unsafe extern "C" fn record_init(wrapper: Object, arguments: Object, keywords: Object) -> c_int {
    // SAFETY: alive during the call; a tuple, and a dict or null.
    finish_status(|| unsafe {
        let Some(plan) = plan::deciding_plan(py::Py_TYPE(wrapper)) else {
            return Err(Error::type_error("not an object of a class defined in Python"));
        };
        from_objects(arguments, keywords, |arguments, count, names| {
            bind_arguments(plan, arguments, count, names, |bound| {
                assign_fields(plan, wrapper, bound)
            })
        })?;
        Ok(0)
    })
}

/// What the class's `__init__` calls: the object, and an argument for each parameter, in order; a
/// marker stands for none.
pub(super) unsafe extern "C" fn assign_all(
    module: Object,
    arguments: *mut Object,
    count: py::Py_ssize_t,
) -> Object {
    finish_call(|| {
        // SAFETY: attached; alive during the call.
        let plan = unsafe { plan::of_module(module) }
            .filter(|plan| count as usize == plan.params.len() + 1)
            .ok_or_else(|| Error::type_error("only __init__ of a class defined in Python calls this"))?;
        // SAFETY: so many arguments, one at least.
        let arguments = unsafe { std::slice::from_raw_parts(arguments, count as usize) };
        let (wrapper, given) = (arguments[0], &arguments[1..]);
        // SAFETY: attached; alive during the call.
        if !unsafe { wrapper::is_wrapper(wrapper) } {
            return Err(other_object(plan, wrapper));
        }
        let missing = plan.object(MISSING);
        let or_null = |given: &Object| {
            if *given == missing {
                std::ptr::null_mut()
            } else {
                *given
            }
        };
        let bound: Vec<Object> = given.iter().map(or_null).collect();
        let absent = |at: usize| bound[at].is_null() && matches!(plan.params[at].default, Default::Required);
        if (0..bound.len()).any(absent) {
            return Err(argument_errors::missing_arguments(plan, absent));
        }
        // SAFETY: attached; a living wrapper, and the arguments of one call.
        unsafe { assign_fields(plan, wrapper, &bound) }?;
        Ok(Owned::none())
    })
}
