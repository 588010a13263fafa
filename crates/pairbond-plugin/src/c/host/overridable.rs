//! Methods of C that a class made in Python may override.

use super::functions::arguments_of;
use crate::c::Text;
use crate::c::errors::{Problem, catch_errors, catch_errors_as_bool};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, Header};
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Overridable, call_object, overridden_object};
use pairbond_value::value::Any;

/// The method of a type with that name, for the process.
pub(super) unsafe extern "C" fn new(
    info: *const TypeInfo,
    name: Text,
    problem: Problem,
) -> *const Overridable {
    // SAFETY: a registered type, a text, a place for an error.
    unsafe {
        catch_errors(problem, || {
            let (info, name) = (&*info, name.get()?);
            let methods = info.members().map(|members| members.methods());
            let found = methods.and_then(|all| all.iter().find(|method| method.name == name));
            let Some(method) = found else {
                let why = format!("{} has no method {name:?}", info.key());
                return Err(Error::new(ErrorKind::Attribute, why));
            };
            let method = Box::leak(Box::new(Overridable::of_type(method.name, info)));
            Ok(std::ptr::from_ref(method))
        })
        .unwrap_or(std::ptr::null())
    }
}

/// Whether the class of an object's wrapper overrides a method.
pub(super) unsafe extern "C" fn is_overridden(
    object: *mut Header,
    method: *const Overridable,
    out: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: a living object, what `new` made, places for the result and an error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let object = ErasedBorrow::from_header(std::ptr::NonNull::new_unchecked(object));
            out.write(overridden_object(object, &*method)?);
            Ok(())
        })
    }
}

/// Calls the method of the class of an object's wrapper.
pub(super) unsafe extern "C" fn call_override(
    object: *const Header,
    method: *const Overridable,
    arguments: *const Any,
    count: usize,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: a living object, what `new` made, so many arguments, places for the result and an
    // error.
    unsafe {
        catch_errors_as_bool(problem, || {
            let arguments = arguments_of(arguments, count);
            out.write(call_object(&*object, &*method, arguments)?);
            Ok(())
        })
    }
}
