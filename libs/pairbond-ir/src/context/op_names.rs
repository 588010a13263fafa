//! [`Names`]: what operations are called, each name as one string for all that are called so.

use std::sync::PoisonError;

use pairbond::fork::Mutex;
use pairbond::prelude::*;

use crate::by_name::{RECENT, slot_index};
use crate::error;
use crate::fast::FastMap;
use crate::room::Room;

/// See the head of this file.
#[derive(Default)]
pub(super) struct Names(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Some, by their length and their last bytes: mostly one of the few that are made just now is
    /// asked for.
    recent: [Option<Str>; RECENT],
    all: FastMap<Box<str>, Str>,
    /// Names of attributes, likewise. No table has them: there may be any number of them.
    words: [Option<Str>; RECENT],
}

/// Strings as long need no memory of their own.
const SHORT: usize = 7;

impl Names {
    /// Nothing that runs under the lock can panic, except for want of memory.
    #[inline]
    fn with_table<R>(&self, use_it: impl FnOnce(&mut Known) -> R) -> R {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The string of a name.
    ///
    /// # Errors
    /// It is empty, or has a null character.
    pub(super) fn get(&self, name: &str) -> Result<Str> {
        let at = slot_index(name);
        let recent = |known: &mut Known| known.recent[at].as_ref().filter(|it| ***it == *name).cloned();
        match self.with_table(recent) {
            Some(known) => Ok(known),
            None => self.look_up(name, at),
        }
    }

    /// The string of an attribute's name, which others may share that were asked for just now.
    pub(super) fn get_attribute_name(&self, name: &str) -> Str {
        if name.len() <= SHORT {
            return Str::from(name);
        }
        let at = slot_index(name);
        let recent = |known: &mut Known| known.words[at].as_ref().filter(|it| ***it == *name).cloned();
        if let Some(known) = self.with_table(recent) {
            return known;
        }
        let made = Str::from(name);
        let before = self.with_table(|names| names.words[at].replace(made.clone()));
        drop(before);
        made
    }

    #[cold]
    fn look_up(&self, name: &str, at: usize) -> Result<Str> {
        let known = match self.with_table(|names| names.all.get(name).cloned()) {
            Some(known) => known,
            None => self.intern_name(name)?,
        };
        let before = self.with_table(|names| names.recent[at].replace(known.clone()));
        drop(before);
        Ok(known)
    }

    fn intern_name(&self, name: &str) -> Result<Str> {
        if name.is_empty() || name.contains('\0') {
            return Err(error::ir_error("an operation needs a name"));
        }
        let (key, made) = (Box::from(name), Str::from(name));
        // Somebody may have been faster.
        Ok(self.with_table(|names| names.all.room().entry(key).or_insert(made).clone()))
    }
}
