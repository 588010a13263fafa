//! The process's functions by name. To the core each is a [`Word`]: the object that a native one
//! is, or the callable object of a frontend.
//!
//! Nothing foreign is called under the lock: functions are cloned and dropped outside, because the
//! last reference to one may run a destructor.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, TryReserveError};
use std::ffi::c_void;
use std::sync::PoisonError;

use super::runtime_table;
use crate::alloc::{has_room, try_push, try_push_str};
use crate::any::tagged_word::Word;
use crate::error::or_unwind;
use crate::fork::{Guards, guard_if_free};
use crate::sync::statics::Mutex;

/// A function, or `None` when its interpreter has ended.
type Functions = BTreeMap<String, Option<Word>>;

/// More than a node of that map has.
const NODE: usize = 1 << 10;

/// The functions of a runtime.
pub(crate) struct Registry(Mutex<Functions>);

/// How a look-up ended.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Found {
    /// There is one.
    Function,
    /// Its interpreter has ended.
    Ended,
    /// There is none.
    Nothing,
}

impl Registry {
    pub(crate) const fn new() -> Self {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// The registry's lock, if it is free: for who forks.
    pub(super) fn try_hold(&'static self) -> Option<Guards> {
        Some(Box::new(guard_if_free(self.0.try_lock())?))
    }

    fn with_locked<R>(&self, f: impl FnOnce(&mut Functions) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `Err`: the name is taken, or there is no memory; the function comes back. `Ok`: the one
    /// before.
    pub(crate) fn register_function(
        &self,
        name: &str,
        function: Word,
        replace: bool,
    ) -> Result<Option<Word>, Word> {
        let mut owned = String::new();
        // A name and a node of the map, which has room for eleven.
        if try_push_str(&mut owned, name).is_err() || !has_room(NODE) {
            return Err(function);
        }
        self.with_locked(|all| match all.entry(owned) {
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

    pub(crate) fn get(&self, name: &str) -> (Found, Option<Word>) {
        self.with_locked(|all| match all.get(name) {
            Some(Some(function)) => (Found::Function, Some(function.clone())),
            Some(None) => (Found::Ended, None),
            None => (Found::Nothing, None),
        })
    }

    pub(crate) fn remove(&self, name: &str) -> Option<Word> {
        self.with_locked(|all| all.remove(name)).flatten()
    }

    /// Takes out the functions of an interpreter, and drops them. Some at a time, outside of the
    /// lock: an interpreter may end without memory.
    pub(crate) fn end_interpreter(&self, tag: u16) {
        const AT_ONCE: usize = 32;
        let ours = |function: &Word| function.as_foreign().is_some_and(|(owner, _)| owner == tag);
        loop {
            let mut some = [const { None }; AT_ONCE];
            let count = self.with_locked(|all| {
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
        self.with_locked(|all| {
            all.iter()
                .filter(|(_, function)| function.is_some())
                .for_each(|(name, _)| each(name));
        });
    }
}

/// The function of a name.
#[doc(hidden)]
#[must_use]
pub fn find_function(name: &str) -> (Found, Option<Word>) {
    let mut function = std::mem::MaybeUninit::uninit();
    // SAFETY: a string, and a place for a function, which is written when there is one.
    unsafe {
        let found = (runtime_table().get_function)(name.as_ptr(), name.len(), function.as_mut_ptr());
        let is_there = found == Found::Function;
        (found, is_there.then(|| function.assume_init()))
    }
}

/// The names of all functions, sorted. Without memory it unwinds with a `MemoryError`.
#[must_use]
pub fn function_names() -> Vec<String> {
    type Names = Result<Vec<String>, TryReserveError>;
    unsafe extern "C" fn push_name(all: *mut c_void, name: *const u8, len: usize) {
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
    unsafe { (runtime_table().each_function)(std::ptr::from_mut(&mut all).cast(), push_name) };
    or_unwind(all)
}
