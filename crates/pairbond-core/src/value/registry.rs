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

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, TryReserveError};
use std::sync::PoisonError;

use crate::error::{Error, ErrorKind};
use crate::frontend::frontend;
use crate::memory::{has_room, or_unwind, try_push, try_push_str};
use crate::runtime::runtime;
use crate::sync::statics::Mutex;
use crate::value::Function;

/// A function, or `None` when its interpreter has ended.
type Functions = BTreeMap<String, Option<Function>>;

/// More than a node of that map has.
const NODE: usize = 1 << 10;

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
        crate::runtime::fork::guard_if_free(self.0.try_lock())
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Functions) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `Err`: the name is taken, or there is no memory; the function comes back. `Ok`: the one
    /// before.
    pub(crate) fn register(
        &self,
        name: &str,
        function: Function,
        replace: bool,
    ) -> Result<Option<Function>, Function> {
        let mut owned = String::new();
        // A name and a node of the map, which has room for eleven.
        if try_push_str(&mut owned, name).is_err() || !has_room(NODE) {
            return Err(function);
        }
        self.locked(|all| match all.entry(owned) {
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

    /// Takes out the functions of an interpreter, and drops them. Some at a time, outside of the
    /// lock: an interpreter may end without memory.
    pub(crate) fn end(&self, tag: u16) {
        const AT_ONCE: usize = 32;
        let ours = |f: &Function| f.foreign().is_some_and(|foreign| foreign.tag() == tag);
        loop {
            let mut some = [const { None }; AT_ONCE];
            let count = self.locked(|all| {
                let found = all
                    .values_mut()
                    .filter(|function| function.as_ref().is_some_and(ours));
                let taken = some.iter_mut().zip(found);
                taken.map(|(place, function)| *place = function.take()).count()
            });
            drop(some);
            if count < AT_ONCE {
                return;
            }
        }
    }

    /// Calls a function, which must not come back here, with each name.
    pub(crate) fn each_name(&self, mut each: impl FnMut(&str)) {
        self.locked(|all| {
            all.iter()
                .filter(|(_, function)| function.is_some())
                .for_each(|(name, _)| each(name));
        });
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
            Some((name, make)) => add_function(name, make(), false)?,
            None => return Ok(()),
        }
    }
}

fn add_function(name: &str, function: Function, replace: bool) -> Result<(), Error> {
    let function = std::mem::ManuallyDrop::new(function);
    // SAFETY: a string and a function, which is given away.
    let done = unsafe {
        (runtime().register_function)(name.as_ptr(), name.len(), std::ptr::from_ref(&*function), replace)
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
        (Found::Function, Some(function)) => match function.foreign() {
            Some(foreign) if frontend(foreign.tag()).is_disarmed() => Err(ended_error(name)),
            _ => Ok(function),
        },
        (Found::Nothing, _) => Err(unknown_error(name)),
        _ => Err(ended_error(name)),
    }
}

fn find_function(name: &str) -> (Found, Option<Function>) {
    let mut function = std::mem::MaybeUninit::uninit();
    // SAFETY: a string, and a place for a function, which is written when there is one.
    unsafe {
        let found = (runtime().get_function)(name.as_ptr(), name.len(), function.as_mut_ptr());
        let is_there = found == Found::Function;
        (found, is_there.then(|| function.assume_init()))
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
    let mut function = std::mem::MaybeUninit::uninit();
    // SAFETY: a string, and a place for a function, which is written when there is one.
    unsafe {
        (runtime().remove_function)(name.as_ptr(), name.len(), function.as_mut_ptr())
            .then(|| function.assume_init())
    }
}

/// The names of all functions, sorted. Without memory it unwinds with a `MemoryError`.
#[must_use]
pub fn function_names() -> Vec<String> {
    type Names = Result<Vec<String>, TryReserveError>;
    unsafe extern "C" fn push_name(all: *mut std::ffi::c_void, name: *const u8, len: usize) {
        // SAFETY: `all` is the result below; a string.
        unsafe {
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
            let names = &mut *all.cast::<Names>();
            if let Ok(all) = names {
                let mut own = String::new();
                let added = try_push_str(&mut own, name).and_then(|()| try_push(all, own));
                if let Err(error) = added {
                    *names = Err(error);
                }
            }
        }
    }
    let mut all: Names = Ok(Vec::new());
    // SAFETY: the function fits its argument.
    unsafe { (runtime().each_function)(std::ptr::from_mut(&mut all).cast(), push_name) };
    or_unwind(all)
}

/// Takes out the functions of an interpreter that ends. For its frontend, while it still works.
pub fn end_functions(tag: u16) {
    // SAFETY: any tag will do.
    unsafe { (runtime().end_functions)(tag) }
}
