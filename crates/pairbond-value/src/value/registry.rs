//! Functions that are known to the whole process by name.
//!
//! The registry belongs to the process's runtime (`runtime/functions.rs` in the core), so that
//! separately built binaries and every interpreter see the same one.
//!
//! A function of an interpreter that ends is taken out before the interpreter tears its objects
//! down ([`end_functions`]); its name stays, and says so.
//!
//! A static initialiser runs before its binary has joined the process's runtime, so it makes no
//! function but leaves word how to ([`register_function_at_start`]); the functions are made when
//! the binary joins, or when one is looked up.

use std::sync::PoisonError;

use crate::error::{Error, ErrorKind};
use crate::frontend::frontend_of;
use crate::runtime::{Found, find_function, function_names, runtime_table};
use crate::sync::statics::Mutex;
use crate::value::Function;

/// A name, and how its function is made.
type Announced = (&'static str, fn() -> Function);

/// Functions announced by static initialisers.
static AT_START: Mutex<Vec<Announced>> = Mutex::new(Vec::new());

/// Registers a function as soon as this binary has joined the process's runtime. For static
/// initialisers (`pairbond::global!` writes one), before `main` and before an extension module is
/// imported.
pub fn register_function_at_start(name: &'static str, make: fn() -> Function) {
    AT_START
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((name, make));
}

/// Makes and registers what static initialisers of this binary left word about. Frontends do so
/// when a binary joins.
///
/// # Errors
/// A name is taken.
pub fn register_functions() -> Result<(), Error> {
    loop {
        // Not held while functions are made.
        let next = AT_START.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match next {
            Some((name, make)) => add_function(name, make(), false)?,
            None => return Ok(()),
        }
    }
}

fn add_function(name: &str, function: Function, replace: bool) -> Result<(), Error> {
    let function = std::mem::ManuallyDrop::new(function);
    // SAFETY: a string and a function, which is given away.
    let done = unsafe {
        (runtime_table().register_function)(
            name.as_ptr(),
            name.len(),
            std::ptr::from_ref(&*function).cast(),
            replace,
        )
    };
    if done {
        return Ok(());
    }
    if find_function(name).0 == Found::Nothing {
        return Err(Error::new(
            ErrorKind::Memory,
            "there is no memory to register a function",
        ));
    }
    Err(Error::value_error(format!(
        "a function named '{name}' is registered already; pass override=True to replace it"
    )))
}

/// Makes a function known to the whole process by a name.
///
/// # Errors
/// `ValueError`: the name is empty, or taken and `replace` is not set.
pub fn register_function(name: &str, function: Function, replace: bool) -> Result<(), Error> {
    register_functions()?;
    if name.is_empty() {
        return Err(Error::value_error("a global function needs a name"));
    }
    add_function(name, function, replace)
}

/// The function of a name: the same each time.
///
/// # Errors
/// `KeyError`: there is none; similar names are suggested. [`ErrorKind::Closed`]: its interpreter
/// has ended.
pub fn get_function(name: &str) -> Result<Function, Error> {
    register_functions()?;
    match find_function(name) {
        (Found::Function, Some(function)) => {
            let function = Function::from_word(function);
            match function.foreign() {
                Some(foreign) if frontend_of(foreign.tag()).is_disarmed() => Err(ended_error(name)),
                _ => Ok(function),
            }
        }
        (Found::Nothing, _) => Err(unknown_error(name)),
        _ => Err(ended_error(name)),
    }
}

#[cold]
fn ended_error(name: &str) -> Error {
    Error::new(
        ErrorKind::Closed,
        format!("the interpreter that registered the function '{name}' has ended"),
    )
}

#[cold]
fn unknown_error(name: &str) -> Error {
    let mut near: Vec<(usize, String)> = function_names()
        .into_iter()
        .map(|other| (edit_distance(name, &other), other))
        .filter(|(distance, other)| *distance <= 1 + name.len().max(other.len()) / 4)
        .collect();
    near.sort();
    near.truncate(3);
    let mut message = format!("no function named '{name}' is registered");
    if !near.is_empty() {
        let names: Vec<String> = near.into_iter().map(|(_, name)| format!("'{name}'")).collect();
        message.push_str(&format!("; did you mean {}?", names.join(" or ")));
    }
    Error::key_error(message)
}

/// How many letters are to be changed, left out or added (Levenshtein).
pub(crate) fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Forgets a name. `None`: there was no function of that name.
pub fn remove_function(name: &str) -> Option<Function> {
    let mut function = std::mem::MaybeUninit::<Function>::uninit();
    // SAFETY: a string, and a place for a function, which is written when there is one.
    unsafe {
        (runtime_table().remove_function)(name.as_ptr(), name.len(), function.as_mut_ptr().cast())
            .then(|| function.assume_init())
    }
}

/// Takes out the functions of an interpreter that ends. For its frontend, while it still works.
pub fn end_functions(tag: u16) {
    // SAFETY: any tag will do.
    unsafe { (runtime_table().end_functions)(tag) }
}
