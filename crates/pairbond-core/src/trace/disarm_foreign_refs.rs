//! [`disarm_foreign_refs`]: what native code holds of an interpreter that ends.
//!
//! Such references may lead back to native objects, so that both would stay for ever once no
//! collector runs there any more. They cannot be taken out of their places; but when the
//! interpreter is disarmed, dropping one releases nothing. So they are counted and the interpreter
//! is disarmed in one step, in which no object is made or destroyed and every mutable field that
//! was read is locked: each is released either by its owner, before, or by the caller, after.
//! References that a thread has in its hands at that moment, and those in a field that it is just
//! changing, are leaked.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::NonNull;

use super::TracerTable;
use crate::any::ForeignBody;
use crate::any::moved_count;
use crate::memory::try_push;
use crate::object::objects_table;
use crate::object::{ErasedBorrow, Header, Object};
use crate::sync::statics::Ordering;
use crate::sync::{CellLock, relax_or_yield};
use crate::tracked::is_structure_lock;

struct Walk<'a> {
    tag: u16,
    moved: usize,
    disarm: &'a mut dyn FnMut(),
    /// References that objects hold themselves.
    found: Vec<*mut c_void>,
    /// Bodies that objects refer to; a body without references may not be the owner of its object.
    bodies: HashSet<*const Header>,
    locks: Vec<*const CellLock>,
    /// The lock of all structures is one of them.
    structures: bool,
    done: bool,
}

/// Calls `disarm`, and returns every counted reference to objects of interpreter `tag` that native
/// objects hold then, for the caller to release.
#[must_use]
pub fn disarm_foreign_refs(tag: u16, disarm: &mut dyn FnMut()) -> Vec<*mut c_void> {
    // Registered before the list is held.
    let _ = ForeignBody::info();
    let mut attempt = 0;
    loop {
        let mut walk = Walk {
            tag,
            moved: moved_count().load(Ordering::Acquire),
            disarm: &mut *disarm,
            found: Vec::new(),
            bodies: HashSet::new(),
            locks: Vec::new(),
            structures: false,
            done: false,
        };
        // SAFETY: the callbacks get the walk that they expect, and only while this call lasts.
        // (`false`: somebody else walks.)
        unsafe { (objects_table().walk)((&raw mut walk).cast(), walk_shard, finish_walk) };
        if walk.done {
            return walk.found;
        }
        relax_or_yield(attempt);
        attempt = attempt.saturating_add(1);
    }
}

impl Walk<'_> {
    /// Notes a reference. Without memory it is leaked: the interpreter ends.
    fn note_reference(&mut self, object: *mut c_void) {
        let _ = try_push(&mut self.found, object);
    }
}

// SAFETY (of each callback): the context is the walk above, which is not borrowed while objects are
// traced; the list is held.

unsafe extern "C" fn walk_shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
    let table = TracerTable {
        edge: on_edge,
        foreign: on_foreign,
        lock: on_lock,
        context: walk,
    };
    for index in 0..count {
        // SAFETY: a listed object.
        unsafe {
            let object = &**objects.add(index);
            if !std::ptr::eq(object.info(), ForeignBody::info()) {
                object.info().trace_object(object, &table);
            }
        }
    }
}

unsafe extern "C" fn finish_walk(walk: *mut c_void) {
    // SAFETY: the context is the walk that the runtime called this table with.
    let walk = unsafe { &mut *walk.cast::<Walk<'_>>() };
    // A clone that moved a reference meanwhile may have shown it twice.
    if moved_count().load(Ordering::Acquire) == walk.moved {
        for body in std::mem::take(&mut walk.bodies) {
            // SAFETY: a locked or immutable field refers to it.
            let body = unsafe { ErasedBorrow::from_header(NonNull::new_unchecked(body.cast_mut())) };
            if let Some(body) = body.downcast::<ForeignBody>()
                && body.get().tag() == walk.tag
                && !body.get().object().is_null()
            {
                walk.note_reference(body.get().object());
            }
        }
        (walk.disarm)();
        walk.done = true;
    }
    for lock in walk.locks.drain(..) {
        // SAFETY: locked by `on_lock`, in an object that is alive while the list is held.
        unsafe { (*lock).unlock() }
    }
}

unsafe extern "C" fn on_edge(walk: *mut c_void, target: *const Header) {
    // SAFETY: see above; a living header.
    unsafe {
        if std::ptr::eq((*target).info(), ForeignBody::info()) {
            let bodies = &mut (*walk.cast::<Walk<'_>>()).bodies;
            // Without memory it is leaked, as what the interpreter does not get back.
            if bodies.try_reserve(1).is_ok() {
                bodies.insert(target);
            }
        }
    }
}

unsafe extern "C" fn on_foreign(walk: *mut c_void, tag: u16, object: *mut c_void) {
    // SAFETY: the context is the walk that the runtime called this table with.
    let walk = unsafe { &mut *walk.cast::<Walk<'_>>() };
    if tag == walk.tag {
        walk.note_reference(object);
    }
}

unsafe extern "C" fn on_lock(walk: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    unsafe {
        let walk = &mut *walk.cast::<Walk<'_>>();
        if walk.structures && is_structure_lock(lock) {
            return true;
        }
        // Without memory it counts as one that another thread has.
        let locked = walk.locks.try_reserve(1).is_ok() && (*lock).try_lock();
        if locked {
            walk.structures |= is_structure_lock(lock);
            walk.locks.push(lock);
        }
        locked
    }
}
