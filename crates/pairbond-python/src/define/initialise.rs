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
    // SAFETY: attached; a living wrapper.
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
        let native = wrapper::borrow(wrapper);
        let Some(native) = native.filter(|native| native.header().info().is_a(plan.info)) else {
            return Err(Error::type_error(format!(
                "{}.__init__() makes {} objects, it cannot make a {}",
                plan.info.name(),
                plan.info.key(),
                crate::ffi::type_name(py::Py_TYPE(wrapper))
            )));
        };
        let header: &Header = native.header();
        fill_values(plan, bound, |number, value| {
            plan.fields[number].field.write(header, Some(value));
            Ok(())
        })?;
        if plan.post_init {
            post_init(plan, wrapper, bound)?;
        }
        Ok(())
    }
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
    // SAFETY: alive during the call.
    finish_call(|| unsafe {
        let plan = plan::of_module(module)
            .filter(|plan| count as usize == plan.params.len() + 1)
            .ok_or_else(|| Error::type_error("only __init__ of a class defined in Python calls this"))?;
        let wrapper = *arguments;
        if !wrapper::is_wrapper(wrapper) {
            return Err(Error::type_error(format!(
                "{}.__init__() makes {} objects, it cannot make a {}",
                plan.info.name(),
                plan.info.key(),
                crate::ffi::type_name(py::Py_TYPE(wrapper))
            )));
        }
        let missing = plan.object(MISSING);
        let bound: Vec<Object> = (1..count as usize)
            .map(|at| match *arguments.add(at) {
                given if given == missing => std::ptr::null_mut(),
                given => given,
            })
            .collect();
        let absent = |at: usize| bound[at].is_null() && matches!(plan.params[at].default, Default::Required);
        if (0..bound.len()).any(absent) {
            return Err(argument_errors::missing_arguments(plan, absent));
        }
        assign_fields(plan, wrapper, &bound)?;
        Ok(Owned::from_borrowed(py::Py_None()))
    })
}
