//! [`Deaths`]: what deaths that are under way on a thread have left to do. The work itself is in
//! `object/destroy.rs`.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use smallvec::SmallVec;

use crate::custody::{Header, Prefix};
use crate::stack::Anchor;

/// Something to be done at the end of a thread's first death.
pub(crate) enum Task {
    /// An object, and whether it dies with a wrapper.
    Destroy(NonNull<Header>, bool),
    Run(unsafe extern "C" fn(*mut c_void), *mut c_void),
}

/// Tasks, of which the last comes first. As many as fit inside need no memory: most objects are the
/// last owners of few others.
type Tasks = SmallVec<[Task; 4]>;

/// The work list of a thread: tasks for the end of its first death. Memory is not allocated before
/// there are some.
pub(crate) struct Deaths {
    /// Never dropped: a thread-local with a destructor could not be used while others are
    /// destroyed.
    list: UnsafeCell<ManuallyDrop<Tasks>>,
    pub(crate) first: Anchor,
    /// Dead objects that the list had no memory for, linked through their prefixes.
    linked: Cell<*mut Header>,
    /// Whether these are being destroyed.
    pub(crate) linking: Cell<bool>,
}

/// What the prefix of a dead object is used for when there is no memory.
#[repr(C)]
struct Link {
    next: *mut Header,
    wrapped: bool,
}

const _: () = assert!(size_of::<Link>() <= size_of::<Prefix>() && align_of::<Link>() <= 8);

impl Deaths {
    pub(crate) const fn new() -> Self {
        Deaths {
            list: UnsafeCell::new(ManuallyDrop::new(Tasks::new_const())),
            first: Anchor::new(),
            linked: Cell::new(std::ptr::null_mut()),
            linking: Cell::new(false),
        }
    }

    #[inline]
    pub(crate) fn push_task(&self, task: Task) -> Result<(), Task> {
        // SAFETY: only this thread reaches the list, and no reference into it outlives one of these
        // functions.
        let list = unsafe { &mut *self.list.get() };
        if list.len() == list.capacity() && !has_room(list) {
            return Err(task);
        }
        list.push(task);
        Ok(())
    }

    pub(crate) fn pop_task(&self) -> Option<Task> {
        // SAFETY: as in `put`.
        unsafe { (*self.list.get()).pop() }
    }

    /// # Safety
    /// A dead object of a traced type, which is in no list.
    pub(crate) unsafe fn link_object(&self, object: NonNull<Header>, wrapped: bool) {
        let next = self.linked.replace(object.as_ptr());
        // SAFETY: the prefix is unused, and large enough.
        unsafe {
            (object.as_ref().prefix_ptr())
                .cast::<Link>()
                .write_unaligned(Link { next, wrapped });
        }
    }

    pub(crate) fn take_linked(&self) -> Option<(NonNull<Header>, bool)> {
        let object = NonNull::new(self.linked.get())?;
        // SAFETY: linked objects have a link in their prefixes, and are not destroyed yet.
        let link = unsafe { object.as_ref().prefix_ptr().cast::<Link>().read_unaligned() };
        self.linked.set(link.next);
        Some((object, link.wrapped))
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // SAFETY: as in `put`.
        unsafe { (*self.list.get()).is_empty() }
    }

    /// Gives an empty list's memory back.
    pub(crate) fn free_list_memory(&self) {
        // SAFETY: as in `put`; dropping an empty list runs no other code.
        unsafe {
            let list = &mut *self.list.get();
            if list.is_empty() && list.spilled() {
                drop(std::mem::take(&mut **list));
            }
        }
    }
}

#[cold]
#[inline(never)]
fn has_room(list: &mut Tasks) -> bool {
    list.try_reserve(1).is_ok()
}
