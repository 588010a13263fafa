//! How objects die: on a work list of the thread, never by recursion.
//!
//! Destroying an object drops its fields, which may be the last references to other objects, which
//! … The first death on a thread runs the list; deaths inside it are put on the list. Wrappers
//! whose last reference an object's death releases take the same road, since their death destroys
//! objects in turn ([`postpone_task`]).
//!
//! The list belongs to the thread and has no destructor, so it is there as long as the thread runs,
//! also while the destructors of thread-locals do. The frame of the first death is only marked
//! (`stack.rs`): code that it calls may be suspended by a greenlet, and deaths of others meanwhile
//! must not wait for it. Every first death empties the list, whichever frame filled it. All of it
//! happens in the binary whose runtime it is: a thread has one list, for objects of all binaries.
//!
//! A destructor that panics is treated as in a `Vec`: its object's memory is freed, the objects on
//! the list are destroyed, and the panic goes on; a second one meanwhile aborts the process.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::object_layout::run_release_action;
use super::objects_table::objects_table;
use crate::custody::{Died, Header};
use crate::event::{Kind, notify_object_event};
use crate::memory::{Counted, Task, Thread, give_back, with_thread};
use crate::stack::Mark;
use crate::tracked::untrack_object;

/// Destroys an object's value, and frees its memory unless weak references keep that.
///
/// # Safety
/// No strong reference is left, and the custody protocol gave this thread the duty.
pub unsafe fn destroy_object(object: NonNull<Header>) {
    // SAFETY: no strong reference is left, and destroying it is this thread's duty.
    unsafe { (objects_table().destroy)(object.as_ptr()) }
}

/// The last reference to a wrapper is gone, and it cannot be fetched any more: ends its custody,
/// and destroys the object unless others keep it.
///
/// # Safety
/// Attached to the wrapper's interpreter; called once, by the wrapper's end.
#[inline]
pub unsafe fn wrapper_died(object: NonNull<Header>) {
    // SAFETY: the caller is attached, and calls once, at the wrapper's end.
    unsafe { (objects_table().wrapper_died)(object.as_ptr()) }
}

/// Runs `task` when the deaths that are under way on this thread are done, or now when there are
/// none.
///
/// # Safety
/// `task` may be called with `argument` once, on this thread.
pub unsafe fn postpone_task(task: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
    // SAFETY: the caller's task may be called with this argument once, on this thread.
    unsafe { (objects_table().postpone)(task, argument) }
}

/// [`destroy_object`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn destroy_here(object: *mut Header) {
    // SAFETY: the object is alive until its destruction, which is the caller's duty.
    with_thread(|thread| unsafe { destroy_listed(thread, NonNull::new_unchecked(object), false) });
}

/// [`wrapper_died`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn wrapper_died_here(object: *mut Header) {
    // SAFETY: the object is alive; the wrapper has custody of it, or the protocol assigns the duty.
    with_thread(|thread| unsafe {
        let object = NonNull::new_unchecked(object);
        let custody = object.as_ref().custody();
        if custody.is_wrappers_alone() {
            // Only a collector that walks can reach it, and after this none.
            if object.as_ref().info().is_traced() {
                untrack_object(thread, object.as_ptr());
            }
            custody.wrapper_died_alone();
            destroy_unlisted(thread, object, true);
        } else {
            let tag = custody.pair().tag();
            match custody.wrapper_died() {
                Died::Destroy => destroy_listed(thread, object, true),
                Died::Severed(duty) => {
                    object.as_ref().count_wrapper(-1);
                    notify_object_event(Kind::Severed, object.as_ref(), tag);
                    run_release_action(object, duty);
                }
            }
        }
    });
}

/// Takes an object off the list, in the runtime's binary: for exclusive access to it. Waits while a
/// collector walks.
pub(crate) unsafe extern "C" fn unlist_here(object: *mut Header) {
    // SAFETY: a listed object that is not reachable otherwise.
    with_thread(|thread| unsafe { untrack_object(thread, object) });
}

/// [`postpone_task`], in the runtime's binary.
pub(crate) unsafe extern "C-unwind" fn postpone_here(
    run: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    with_thread(|thread| {
        if thread.deaths.first.is_inside() {
            if thread.deaths.push_task(Task::Run(run, argument)).is_err() {
                // SAFETY: the task may be run once, on this thread. Without memory to note it, it
                // runs now.
                unsafe { run(argument) }
            }
        } else {
            let mark = Mark::new();
            let _first = UnderWay::begin_death(thread, &mark);
            // SAFETY: who postponed the task lets it be called once, on this thread.
            unsafe { run(argument) }
        }
    });
}

/// # Safety
/// As for `destroy`.
unsafe fn destroy_listed(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: no strong reference is left, and destroying it is this thread's duty.
    unsafe {
        if object.as_ref().info().is_traced() {
            untrack_object(thread, object.as_ptr());
        }
        destroy_unlisted(thread, object, wrapped);
    }
}

/// As [`destroy_object`], for an object that no collector lists.
///
/// # Safety
/// As for `destroy`.
#[inline(always)]
unsafe fn destroy_unlisted(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: the object is alive until its destruction below.
    unsafe {
        if !object.as_ref().info().needs_drop() {
            // Nothing inside to drop, so nothing to recurse into.
            destroy_now(thread, object, wrapped);
        } else if thread.deaths.first.is_inside() {
            if thread.deaths.push_task(Task::Destroy(object, wrapped)).is_err() {
                destroy_without_memory(thread, object, wrapped);
            }
        } else {
            let mark = Mark::new();
            let _first = UnderWay::begin_death(thread, &mark);
            destroy_now(thread, object, wrapped);
        }
    }
}

/// Destroys an object for which the work list cannot grow. Those that die of it, likewise without
/// memory, wait in a list through their prefixes, which no list of the runtime uses any more; an
/// object without a prefix owns no reference that a collector knows, and is destroyed at once.
///
/// # Safety
/// As for `destroy`.
#[cold]
#[inline(never)]
unsafe fn destroy_without_memory(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    /// Destroys what waits, also when a destructor panics.
    struct Rest<'a>(&'a Thread);
    impl Drop for Rest<'_> {
        fn drop(&mut self) {
            let rest = Rest(self.0);
            while let Some((object, wrapped)) = self.0.deaths.take_linked() {
                // SAFETY: linked once, with the duty.
                unsafe { destroy_now(self.0, object, wrapped) }
            }
            std::mem::forget(rest);
            self.0.deaths.linking.set(false);
        }
    }
    // SAFETY: the caller has the duty to destroy the object.
    unsafe {
        if !thread.deaths.linking.get() {
            thread.deaths.linking.set(true);
            let _rest = Rest(thread);
            destroy_now(thread, object, wrapped);
        } else if object.as_ref().info().is_traced() {
            thread.deaths.link_object(object, wrapped);
        } else {
            destroy_now(thread, object, wrapped);
        }
    }
}

/// While a thread's first death, or work that was postponed until there is none, is under way. At
/// its end runs the tasks that came of it, which for most are none.
struct UnderWay<'a>(&'a Thread);

impl<'a> UnderWay<'a> {
    #[inline(always)]
    fn begin_death(thread: &'a Thread, mark: &'a Mark) -> Self {
        // SAFETY: left when this is dropped, which borrows the mark until then.
        unsafe { thread.deaths.first.mark_frame(mark) };
        UnderWay(thread)
    }
}

impl Drop for UnderWay<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.deaths.is_empty() {
            do_rest(self.0);
        }
        self.0.deaths.first.unmark_frame();
    }
}

/// Runs the remaining tasks, also when a destructor panics.
#[cold]
#[inline(never)]
fn do_rest(thread: &Thread) {
    struct Panics<'a>(&'a Thread);
    impl Drop for Panics<'_> {
        #[cold]
        fn drop(&mut self) {
            do_rest(self.0);
        }
    }
    let panics = Panics(thread);
    while let Some(task) = thread.deaths.pop_task() {
        match task {
            // SAFETY: a task is made by the thread with the duty, and is run once.
            Task::Destroy(object, wrapped) => unsafe { destroy_now(thread, object, wrapped) },
            // SAFETY: as promised to `postpone`.
            Task::Run(run, argument) => unsafe { run(argument) },
        }
    }
    thread.deaths.free_list_memory();
    std::mem::forget(panics);
}

/// # Safety
/// As for `destroy`.
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
        notify_object_event(Kind::Freed, object.as_ref(), 0);
        let panics = Panics(thread, object, wrapped);
        info.drop_value(object);
        std::mem::forget(panics);
        forget_value(thread, object, wrapped);
    }
}

/// The value is destroyed: the header is ours until it is freed, or until the last weak
/// reference's.
///
/// # Safety
/// The caller has just destroyed the value, and no other thread frees the header.
#[inline(always)]
unsafe fn forget_value(thread: &Thread, object: NonNull<Header>, wrapped: bool) {
    // SAFETY: the caller has just destroyed the value, and no other thread frees the header.
    unsafe {
        let info = object.as_ref().info();
        if object.as_ref().custody().mark_destroyed() {
            free_here(thread, object, Counted::of_object(info, wrapped));
        } else {
            // The memory stays for a weak reference, which does not use the type.
            thread.counts.add(info, -1, -isize::from(wrapped));
        }
    }
}

/// Gives an object's memory back to the allocator that it came from; `what` is still counted until
/// then.
///
/// # Safety
/// The value is destroyed and the header is unreachable.
#[inline(always)]
unsafe fn free_here(thread: &Thread, object: NonNull<Header>, what: Counted) {
    // SAFETY: the header is still readable; the same layout and allocator as in `allocate`.
    unsafe {
        let header = object.as_ref();
        let (info, slot) = (header.info(), header.allocator());
        let size = info.object_size() + info.items_size(object);
        let start = object.as_ptr().cast::<u8>().sub(info.prefix_size());
        give_back(thread, start, size, info.object_align(), slot, what);
    }
}
