//! Finding the wrappers that native code keeps: for statistics, `trim` and the leak report.
//!
//! Objects that can own references are on the collector's list, and lead to their wrappers. Other objects are on no list, since making and dropping
//! one must cost nothing. So their *wrappers* are listed, and not from birth, but when native code first gets hold of them: when the wrapper of an
//! object that was made natively is made, or native code takes custody of one that was made in Python. Both allocate or exchange something anyway.
//! What lives and dies in Python pays for a store and a comparison.
//!
//! A listed wrapper stays listed until it dies; the list is a superset. Places are guarded by their shard: by the GIL, or where there is none by a
//! flag that nobody holds while Python code runs or the thread may be stopped.

use std::cell::UnsafeCell;
use std::ffi::c_void;
#[cfg(Py_GIL_DISABLED)]
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::atomic::{AtomicU64, Ordering};

use pairbond_core::object::{Header, Holder};
use pyo3_ffi as py;

use crate::api::api;
use crate::interp::{Interp, local};
use crate::wrapper::Wrapper;

const SHARDS: usize = if cfg!(Py_GIL_DISABLED) { 16 } else { 1 };

/// Where a wrapper is listed: 0 when it is not, otherwise one more than the shard, for good, and above that the index, which changes when others
/// leave and is for whoever has the shard. Two bits are flags, for those that are not listed (any more).
#[repr(transparent)]
pub struct Place(AtomicU64);

impl Place {
    const NEVER_SPARE: u64 = 1 << 31;
    const MOVED: u64 = 1 << 30;
    /// What is said whether the wrapper is listed or not.
    const FLAGS: u64 = Self::NEVER_SPARE | Self::MOVED;

    /// Not listed. (All zeros: what CPython's own allocation leaves.)
    #[inline]
    pub fn none() -> Self {
        Place(AtomicU64::new(0))
    }

    /// Says that the wrapper's object was moved away.
    pub(super) fn set_moved(&self) {
        self.0.fetch_or(Self::MOVED, Ordering::Relaxed);
    }

    /// Whether the wrapper's object was moved away.
    pub(crate) fn is_moved(&self) -> bool {
        self.0.load(Ordering::Relaxed) & Self::MOVED != 0
    }

    fn bits(shard: usize, index: usize) -> u64 {
        (index as u64) << 32 | (shard as u64 + 1)
    }

    /// Whether the wrapper is listed.
    #[inline]
    pub fn is_listed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & !Self::FLAGS != 0
    }

    /// The wrapper is garbage or dies, and its memory must not be [spare](super::Spare).
    #[cfg(Py_3_12)]
    pub(super) fn never_spare(&self) {
        self.0.fetch_or(Self::NEVER_SPARE, Ordering::Relaxed);
    }

    /// Whether there is nothing to say, as in a new wrapper.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn shard(&self) -> usize {
        (self.0.load(Ordering::Relaxed) & !Self::FLAGS) as u32 as usize - 1
    }

    fn index(&self) -> usize {
        (self.0.load(Ordering::Relaxed) >> 32) as usize
    }
}

#[repr(align(64))]
struct Shard {
    #[cfg(Py_GIL_DISABLED)]
    taken: AtomicBool,
    list: UnsafeCell<Vec<*mut Wrapper>>,
}

/// The wrappers of one interpreter that native code has got hold of, of types that no collector lists.
pub(crate) struct Held([Shard; SHARDS]);

impl Held {
    pub(crate) fn new() -> Self {
        Held(std::array::from_fn(|_| Shard {
            #[cfg(Py_GIL_DISABLED)]
            taken: AtomicBool::new(false),
            list: UnsafeCell::new(Vec::new()),
        }))
    }

    /// The interpreter is gone: nobody lists or unlists any more.
    pub(crate) fn forget(&self) {
        for shard in 0..SHARDS {
            self.with(shard, |list| drop(std::mem::take(list)));
        }
    }

    fn with<R>(&self, shard: usize, work: impl FnOnce(&mut Vec<*mut Wrapper>) -> R) -> R {
        let shard = &self.0[shard];
        #[cfg(Py_GIL_DISABLED)]
        while shard.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: attached with a GIL, or the flag is ours; `work` is one of this module's and does not come back here.
        let result = work(unsafe { &mut *shard.list.get() });
        #[cfg(Py_GIL_DISABLED)]
        shard.taken.store(false, Ordering::Release);
        result
    }
}

/// The shard of this thread.
fn mine() -> usize {
    #[cfg(Py_GIL_DISABLED)]
    {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS);
        MINE.try_with(|mine| *mine).unwrap_or(0)
    }
    #[cfg(not(Py_GIL_DISABLED))]
    0
}

/// Notes that native code takes an object out of the custody of its wrapper.
///
/// # Safety
/// Attached; a living wrapper of that object.
#[inline]
pub(crate) unsafe fn note(wrapper: *mut py::PyObject, native: &Header) {
    // SAFETY: promised.
    unsafe {
        if !native.info().is_traced() && !(*wrapper.cast::<Wrapper>()).place.is_listed() {
            (api().hold)(wrapper);
        }
    }
}

/// See [`Api::hold`](crate::api::Api).
///
/// # Safety
/// Attached to the interpreter of the living wrapper.
pub(crate) unsafe extern "C" fn hold(wrapper: *mut py::PyObject) {
    // SAFETY: promised; interpreters are never freed.
    unsafe {
        if let Some(interp) = local::current().as_ref() {
            list(interp, wrapper);
        }
    }
}

/// Lists a wrapper, unless it is listed.
///
/// # Safety
/// Attached to the interpreter of the living wrapper; its object's type is not traced.
pub(super) unsafe fn list(interp: &Interp, wrapper: *mut py::PyObject) {
    let wrapper = wrapper.cast::<Wrapper>();
    let shard = mine();
    interp.held.with(shard, |list| {
        let place = Place::bits(shard, list.len());
        // Without a GIL two threads may list one at the same time, in different shards: the first wins.
        // SAFETY: alive.
        let first = unsafe { &(*wrapper).place }
            .0
            .compare_exchange(0, place, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok();
        if first {
            list.push(wrapper);
        }
    });
}

/// Takes a wrapper that dies off the list.
///
/// # Safety
/// Attached to its interpreter; it is listed.
#[cold]
#[inline(never)]
pub(super) unsafe fn unlist(wrapper: *mut py::PyObject) {
    // SAFETY: interpreters are never freed; listed wrappers are alive, and their places guarded by the shard.
    unsafe {
        let place = &(*wrapper.cast::<Wrapper>()).place;
        // When the interpreter is gone, so are its lists.
        let Some(interp) = local::current().as_ref() else {
            place.0.fetch_and(Place::FLAGS, Ordering::Relaxed);
            return;
        };
        let shard = place.shard();
        interp.held.with(shard, |list| {
            let index = place.index();
            if list
                .get(index)
                .is_none_or(|at| !std::ptr::eq(*at, wrapper.cast()))
            {
                return;
            }
            list.swap_remove(index);
            if let Some(moved) = list.get(index) {
                let kept = (**moved).place.0.load(Ordering::Relaxed) & Place::FLAGS;
                (**moved)
                    .place
                    .0
                    .store(Place::bits(shard, index) | kept, Ordering::Relaxed);
            }
            if list.capacity() > 1024 && list.len() < list.capacity() / 4 {
                list.shrink_to(list.len() * 2);
            }
        });
        place.0.fetch_and(Place::FLAGS, Ordering::Relaxed);
    }
}

/// Runs `work` while no other thread that is attached to this interpreter does anything. It must not call into Python.
///
/// # Safety
/// Attached.
#[cfg(not(Py_GIL_DISABLED))]
pub(crate) unsafe fn standing_still(work: &mut dyn FnMut()) {
    work();
}

/// As above: CPython stops the world to show all objects to a visitor, which works at the first and wants to see no more.
///
/// # Safety
/// Attached.
#[cfg(Py_GIL_DISABLED)]
pub(crate) unsafe fn standing_still(work: &mut dyn FnMut()) {
    struct Once<'a>(Option<&'a mut dyn FnMut()>);
    unsafe extern "C" fn visit(_: *mut py::PyObject, once: *mut c_void) -> std::ffi::c_int {
        // SAFETY: the argument below.
        if let Some(work) = unsafe { &mut *once.cast::<Once<'_>>() }.0.take() {
            work();
        }
        0
    }
    let mut once = Once(Some(work));
    // SAFETY: attached; there is always an object to show.
    unsafe { crate::ffi::PyUnstable_GC_VisitObjects(visit, (&raw mut once).cast()) }
}

/// Shows every object of this interpreter in native custody with its wrapper, while neither object nor wrapper can go and no other thread of the
/// interpreter does anything. Threads that are not attached may clone and drop native references all the while.
///
/// # Safety
/// Attached to `interp`; `each` calls nothing of Python's, and makes and destroys no native object.
pub(crate) unsafe fn each(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    struct Walk<'a> {
        tag: u16,
        each: &'a mut dyn FnMut(&Header, *mut py::PyObject),
    }
    unsafe extern "C" fn shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
        if count == 0 {
            return;
        }
        // SAFETY: the argument below; listed objects are alive while the walk lasts. A wrapper of ours that an object owned a moment ago is alive:
        // only attached threads let go of wrappers.
        unsafe {
            let walk = &mut *walk.cast::<Walk<'_>>();
            for object in std::slice::from_raw_parts(objects, count) {
                let object = &**object;
                let native = object.custody().state().holder() == Holder::Native;
                let pair = object.custody().pair();
                if native && pair.tag() == walk.tag && !pair.wrapper().is_null() {
                    (walk.each)(object, pair.wrapper().cast());
                }
            }
        }
    }
    unsafe extern "C" fn finish(_: *mut c_void) {}
    // SAFETY: promised. The callbacks fit their argument; the world stands still.
    unsafe {
        standing_still(&mut || {
            each_listed(interp, each);
            let mut walk = Walk {
                tag: interp.tag(),
                each: &mut *each,
            };
            let walk = (&raw mut walk).cast();
            while !(pairbond_core::runtime::runtime().walk)(walk, shard, finish) {
                std::thread::yield_now();
            }
        });
    }
}

/// The part of [`each`] that no collector lists.
///
/// # Safety
/// As for [`each`], and the world stands still.
pub(crate) unsafe fn each_listed(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    for place in 0..SHARDS {
        interp.held.with(place, |list| {
            for wrapper in list.iter() {
                // SAFETY: a listed wrapper is alive: it is unlisted before it dies. So is its object.
                unsafe {
                    if let Some(native) = (**wrapper).native.as_ref()
                        && native.custody().state().holder() == Holder::Native
                    {
                        each(native, (*wrapper).cast());
                    }
                }
            }
        });
    }
}
