//! The functions of the process, by name, as Python sees them.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_macros::function;
use pairbond_value::value::{self, Function, Str};

/// Makes a function known to the whole process by a name, and returns it. Without a function: a
/// decorator.
#[function(crate = crate::expansion)]
pub(super) fn register_function(
    name: Str,
    f: Option<Function>,
    #[default(false)] r#override: bool,
) -> Result<Function, Error> {
    if let Some(f) = f {
        value::register_function(&name, f.clone(), r#override)?;
        return Ok(f);
    }
    let decorator = Function::build("register_function").parameter("f").from(
        move |f: Function| -> Result<Function, Error> {
            value::register_function(&name, f.clone(), r#override)?;
            Ok(f)
        },
    );
    Ok(decorator)
}

/// The function of a name: the same each time, and the very object that was registered.
#[function(crate = crate::expansion)]
pub(super) fn get_function(name: &str) -> Result<Function, Error> {
    value::get_function(name)
}

/// Forgets a name, and returns its function.
#[function(crate = crate::expansion)]
pub(super) fn remove_function(name: &str) -> Result<Function, Error> {
    value::remove_function(name).ok_or_else(|| {
        Error::new(
            ErrorKind::Key,
            format!("no function named '{name}' is registered"),
        )
    })
}

/// The names of all functions that are known to the process, sorted.
#[function(crate = crate::expansion)]
pub(super) fn function_names() -> Vec<String> {
    value::function_names()
}
