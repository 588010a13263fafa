//! How objects die: on a work list of the thread, never by recursion.
//!
//! Destroying an object drops its fields, which may be the last references to other objects, which … The first death on a
//! thread runs the list; deaths inside it are put on the list. Wrappers whose last reference an object's death releases take the same
//! road, since their death destroys objects in turn ([`postpone`]).
//!
//! The list lives in the frame of the first death; the thread knows only where. So it is there as long as the thread runs, also while
//! the destructors of thread-locals do. All of it happens in the binary whose runtime it is: a thread has one list, whoever made the objects.
//!
//! A destructor that panics is treated as in a `Vec`: its object's memory is freed, what is on the list is destroyed, and the panic
//! goes on; a second one meanwhile aborts the process.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::duty::Died;
use super::header::{Header, settle};
use crate::event::{Kind, happened};
use crate::memory::Counted;
use crate::runtime::{home, runtime};
use crate::thread::{Thread, thread};

enum Task {
    /// An object, and whether it dies with a wrapper.
    Destroy(NonNull<Header>, bool),
    Run(unsafe extern "C" fn(*mut c_void), *mut c_void),
}

/// What is to be done before the first death on a thread is done. Memory is not asked for before there is something.
pub(crate) struct Deaths(UnsafeCell<Vec<Task>>);

/// Destroys an object's value, and frees its memory unless weak references keep that.
///
/// # Safety
/// No strong reference is left, and the custody protocol gave this thread the duty.
pub unsafe fn destroy(object: NonNull<Header>) {
    // SAFETY: passed on.
    unsafe { (runtime().destroy)(object.as_ptr()) }
}

/// The last reference to a wrapper is gone, and nobody can fetch it any more: ends its custody, and destroys the object unless others keep it.
///
/// # Safety
/// Attached to the wrapper's interpreter; called once, by the wrapper's end.
#[inline]
pub unsafe fn wrapper_died(object: NonNull<Header>) {
    // SAFETY: passed on.
    unsafe { (runtime().wrapper_died)(object.as_ptr()) }
}

/// Runs `task` when the deaths that are under way on this thread are done, or now when there are none.
///
/// # Safety
/// `task` may be called with `argument` once, on this thread.
pub unsafe fn postpone(task: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
    // SAFETY: passed on.
    unsafe { (runtime().postpone)(task, argument) }
}

/// [`destroy`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn destroy_here(object: *mut Header) {
    // SAFETY: the object is alive until its destruction, which is the caller's duty.
    thread(|thread| unsafe { destroy_listed(thread, NonNull::new_unchecked(object), false) });
}

/// [`wrapper_died`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn wrapper_died_here(object: *mut Header) {
    // SAFETY: the object is alive; the wrapper has custody of it, or the protocol says what is to be done.
    thread(|thread| unsafe {
        let object = NonNull::new_unchecked(object);
        let custody = object.as_ref().custody();
        if custody.is_wrappers_alone() {
            // Nobody but a collector that walks can reach it, and after this none.
            if object.as_ref().info().is_traced() {
                home::untrack(thread, object.as_ptr());
            }
            custody.wrapper_died_alone();
            destroy_unlisted(thread, object, true);
        } else {
            let tag = custody.pair().tag();
            match custody.wrapper_died() {
                Died::Destroy => destroy_listed(thread, object, true),
                Died::Severed(duty) => {
                    object.as_ref().count_wrapper(-1);
                    happened(Kind::Severed, object.as_ref(), tag);
                    settle(object, duty);
                }
            }
        }
    });
}

/// Takes an object off the list, in the runtime's binary: for exclusive access to it. Waits while a collector walks.
pub(crate) unsafe extern "C" fn unlist_here(object: *mut Header) {
    // SAFETY: a listed object that nobody else can reach.
    thread(|thread| unsafe { home::untrack(thread, object) });
}

/// [`postpone`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn postpone_here(
    run: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    thread(|thread| match under_way(thread) {
        Some(deaths) => deaths.put(Task::Run(run, argument)),
        None => {
            let deaths = Deaths::none();
            let _first = UnderWay::begin(thread, &deaths);
            // SAFETY: as promised.
            unsafe { run(argument) }
        }
    });
}

unsafe fn destroy_listed(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: passed on.
    unsafe {
        if object.as_ref().info().is_traced() {
            home::untrack(thread, object.as_ptr());
        }
        destroy_unlisted(thread, object, wrapped);
    }
}

/// As [`destroy`], for an object that no collector lists.
#[inline(always)]
unsafe fn destroy_unlisted(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: the object is alive until its destruction below.
    unsafe {
        if !object.as_ref().info().needs_drop() {
            // Nothing inside to drop, so nothing to recurse into.
            destroy_now(thread, object, wrapped);
        } else if let Some(deaths) = under_way(thread) {
            deaths.put(Task::Destroy(object, wrapped));
        } else {
            let deaths = Deaths::none();
            let _first = UnderWay::begin(thread, &deaths);
            destroy_now(thread, object, wrapped);
        }
    }
}

#[inline]
fn under_way(thread: &Thread) -> Option<&Deaths> {
    // SAFETY: the list is in a frame of this thread that takes its address back before it ends.
    unsafe { thread.deaths.get().as_ref() }
}

impl Deaths {
    #[inline(always)]
    fn none() -> Self {
        Deaths(UnsafeCell::new(Vec::new()))
    }

    fn put(&self, task: Task) {
        // SAFETY: only this thread reaches the list, and no reference to what is inside outlives one of these functions.
        unsafe { (*self.0.get()).push(task) }
    }

    fn take(&self) -> Option<Task> {
        // SAFETY: as above.
        unsafe { (*self.0.get()).pop() }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0.get()).is_empty() }
    }
}

/// While a thread's first death, or what was postponed until there is none, is under way. At its end does all that came of it, which for most is nothing.
struct UnderWay<'a>(&'a Thread, &'a Deaths);

impl<'a> UnderWay<'a> {
    #[inline(always)]
    fn begin(thread: &'a Thread, deaths: &'a Deaths) -> Self {
        thread.deaths.set(ptr::from_ref(deaths));
        UnderWay(thread, deaths)
    }
}

impl Drop for UnderWay<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.1.is_empty() {
            do_rest(self.0, self.1);
        }
        self.0.deaths.set(ptr::null());
    }
}

/// Does what is left, also when a destructor panics.
#[cold]
#[inline(never)]
fn do_rest(thread: &Thread, deaths: &Deaths) {
    struct Panics<'a>(&'a Thread, &'a Deaths);
    impl Drop for Panics<'_> {
        #[cold]
        fn drop(&mut self) {
            do_rest(self.0, self.1);
            self.0.deaths.set(ptr::null());
        }
    }
    let panics = Panics(thread, deaths);
    while let Some(task) = deaths.take() {
        match task {
            // SAFETY: a task is made by whoever has the duty, and is done once.
            Task::Destroy(object, wrapped) => unsafe { destroy_now(thread, object, wrapped) },
            // SAFETY: as promised to `postpone`.
            Task::Run(run, argument) => unsafe { run(argument) },
        }
    }
    std::mem::forget(panics);
}

#[inline(always)]
unsafe fn destroy_now(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    /// Gives the memory back when the destructor panics.
    struct Panics<'a>(&'a Thread, NonNull<Header>, bool);
    impl Drop for Panics<'_> {
        #[cold]
        fn drop(&mut self) {
            // SAFETY: the value is destroyed, as far as it can be.
            unsafe { forget_value(self.0, self.1, self.2) }
        }
    }
    // SAFETY: the object is alive until `drop_value`.
    unsafe {
        let info = object.as_ref().info();
        happened(Kind::Freed, object.as_ref(), 0);
        let panics = Panics(thread, object, wrapped);
        info.drop_value(object);
        std::mem::forget(panics);
        forget_value(thread, object, wrapped);
    }
}

/// The value is destroyed: the header is ours until it is freed, or until the last weak reference's.
#[inline(always)]
unsafe fn forget_value(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: promised.
    unsafe {
        let info = object.as_ref().info();
        if object.as_ref().custody().destroyed() {
            home::free(thread, object, Counted::object(info, wrapped));
        } else {
            // The memory stays for a weak reference, which knows nothing of what was here.
            thread.counts.add(info, -1, -isize::from(wrapped));
        }
    }
}
