//! [`each_reference`]: the references that one object owns, each with the field that holds it.
//!
//! The object's mutable fields stay locked until all of it was seen, so their values are alive
//! meanwhile and can be counted. A node of a tree shows its parent and children as well, under the
//! lock of all trees; those are references by place, which are not counted.

use std::ffi::c_void;

use crate::memory::try_push;
use crate::object::{ErasedBorrow, ErasedRef, Header, Holder, Neighbour};
use crate::sync::{CellLock, relax_or_yield};
use crate::trace::TracerTable;

/// What an object's counts were before the reference was taken by which it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Strong references, without the one that stands for a wrapper in custody.
    pub strong: u64,
    /// It has a wrapper, of whatever frontend.
    pub wrapped: bool,
    /// Native code has custody of the wrapper.
    pub native: bool,
}

impl Counts {
    /// Of an object as it is now.
    #[must_use]
    pub fn of_object(object: &Header) -> Self {
        let (state, pair) = (object.custody().state(), object.custody().pair());
        let python = state.holder() == Holder::Python;
        Counts {
            strong: state.strong().saturating_sub(u64::from(python)),
            wrapped: state.holder() != Holder::Unwrapped && !pair.wrapper().is_null(),
            native: state.holder() == Holder::Native,
        }
    }
}

/// How an object holds another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By a counted reference in this field; an empty name: in none of its own, as the elements of
    /// a container.
    Field(&'static str),
    /// As its child in this list, which is not counted. `awake`: the child owns a reference to its
    /// parent.
    Child {
        /// The field.
        list: &'static str,
        /// See above.
        awake: bool,
    },
    /// As its parent: a counted reference, which a child owns that has handles.
    Parent,
}

/// One reference.
#[derive(Debug)]
pub enum Reference {
    /// To a native object.
    Native {
        /// The object, counted.
        object: ErasedRef,
        /// Its counts before.
        counts: Counts,
        /// What holds it.
        by: By,
    },
    /// To an object of a frontend, which is alive during the call.
    Foreign {
        /// The interpreter.
        tag: u16,
        /// The object.
        object: *mut c_void,
        /// As in [`By::Field`].
        field: &'static str,
    },
}

/// Shows the references that an object owns. Returns whether it owns itself, as nodes of trees with
/// a wrapper do. `each` is called under locks: it may count and note, but neither run foreign code
/// nor drop references. Before, `has_room` says whether it can take another one: it is not called
/// with those that it cannot.
pub fn each_reference(
    object: ErasedBorrow<'_>,
    has_room: &mut dyn FnMut() -> bool,
    each: &mut dyn FnMut(Reference),
) -> bool {
    let header = object.header();
    let info = header.info();
    let mut names = Names::default();
    for field in info.fields() {
        if let Some(trace) = field.trace {
            // SAFETY: a field of a living value, and callbacks for its references.
            Walk::walk_references(
                &mut |seen| names.add(seen.address(), field.name),
                |table| unsafe {
                    trace(header.value_ptr().add(field.offset), table);
                },
            );
        }
    }
    let mut show = |seen: Seen| {
        if !has_room() {
            return;
        }
        let field = names.name_of(seen.address());
        each(match seen {
            Seen::Native(target) => {
                // SAFETY: the object's reference keeps it, and the field that has it is locked or
                // never changes.
                let (counts, target) = unsafe { (Counts::of_object(&*target), borrow_object(target)) };
                let (object, by) = (target.to_ref(), By::Field(field));
                Reference::Native { object, counts, by }
            }
            Seen::Foreign(tag, object) => Reference::Foreign { tag, object, field },
        });
    };
    let Some(node) = info.node() else {
        // SAFETY: a living object, and callbacks for its references.
        Walk::walk_references(&mut show, |table| unsafe { info.trace_object(header, table) });
        return false;
    };
    for field in info.fields() {
        if let Some(trace) = field.trace {
            // SAFETY: a field of a living value, and callbacks for its references.
            Walk::walk_references(&mut show, |table| unsafe {
                trace(header.value_ptr().add(field.offset), table)
            });
        }
    }
    let mut show = |at: &Header, neighbour: Neighbour, handle: &dyn Fn() -> ErasedRef| {
        if !has_room() {
            return;
        }
        // Before the handle is taken.
        let counts = Counts::of_object(at);
        let by = match neighbour {
            Neighbour::Parent => By::Parent,
            Neighbour::Child { list, awake } => By::Child { list, awake },
        };
        each(Reference::Native {
            object: handle(),
            counts,
            by,
        });
    };
    // SAFETY: the type of the object, which the caller has a reference to.
    unsafe { (node.hooks().neighbours)(header, &mut show) }
}

/// # Safety
/// `object` is a living object, for as long as the caller chooses `'a`.
unsafe fn borrow_object<'a>(object: *const Header) -> ErasedBorrow<'a> {
    // SAFETY: the caller has a reference to a living object.
    unsafe { ErasedBorrow::from_header(std::ptr::NonNull::new_unchecked(object.cast_mut())) }
}

/// How often a lock is tried: some milliseconds in all.
const PATIENCE: u32 = 256;

/// What a walk is shown.
#[derive(Clone, Copy)]
enum Seen {
    Native(*const Header),
    Foreign(u16, *mut c_void),
}

impl Seen {
    fn address(self) -> usize {
        match self {
            Seen::Native(object) => object.addr(),
            Seen::Foreign(_, object) => object.addr(),
        }
    }
}

/// The fields of what an object refers to, in the order in which both are shown.
#[derive(Default)]
struct Names {
    all: Vec<(usize, &'static str)>,
    next: usize,
}

impl Names {
    fn add(&mut self, address: usize, name: &'static str) {
        // Without memory it has no name.
        let _ = try_push(&mut self.all, (address, name));
    }

    fn name_of(&mut self, address: usize) -> &'static str {
        // Mostly the next one; a reference that was changed in between is searched among the
        // others.
        let found = match self.all.get(self.next) {
            Some(next) if next.0 == address => Some(self.next),
            _ => self.all.iter().position(|it| it.0 == address),
        };
        found.map_or("", |at| {
            self.next = at + 1;
            self.all[at].1
        })
    }
}

/// Takes a lock, which is held for a moment by whatever thread changes the field. Not for as long
/// as it takes: this thread may have other locks of the object, for which that one waits.
fn try_lock_often(lock: &CellLock) -> bool {
    for attempt in 0..PATIENCE {
        if lock.try_lock() {
            return true;
        }
        if lock.is_retired() {
            return false;
        }
        relax_or_yield(attempt);
    }
    false
}

struct Walk<'a> {
    each: &'a mut dyn FnMut(Seen),
    locks: Vec<*const CellLock>,
}

impl Walk<'_> {
    fn walk_references(each: &mut dyn FnMut(Seen), trace: impl FnOnce(&TracerTable)) {
        unsafe extern "C" fn on_edge(this: *mut c_void, target: *const Header) {
            // SAFETY: the context is the walk below.
            unsafe { ((*this.cast::<Walk<'_>>()).each)(Seen::Native(target)) }
        }
        unsafe extern "C" fn on_foreign(this: *mut c_void, tag: u16, object: *mut c_void) {
            // SAFETY: the context is the walk below.
            unsafe { ((*this.cast::<Walk<'_>>()).each)(Seen::Foreign(tag, object)) }
        }
        unsafe extern "C" fn on_lock(this: *mut c_void, lock: *const CellLock) -> bool {
            // SAFETY: the context is the walk below; the lock lives in the object or for the
            // process.
            unsafe {
                let locks = &mut (*this.cast::<Walk<'_>>()).locks;
                // One lock can guard several fields: that of all trees.
                let got = locks.contains(&lock);
                // Without memory it counts as one that another thread has.
                if !got && locks.try_reserve(1).is_ok() && try_lock_often(&*lock) {
                    locks.push(lock);
                    return true;
                }
                got
            }
        }
        let locks = Vec::new();
        let mut walk = Walk { each, locks };
        trace(&TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: (&raw mut walk).cast(),
        });
        for lock in walk.locks {
            // SAFETY: locked above, in an object that is alive.
            unsafe { (*lock).unlock() }
        }
    }
}
