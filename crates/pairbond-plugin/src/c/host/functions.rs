//! Functions as values, the process's functions by name, and threads.

use std::ffi::c_void;

use crate::c::Text;
use crate::c::errors::{Problem, call_checked, catch_errors_as_bool, catch_silently};
use pairbond_core::error::Error;
use pairbond_core::frontend::check_signals;
use pairbond_value::class::detached_call;
use pairbond_value::value::{
    Any, Function, List, function_names, get_function, register_function, remove_function,
};

type Callback = unsafe extern "C" fn(*mut c_void, *const Any, usize, *mut Any, Problem) -> bool;
type Destroy = unsafe extern "C" fn(*mut c_void);

/// The context of a function of C, destroyed with the function.
struct Closure {
    callback: Callback,
    context: *mut c_void,
    destroy: Option<Destroy>,
}

/// A value that owns something of C's, and does nothing else.
pub(super) fn context_owner(context: *mut c_void, destroy: Option<Destroy>) -> Any {
    unsafe extern "C" fn refuse_call(
        _: *mut c_void,
        _: *const Any,
        _: usize,
        _: *mut Any,
        _: Problem,
    ) -> bool {
        false
    }
    let closure = Closure {
        callback: refuse_call,
        context,
        destroy,
    };
    Any::Function(Function::new("memory", move |arguments: &[Any]| {
        closure.call_closure(arguments)
    }))
}

// SAFETY: `pairbond.h` demands of functions that they can be called and destroyed on any thread.
unsafe impl Send for Closure {}
// SAFETY: `pairbond.h` demands of functions that they can be called and destroyed on any thread.
unsafe impl Sync for Closure {}

impl Drop for Closure {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: once, with its context.
            unsafe { destroy(self.context) }
        }
    }
}

impl Closure {
    fn call_closure(&self, arguments: &[Any]) -> Result<Any, Error> {
        let mut out = Any::None;
        // SAFETY: the function with its context; arguments for the call, places for its outcome.
        unsafe {
            call_checked(|error| {
                (self.callback)(
                    self.context,
                    arguments.as_ptr(),
                    arguments.len(),
                    &raw mut out,
                    error,
                )
            })
        }?;
        Ok(out)
    }
}

pub(super) unsafe extern "C" fn new(
    name: Text,
    callback: Callback,
    context: *mut c_void,
    destroy: Option<Destroy>,
    out: *mut Any,
    problem: Problem,
) -> bool {
    let closure = Closure {
        callback,
        context,
        destroy,
    };
    // SAFETY: a text, places for a value and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let name = name.get()?.to_owned();
            let function = Function::new(name, move |arguments: &[Any]| closure.call_closure(arguments));
            out.write(Any::Function(function));
            Ok(())
        })
    }
}

/// The arguments of a call.
///
/// # Safety
/// So many values, for the lifetime that the caller chooses.
pub(super) unsafe fn arguments_of<'a>(arguments: *const Any, count: usize) -> &'a [Any] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's values.
    unsafe { std::slice::from_raw_parts(arguments, count) }
}

pub(super) unsafe extern "C" fn call_function(
    function: *const Any,
    arguments: *const Any,
    count: usize,
    names: *const Text,
    named: usize,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: a value, so many arguments and names, places for a value and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let Any::Function(function) = &*function else {
                return Err(Error::type_error(format!(
                    "expected a function, got a {}",
                    (*function).view().kind()
                )));
            };
            if named > count {
                return Err(Error::value_error("there are more names than arguments"));
            }
            let mut texts = Vec::with_capacity(named);
            for at in 0..named {
                texts.push((*names.add(at)).get()?);
            }
            let arguments = arguments_of(arguments, count);
            out.write(function.call_with(arguments, &texts)?);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn find_function(name: Text, out: *mut Any, problem: Problem) -> bool {
    // SAFETY: a text, places for a value and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            out.write(Any::Function(get_function(name.get()?)?));
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn publish_function(
    name: Text,
    function: *const Any,
    replace: bool,
    problem: Problem,
) -> bool {
    // SAFETY: a text, a value, a place for an error.
    unsafe {
        catch_errors_as_bool(problem, || match &*function {
            Any::Function(function) => register_function(name.get()?, function.clone(), replace),
            other => Err(Error::type_error(format!(
                "expected a function, got a {}",
                other.view().kind()
            ))),
        })
    }
}

pub(super) unsafe extern "C" fn withdraw_function(name: Text) -> bool {
    // SAFETY: a text.
    let name = unsafe { crate::c::errors::text_lossy(name) };
    catch_silently(|| remove_function(&name).is_some()).unwrap_or(false)
}

/// The names of all functions, sorted, as a list.
pub(super) unsafe extern "C" fn list_function_names(out: *mut Any, problem: Problem) -> bool {
    // SAFETY: places for a value and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let names: List<Any> = List::new();
            for name in function_names() {
                names.push(Any::from(name.as_str()));
            }
            out.write(Any::from_object(names.into_erased()));
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn detach_and_run(run: unsafe extern "C" fn(*mut c_void), context: *mut c_void) {
    // SAFETY: the function with its context.
    detached_call(|| unsafe { run(context) });
}

pub(super) unsafe extern "C" fn poll_signals(problem: Problem) -> bool {
    // SAFETY: a place for an error.
    unsafe { catch_errors_as_bool(problem, check_signals) }
}
