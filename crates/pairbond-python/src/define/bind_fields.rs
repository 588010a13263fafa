//! The arguments of a call, bound to the parameters of a class that was defined in Python.

use pairbond_core::error::Error;
use pyo3_ffi as py;

use super::plan::{self, Default, Plan};
use crate::owned::Owned;

type Object = *mut py::PyObject;

/// Parameters that are bound on the stack; classes with more allocate.
const FEW: usize = 16;

/// Binds arguments to parameters, and runs `run` with them; null where none was given.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `names` alive.
#[inline(always)]
pub(super) unsafe fn bind_arguments<R>(
    plan: &'static Plan,
    arguments: *const Object,
    count: usize,
    names: Object,
    run: impl FnOnce(&[Object]) -> Result<R, Error>,
) -> Result<R, Error> {
    let len = plan.params.len();
    let mut few = [std::ptr::null_mut(); FEW];
    let mut many;
    let bound = if len <= FEW {
        &mut few[..len]
    } else {
        many = vec![std::ptr::null_mut(); len];
        &mut many[..]
    };
    // SAFETY: the calling thread is attached to the interpreter, and the caller keeps `names`
    // alive: the caller ensures it. The arguments of one call.
    unsafe {
        if count > plan.positional {
            return Err(argument_errors::too_many(plan, count));
        }
        for (at, place) in bound[..count].iter_mut().enumerate() {
            *place = *arguments.add(at);
        }
        if !names.is_null() {
            for at in 0..py::PyTuple_GET_SIZE(names) {
                let name = py::PyTuple_GET_ITEM(names, at);
                let param = parameter_named(plan, name)?;
                if !bound[param].is_null() {
                    return Err(argument_errors::given_twice(plan, param));
                }
                bound[param] = *arguments.add(count + at as usize);
            }
        }
        let missing = |at: usize| bound[at].is_null() && matches!(plan.params[at].default, Default::Required);
        if (count..len).any(missing) {
            return Err(argument_errors::missing_arguments(plan, missing));
        }
    }
    run(bound)
}

/// The parameter of a name. CPython's names are interned, and so are ours.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `name` alive.
unsafe fn parameter_named(plan: &Plan, name: Object) -> Result<usize, Error> {
    let same = |param: &plan::Param| plan.object(param.name) == name;
    if let Some(at) = plan.params.iter().position(same) {
        return Ok(at);
    }
    // SAFETY: attached; a living object.
    let text = unsafe {
        if py::PyUnicode_Check(name) == 0 {
            return Err(Error::type_error("keywords must be strings"));
        }
        crate::errors::text_of(&Owned::from_borrowed(name)).unwrap_or_default()
    };
    plan.params
        .iter()
        .position(|param| param.text == text)
        .ok_or_else(|| argument_errors::unexpected_keyword(plan, &text))
}

/// Errors about the arguments of a call, in CPython's words.
pub(super) mod argument_errors {
    use pairbond_core::error::Error;

    use super::{Default, Plan};

    fn class_name(plan: &Plan) -> &'static str {
        plan.info.name()
    }

    #[cold]
    pub(super) fn too_many(plan: &Plan, given: usize) -> Error {
        let most = plan.positional;
        let required = plan.params[..most]
            .iter()
            .filter(|param| matches!(param.default, Default::Required))
            .count();
        // `self` counts, as for classes written in Python.
        let takes = match required == most {
            true => (most + 1).to_string(),
            false => format!("from {} to {}", required + 1, most + 1),
        };
        let s = if most == 0 { "" } else { "s" };
        Error::type_error(format!(
            "{}.__init__() takes {takes} positional argument{s} but {} were given",
            class_name(plan),
            given + 1
        ))
    }

    #[cold]
    pub(super) fn given_twice(plan: &Plan, at: usize) -> Error {
        let (name, param) = (class_name(plan), &plan.params[at].text);
        Error::type_error(format!(
            "{name}.__init__() got multiple values for argument '{param}'"
        ))
    }

    #[cold]
    pub(super) fn unexpected_keyword(plan: &Plan, text: &str) -> Error {
        let name = class_name(plan);
        Error::type_error(format!(
            "{name}.__init__() got an unexpected keyword argument '{text}'"
        ))
    }

    #[cold]
    pub(in crate::define) fn missing_arguments(plan: &Plan, missing: impl Fn(usize) -> bool) -> Error {
        let absent = |from: usize, to: usize| -> Vec<String> {
            let all = (from..to).filter(|at| missing(*at));
            all.map(|at| format!("'{}'", plan.params[at].text)).collect()
        };
        let positional = absent(0, plan.positional);
        let (kind, names) = if positional.is_empty() {
            ("keyword-only", absent(plan.positional, plan.params.len()))
        } else {
            ("positional", positional)
        };
        let s = if names.len() == 1 { "" } else { "s" };
        let list = match &names[..] {
            [first @ .., last] if first.len() > 1 => format!("{}, and {last}", first.join(", ")),
            names => names.join(" and "),
        };
        Error::type_error(format!(
            "{}.__init__() missing {} required {kind} argument{s}: {list}",
            class_name(plan),
            names.len()
        ))
    }
}
