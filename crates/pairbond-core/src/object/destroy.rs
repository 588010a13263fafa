//! How objects die: on a work list of the thread, never by recursion.
//!
//! Destroying an object drops its fields, which may be the last references to other objects, which … The first death on a
//! thread runs the list; deaths inside it are put on the list. Wrappers whose last reference an object's death releases take the same
//! road, since their death destroys objects in turn ([`postpone`]).
//!
//! The list lives in the frame of the first death; the thread knows only where. So it is there as long as the thread runs, also while
//! the destructors of thread-locals do.
//!
//! A destructor that panics is treated as in a `Vec`: its object's memory is freed, what is on the list is destroyed, and the panic
//! goes on; a second one meanwhile aborts the process.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::header::{Header, free};
use crate::runtime::runtime;

enum Task {
    Destroy(NonNull<Header>),
    Run(unsafe extern "C" fn(*mut c_void), *mut c_void),
}

type List = UnsafeCell<Vec<Task>>;

thread_local! {
    /// The list of the death that is under way on this thread, or null.
    static LIST: Cell<*const List> = const { Cell::new(ptr::null()) };
}

/// Puts a task on the list of the death that is under way on this thread; returns it when there is none.
fn push(task: Task) -> Option<Task> {
    // SAFETY: the list is in a frame of this thread that takes its address back before it ends; nobody holds a reference to it
    // while tasks run.
    match unsafe { LIST.get().as_ref() } {
        None => Some(task),
        Some(list) => {
            // SAFETY: as above.
            unsafe { (*list.get()).push(task) };
            None
        }
    }
}

fn work(first: Task) {
    struct Work<'a>(&'a List);
    impl Work<'_> {
        fn run(&self) {
            // SAFETY: only this thread reaches the list, and no reference to it outlives one of these calls.
            while let Some(task) = unsafe { (*self.0.get()).pop() } {
                match task {
                    // SAFETY: a task is made by whoever has the duty, and is done once.
                    Task::Destroy(object) => unsafe { destroy_now(object) },
                    // SAFETY: as promised to `postpone`.
                    Task::Run(run, argument) => unsafe { run(argument) },
                }
            }
        }
    }
    impl Drop for Work<'_> {
        fn drop(&mut self) {
            // Something is left only when a destructor panicked.
            self.run();
            LIST.set(ptr::null());
        }
    }
    let list = List::new(vec![first]);
    LIST.set(&raw const list);
    Work(&list).run();
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
    /// Gives the memory back, also when the destructor panics.
    struct Memory(NonNull<Header>);
    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: the value is destroyed; the header is ours until `free`, or until the last weak reference's.
            unsafe {
                if self.0.as_ref().custody().destroyed() {
                    free(self.0);
                }
            }
        }
    }
    // SAFETY: the object is alive until `drop_value`.
    unsafe {
        let info = object.as_ref().info();
        if info.is_traced() {
            (runtime().untrack)(object.as_ptr());
        }
        info.count(-1);
        let _memory = Memory(object);
        info.drop_value(object);
    }
}
