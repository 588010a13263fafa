//! [`Plan`]: where the values of a type keep their references, for a collector that reads them
//! itself.
//!
//! Most types own a few `Ref<T>`, each in a word of its own, perhaps behind the lock of a
//! [`Cell`](crate::Cell). Calling such a type's function, which calls back for each of them, costs
//! a survey more than all that it does with the result. A plan is put together by the compiler from
//! those of the fields; a field that cannot be expressed in this way (a container, a value that is
//! one of several) leaves the type without one, and then its function is called.
//!
//! # Promise
//! A plan shows exactly what [`trace`](crate::object::Trace::trace) shows, and asks for the same
//! locks.

use crate::custody::Header;
use crate::sync::CellLock;

/// References that a plan has room for.
pub(crate) const MOST: usize = 6;
/// No lock.
const OPEN: u16 = u16::MAX;

/// A word that is null or a strong reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Word {
    /// Bytes from the beginning of the value.
    at: u16,
    /// The same of the lock that has to be had to read it.
    lock: u16,
}

/// See the head of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Plan {
    known: bool,
    /// The value is one reference and nothing else: null is free for what has none.
    bare: bool,
    len: u8,
    words: [Word; MOST],
}

impl Plan {
    /// There are no references.
    pub const NOTHING: Plan = Plan {
        known: true,
        bare: false,
        len: 0,
        words: [Word { at: 0, lock: OPEN }; MOST],
    };
    /// The type must be asked.
    pub const UNKNOWN: Plan = Plan {
        known: false,
        ..Plan::NOTHING
    };
    /// A `NonNull<Header>`.
    pub(crate) const REFERENCE: Plan = Plan {
        bare: true,
        len: 1,
        ..Plan::NOTHING
    };

    /// As [`NOTHING`](Self::NOTHING) or [`UNKNOWN`](Self::UNKNOWN).
    #[must_use]
    pub const fn of_any(traced: bool) -> Plan {
        if traced { Plan::UNKNOWN } else { Plan::NOTHING }
    }

    /// Of an `Option<T>`. The compiler promises that a `None` is null where the value is a
    /// reference.
    #[must_use]
    pub(crate) const fn of_option<T>(self) -> Plan {
        if self.known && self.len == 0 {
            return Plan::NOTHING;
        }
        if !self.bare || size_of::<Option<T>>() != size_of::<*const Header>() {
            return Plan::UNKNOWN;
        }
        Plan { bare: false, ..self }
    }

    /// Of a value behind a lock. Not of more than one reference: a collector that has the lock
    /// would not get it again.
    #[must_use]
    pub(crate) const fn behind_lock(self, lock: usize, value: usize) -> Plan {
        let mut plan = self.at_offset(value);
        match plan.len {
            0 => {}
            1 if plan.words[0].lock == OPEN && lock < OPEN as usize => plan.words[0].lock = lock as u16,
            _ => return Plan::UNKNOWN,
        }
        plan
    }

    /// Of a field at this place.
    #[must_use]
    pub const fn at_offset(self, offset: usize) -> Plan {
        let mut plan = Plan { bare: false, ..self };
        let mut i = 0;
        while i < plan.len as usize {
            let word = &mut plan.words[i];
            let behind = word.lock != OPEN;
            if offset + word.at as usize >= OPEN as usize
                || behind && offset + word.lock as usize >= OPEN as usize
            {
                return Plan::UNKNOWN;
            }
            word.at += offset as u16;
            if behind {
                word.lock += offset as u16;
            }
            i += 1;
        }
        plan
    }

    /// Of both together.
    #[must_use]
    pub const fn combined_with(self, other: Plan) -> Plan {
        let len = self.len as usize + other.len as usize;
        if !self.known || !other.known || len > MOST {
            return Plan::UNKNOWN;
        }
        let mut plan = Plan { bare: false, ..self };
        let mut i = self.len as usize;
        while i < len {
            plan.words[i] = other.words[i - self.len as usize];
            i += 1;
        }
        plan.len = len as u8;
        plan
    }

    /// Whether there is one.
    #[inline]
    pub(crate) const fn is_known(&self) -> bool {
        self.known
    }

    /// Reads a value's references: `lock` decides whether the value behind a lock may be read,
    /// retired or not, `edge` receives each.
    ///
    /// # Safety
    /// The plan of the value's exact type, and known; the value is alive.
    #[inline(always)]
    pub(crate) unsafe fn read(
        &self,
        value: *const u8,
        mut lock: impl FnMut(&CellLock) -> bool,
        mut edge: impl FnMut(*const Header),
    ) {
        for word in &self.words[..usize::from(self.len).min(MOST)] {
            // SAFETY: the plan states that there is a lock and a reference, or null. The value
            // behind a lock is read when it may be.
            unsafe {
                if word.lock != OPEN {
                    let guard = &*value.add(word.lock as usize).cast::<CellLock>();
                    if !lock(guard) {
                        continue;
                    }
                }
                let target = *value.add(word.at as usize).cast::<*const Header>();
                if !target.is_null() {
                    edge(target);
                }
            }
        }
    }
}
