//! Functions that are known to the whole process by name.
//!
//! The registry belongs to the process's runtime, so that separately built binaries and every
//! interpreter see the same one. It calls nothing foreign under its lock: functions are cloned and
//! dropped outside, because the last reference to one may run a destructor.
//!
//! A function of an interpreter that ends is taken out before the interpreter tears its objects
//! down ([`end_functions`]); its name stays, and says so.
//!
//! A static initialiser runs before its binary has joined the process's runtime, so it makes no
//! function but leaves word how to ([`register_function_at_start`]); the functions are made when
//! the binary joins, or when somebody asks for one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::PoisonError;

use crate::error::{Error, ErrorKind};
use crate::frontend::frontend;
use crate::runtime::runtime;
use crate::sync::statics::Mutex;
use crate::value::Function;

/// A function, or `None` when its interpreter has ended.
type Functions = BTreeMap<String, Option<Function>>;

/// The functions of a runtime.
pub(crate) struct Registry(Mutex<Functions>);

/// How a look-up ended.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Function,
    Ended,
    Nothing,
}

impl Registry {
    pub(crate) const fn new() -> Self {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// The registry's lock, if it is free: for who forks.
    pub(crate) fn try_hold(&self) -> Option<impl Sized + '_> {
        crate::runtime::fork::free(self.0.try_lock())
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Functions) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `Err`: the name is taken; the function comes back. `Ok`: the one before.
    pub(crate) fn register(
        &self,
        name: &str,
        function: Function,
        replace: bool,
    ) -> Result<Option<Function>, Function> {
        self.locked(|all| match all.entry(name.to_owned()) {
            Entry::Vacant(place) => {
                place.insert(Some(function));
                Ok(None)
            }
            Entry::Occupied(mut place) if replace || place.get().is_none() => {
                Ok(place.insert(Some(function)))
            }
            Entry::Occupied(_) => Err(function),
        })
    }

    pub(crate) fn get(&self, name: &str) -> (Found, Option<Function>) {
        self.locked(|all| match all.get(name) {
            Some(Some(function)) => (Found::Function, Some(function.clone())),
            Some(None) => (Found::Ended, None),
            None => (Found::Nothing, None),
        })
    }

    pub(crate) fn remove(&self, name: &str) -> Option<Function> {
        self.locked(|all| all.remove(name)).flatten()
    }

    /// Takes out the functions of an interpreter.
    pub(crate) fn end(&self, tag: u16) -> Vec<Function> {
        self.locked(|all| {
            let ours = |f: &Function| f.foreign().is_some_and(|foreign| foreign.tag() == tag);
            all.values_mut()
                .filter(|function| function.as_ref().is_some_and(ours))
                .filter_map(Option::take)
                .collect()
        })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.locked(|all| {
            all.iter()
                .filter(|(_, function)| function.is_some())
                .map(|(name, _)| name.clone())
                .collect()
        })
    }
}

/// A name, and how its function is made.
type Announced = (&'static str, fn() -> Function);

/// What static initialisers left word about.
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
            Some((name, make)) => add(name, make(), false)?,
            None => return Ok(()),
        }
    }
}

fn add(name: &str, function: Function, replace: bool) -> Result<(), Error> {
    let function = std::mem::ManuallyDrop::new(function);
    // SAFETY: a string and a function, which is given away.
    let done = unsafe {
        (runtime().register_function)(name.as_ptr(), name.len(), std::ptr::from_ref(&*function), replace)
    };
    if done {
        return Ok(());
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
    add(name, function, replace)
}

/// The function of a name: the same each time.
///
/// # Errors
/// `KeyError`: there is none; similar names are suggested. [`ErrorKind::Closed`]: its interpreter
/// has ended.
pub fn get_function(name: &str) -> Result<Function, Error> {
    register_functions()?;
    let mut function = std::mem::MaybeUninit::uninit();
    // SAFETY: a string, and a place for a function.
    let found = unsafe { (runtime().get_function)(name.as_ptr(), name.len(), function.as_mut_ptr()) };
    match found {
        Found::Function => {
            // SAFETY: the runtime has written one if it found one.
            let function: Function = unsafe { function.assume_init() };
            match function.foreign() {
                Some(foreign) if frontend(foreign.tag()).is_disarmed() => Err(ended(name)),
                _ => Ok(function),
            }
        }
        Found::Ended => Err(ended(name)),
        Found::Nothing => Err(unknown(name)),
    }
}

#[cold]
fn ended(name: &str) -> Error {
    Error::new(
        ErrorKind::Closed,
        format!("the interpreter that registered the function '{name}' has ended"),
    )
}

#[cold]
fn unknown(name: &str) -> Error {
    let mut near: Vec<(usize, String)> = function_names()
        .into_iter()
        .map(|other| (distance(name, &other), other))
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
pub(crate) fn distance(one: &str, other: &str) -> usize {
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
    let mut function = std::mem::MaybeUninit::uninit();
    // SAFETY: a string, and a place for a function, which is written when there is one.
    unsafe {
        (runtime().remove_function)(name.as_ptr(), name.len(), function.as_mut_ptr())
            .then(|| function.assume_init())
    }
}

/// The names of all functions, sorted.
#[must_use]
pub fn function_names() -> Vec<String> {
    unsafe extern "C" fn push(all: *mut std::ffi::c_void, name: *const u8, len: usize) {
        // SAFETY: `all` is the vector below; a string.
        unsafe {
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
            (*all.cast::<Vec<String>>()).push(name.to_owned());
        }
    }
    let mut all: Vec<String> = Vec::new();
    // SAFETY: the function fits its argument.
    unsafe { (runtime().each_function)(std::ptr::from_mut(&mut all).cast(), push) };
    all
}

/// Takes out the functions of an interpreter that ends. For its frontend, while it still works.
pub fn end_functions(tag: u16) {
    // SAFETY: any tag will do.
    unsafe { (runtime().end_functions)(tag) }
}
