//! Calling a class that was defined in Python.
//!
//! `Circle(…)` on the class itself is one step, `record_vectorcall`: arguments and defaults go from
//! Python objects into the fields of a native object in the making, and wrapper and object are not
//! shared before all are there. Then `__post_init__` is called, if there is one. By `__new__` and
//! `__init__` (classes that extend it, classes with an `__init__` of their own) the fields of the
//! object are empty or have their plain defaults, and `__init__` assigns them (`initialise`).

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use pairbond_core::error::Error;
use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::object::{Header, Pair};
use pairbond_dynamic::{Making, Storage, Value};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::bind_fields::bind_arguments;
use super::convert;
use super::plan::{self, Default, POST_INIT, Plan, Target};
use crate::call::refuse_abstract;
use crate::class::BaseConstructor;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::ffi::enable_try_incref;
use crate::interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{self, Wrapper};

type Object = *mut py::PyObject;

/// `tp_new` of classes that were defined in Python: an object with plain defaults. The arguments
/// are `__init__`'s business.
pub(super) unsafe extern "C" fn new(class: *mut py::PyTypeObject, _: Object, _: Object) -> Object {
    // SAFETY: called by CPython with a living class.
    finish_call(|| unsafe {
        let Some(plan) = plan::deciding_plan(class) else {
            return Err(Error::type_error(format!(
                "cannot create '{}' instances: it is the base of classes that @pairbond.object defines",
                crate::ffi::type_name(class)
            )));
        };
        refuse_abstract(class)?;
        let wrapper = owned_or_error(wrapper::allocate(class))?;
        if wrapper::is_exact(class) {
            wrapper::track_if(wrapper.as_ptr(), plan.info);
        }
        wrapper::tie_with(wrapper.as_ptr(), |pair| {
            let mut making = Making::begin_object(plan.info, Some(pair))?;
            for param in &plan.params {
                if let Target::Field(number) = param.to {
                    fill_plain_default(plan, &mut making, number, &param.default)?;
                }
            }
            for (number, default) in &plan.fixed {
                fill_plain_default(plan, &mut making, *number, default)?;
            }
            making.finish()
        })?;
        Ok(wrapper)
    })
}

/// Fills a default in that is a value.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn fill_plain_default(
    plan: &Plan,
    making: &mut Making,
    number: usize,
    default: &Default,
) -> Result<(), Error> {
    if matches!(default, Default::Object(_)) {
        // SAFETY: each field once.
        unsafe { making.fill_field(number, of_default(plan, number, default)?) };
    }
    Ok(())
}

/// A default in the form of a field. The thread is attached.
#[inline]
pub(super) fn of_default(plan: &Plan, number: usize, default: &Default) -> Result<Value, Error> {
    let access = plan.fields[number];
    match default {
        Default::Object(object) => match plan.stored[number].get() {
            Some(stored) => Ok(match (access.field.storage(), stored) {
                (Storage::Float, Any::Float(float)) => Value::Float(*float),
                (Storage::Bool, Any::Bool(bool)) => Value::Bool(*bool),
                (_, any) => Value::Any(any.clone()),
            }),
            // SAFETY: attached; the plan's own objects.
            None => unsafe { convert::convert_field(access, plan.owned_object(*object)?.as_ptr()) },
        },
        Default::Empty(kind) => convert::empty_container(kind).map(Value::Any),
        Default::Factory(factory) => {
            let factory = plan.owned_object(*factory)?;
            let made = factory.call0()?;
            // SAFETY: attached; the plan's own objects.
            unsafe { convert::convert_field(access, made.as_ptr()) }
        }
        Default::Required | Default::Theirs => Err(Error::runtime_error("a required field without a value")),
    }
}

/// The values of all parameters, given or by default, in the order of the parameters.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[inline(always)]
pub(super) unsafe fn fill_values(
    plan: &'static Plan,
    bound: &[Object],
    mut put: impl FnMut(usize, Value) -> Result<(), Error>,
) -> Result<(), Error> {
    for (param, given) in plan.params.iter().zip(bound) {
        let Target::Field(number) = param.to else { continue };
        let value = if given.is_null() {
            of_default(plan, number, &param.default)?
        } else {
            // SAFETY: attached; the arguments are alive.
            unsafe { convert::convert_field(plan.fields[number], *given) }?
        };
        put(number, value)?;
    }
    for (number, default) in &plan.fixed {
        put(*number, of_default(plan, *number, default)?)?;
    }
    Ok(())
}

/// Calls `__post_init__` with the arguments that are for it.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cold]
#[inline(never)]
pub(super) unsafe fn post_init(plan: &'static Plan, wrapper: Object, bound: &[Object]) -> Result<(), Error> {
    let name = plan.owned_object(POST_INIT)?;
    // SAFETY: attached; all are alive.
    let mut held: Vec<Owned> = unsafe { vec![Owned::from_borrowed(wrapper)] };
    for (param, given) in plan.params.iter().zip(bound) {
        if matches!(param.to, Target::PostInit) {
            held.push(match (&param.default, given.is_null()) {
                // SAFETY: attached; all are alive.
                (_, false) => unsafe { Owned::from_borrowed(*given) },
                (Default::Object(object), true) => plan.owned_object(*object)?,
                (Default::Factory(factory), true) => {
                    let factory = plan.owned_object(*factory)?;
                    factory.call0()?
                }
                (_, true) => return Err(Error::runtime_error("an argument without a value")),
            });
        }
    }
    let arguments: Vec<Object> = held.iter().map(Owned::as_ptr).collect();
    // SAFETY: attached; all are alive.
    unsafe {
        owned_or_error(running::PyObject_VectorcallMethod(
            name.as_ptr(),
            arguments.as_ptr(),
            arguments.len(),
            std::ptr::null_mut(),
        ))
    }
    .map(drop)
}

/// `tp_vectorcall`: the class itself is called.
pub(super) unsafe extern "C" fn record_vectorcall(
    class: Object,
    arguments: *const Object,
    count: usize,
    names: Object,
) -> Object {
    let class = class.cast::<py::PyTypeObject>();
    // SAFETY: a living type; the arguments of one call.
    unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        let plan = plan::of_class(class).filter(|plan| is_as_built(plan, class));
        let Some(plan) = plan else {
            return crate::call::generic_call(class, arguments, count, names);
        };
        finish_call(|| {
            bind_arguments(plan, arguments, count, names, |bound| {
                make_record(plan, class, bound)
            })
        })
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn is_as_built(plan: &Plan, class: *mut py::PyTypeObject) -> bool {
    let (init, new) = (
        plan.init.load(Ordering::Relaxed),
        plan.new.load(Ordering::Relaxed),
    );
    // SAFETY: a living class.
    unsafe {
        crate::call::is_as_built(class, init, new) && !crate::ffi::has_flag(class, py::Py_TPFLAGS_IS_ABSTRACT)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
#[inline(always)]
unsafe fn make_record(
    plan: &'static Plan,
    class: *mut py::PyTypeObject,
    bound: &[Object],
) -> Result<Owned, Error> {
    // SAFETY: attached; the wrapper is not shared until the object is there.
    unsafe {
        let wrapper = owned_or_error(wrapper::allocate(class))?;
        let pair = Pair::new(interp::tag(), wrapper.as_ptr().cast());
        let native = make_object(plan, pair, bound)?;
        wrapper::track_if(wrapper.as_ptr(), plan.info);
        enable_try_incref(wrapper.as_ptr());
        (*wrapper.as_ptr().cast::<Wrapper>()).native = native.as_ptr();
        notify_object_event(Kind::Tied, native.as_ref(), pair.tag());
        if plan.post_init {
            post_init(plan, wrapper.as_ptr(), bound)?;
        }
        Ok(wrapper)
    }
}

/// A new native object.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[inline(always)]
pub(super) unsafe fn make_object(
    plan: &'static Plan,
    pair: Pair,
    bound: &[Object],
) -> Result<NonNull<Header>, Error> {
    let mut making = Making::begin_object(plan.info, Some(pair))?;
    // SAFETY: attached; the arguments are alive; each field is filled in once.
    unsafe {
        if let Some(base) = plan.base {
            put_base(plan, base, &mut making, bound)?;
        }
        fill_values(plan, bound, |number, value| {
            making.fill_field(number, value);
            Ok(())
        })?;
    }
    making.finish()
}

/// The value of the Rust type, from the arguments that are its constructor's.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[inline(never)]
unsafe fn put_base(
    plan: &'static Plan,
    base: &BaseConstructor,
    making: &mut Making,
    bound: &[Object],
) -> Result<(), Error> {
    let given: Vec<(Object, Owned)> = plan
        .params
        .iter()
        .zip(bound)
        .filter(|(param, given)| matches!(param.to, Target::Base) && !given.is_null())
        .map(|(param, given)| Ok((*given, plan.owned_object(param.name)?)))
        .collect::<Result<_, Error>>()?;
    let arguments: Vec<Object> = given.iter().map(|(given, _)| *given).collect();
    // SAFETY: attached; a new tuple, each place filled once; a value of the type is written, or an
    // error.
    unsafe {
        let names = owned_or_error(py::PyTuple_New(given.len() as py::Py_ssize_t))?;
        for (at, (_, name)) in given.into_iter().enumerate() {
            py::PyTuple_SET_ITEM(names.as_ptr(), at as py::Py_ssize_t, name.into_ptr());
        }
        making.put_base(|place| {
            let mut error = None;
            match (base.write)(place, arguments.as_ptr(), 0, names.as_ptr(), &mut error) {
                true => Ok(()),
                false => Err(error.unwrap_or_else(|| Error::runtime_error("a constructor failed"))),
            }
        })
    }
}
