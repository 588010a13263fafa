//! How objects die: on a work list of the thread, never by recursion.
//!
//! Destroying an object drops its fields, which may be the last references to other objects, which … The first death on a
//! thread runs the list; deaths inside it are put on the list. Wrappers whose last reference an object's death releases take the same
//! road, since their death destroys objects in turn ([`postpone`]).

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr::NonNull;

use super::header::{Header, free};
use crate::runtime::runtime;

enum Task {
    Destroy(NonNull<Header>),
    Run(unsafe extern "C" fn(*mut c_void), *mut c_void),
}

thread_local! {
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
    static TASKS: RefCell<Vec<Task>> = const { RefCell::new(Vec::new()) };
}

/// Pushes a task if this thread is at work already; returns it otherwise, or when the thread's locals are gone.
fn push(task: Task) -> Option<Task> {
    if !ACTIVE.get() {
        return Some(task);
    }
    let mut task = Some(task);
    let _ = TASKS.try_with(|tasks| tasks.borrow_mut().push(task.take().expect("pushed once")));
    task
}

fn work(first: Task) {
    /// Ends the work also when a destructor panics; what is left on the list is done by the next death on this thread.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            ACTIVE.set(false);
        }
    }
    ACTIVE.set(true);
    let _end = End;
    let mut next = Some(first);
    while let Some(task) = next {
        match task {
            // SAFETY: a task is made by whoever has the duty, and is done once.
            Task::Destroy(object) => unsafe { destroy_now(object) },
            // SAFETY: as promised to `postpone`.
            Task::Run(run, argument) => unsafe { run(argument) },
        }
        next = TASKS.try_with(|tasks| tasks.borrow_mut().pop()).ok().flatten();
    }
}

/// Destroys an object's value, and frees its memory unless weak references keep that.
///
/// # Safety
/// No strong reference is left, and the custody protocol gave this thread the duty.
pub unsafe fn destroy(object: NonNull<Header>) {
    // SAFETY: the object is alive until its destruction below.
    if !unsafe { object.as_ref() }.info().needs_drop() {
        // SAFETY: passed on; nothing inside to drop, so nothing to recurse into.
        unsafe { destroy_now(object) };
    } else if let Some(task) = push(Task::Destroy(object)) {
        work(task);
    }
}

/// Runs `task` when the deaths that are under way on this thread are done, or now when there are none.
///
/// # Safety
/// `task` may be called with `argument` once, on this thread.
pub unsafe fn postpone(task: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
    if let Some(task) = push(Task::Run(task, argument)) {
        work(task);
    }
}

unsafe fn destroy_now(object: NonNull<Header>) {
    // SAFETY: the object is alive until `drop_value`, and its header until `free`.
    unsafe {
        let header = object.as_ref();
        let info = header.info();
        if info.is_traced() {
            (runtime().untrack)(object.as_ptr());
        }
        info.count(-1);
        info.drop_value(object);
        if header.custody().destroyed() {
            free(object);
        }
    }
}
