//! Finding the wrappers that native code keeps: for statistics, `trim` and the leak report.
//!
//! Objects that can own references are on the collector's list, and lead to their wrappers. Other
//! objects are on no list, since making and dropping one must cost nothing. So their *wrappers* are
//! listed, and not from birth, but when native code first gets hold of them: when the wrapper of an
//! object that was made natively is made, or native code takes custody of one that was made in
//! Python. Both allocate or exchange something anyway. What lives and dies in Python pays for a bit
//! of the pair that is looked at.
//!
//! A listed wrapper stays listed until it dies; the list is a superset. It is a bit for each place
//! of a page of memory where a wrapper may begin, since wrappers lie side by side: a word in each
//! wrapper, to find it on a list, would be read and written with it by every collection. Pages are
//! guarded by their shard: by the GIL, or where there is none by a flag that is not held while
//! Python code runs or the thread may be stopped.

use std::cell::UnsafeCell;
#[cfg(Py_GIL_DISABLED)]
use std::ffi::c_void;
#[cfg(Py_GIL_DISABLED)]
use std::sync::atomic::{AtomicBool, Ordering};

use pairbond_core::object::{ByAddress, Header, Holder};
use pairbond_core::trace::each_wrapper;
use pyo3_ffi as py;

use crate::interp::api::api;
use crate::interp::{Interp, local};
use crate::wrapper::{Wrapper, is_self, native};

/// A power of two.
const SHARDS: usize = if cfg!(Py_GIL_DISABLED) { 64 } else { 1 };

/// Bytes of a page, and between places where a wrapper may begin.
const PAGE: usize = 4096;
const STEP: usize = 8;

/// The places of a page where a listed wrapper begins.
#[derive(Clone, Copy, Default)]
struct Page([u64; PAGE / STEP / 64]);

impl Page {
    /// The number of a wrapper's page, and which bit of which word is its own.
    #[inline]
    fn place(wrapper: *mut py::PyObject) -> (usize, usize, u64) {
        let address = wrapper.expose_provenance();
        let bit = address % PAGE / STEP;
        (address / PAGE, bit / 64, 1 << (bit % 64))
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The wrappers of the page of that number.
    fn wrappers(&self, page: usize) -> impl Iterator<Item = *mut Wrapper> {
        let bits = self
            .0
            .iter()
            .flat_map(|word| (0..64).map(move |bit| word >> bit & 1));
        bits.enumerate().filter_map(move |(place, bit)| {
            let address = page * PAGE + place * STEP;
            (bit != 0).then(|| std::ptr::with_exposed_provenance_mut(address))
        })
    }
}

#[repr(align(64))]
struct Shard {
    #[cfg(Py_GIL_DISABLED)]
    taken: AtomicBool,
    pages: UnsafeCell<ByAddress<Page>>,
}

/// The wrappers of one interpreter that native code has got hold of, of types that no collector
/// lists.
pub(crate) struct Held([Shard; SHARDS]);

impl Held {
    pub(crate) fn new() -> Self {
        Held(std::array::from_fn(|_| Shard {
            #[cfg(Py_GIL_DISABLED)]
            taken: AtomicBool::new(false),
            pages: UnsafeCell::new(ByAddress::default()),
        }))
    }

    /// The interpreter is gone: nothing is listed or unlisted any more.
    pub(crate) fn forget(&self) {
        for shard in &self.0 {
            drop(shard.with(std::mem::take));
        }
    }

    fn shard(&self, page: usize) -> &Shard {
        &self.0[page & (SHARDS - 1)]
    }

    fn list(&self, wrapper: *mut py::PyObject) {
        let (page, word, bit) = Page::place(wrapper);
        self.shard(page).with(|pages| {
            // Without memory it is not listed: statistics, `trim` and the leak report miss it, and
            // what the object keeps of the interpreter stays when that ends.
            if pages.contains_key(&page) || pages.try_reserve(1).is_ok() {
                pages.entry(page).or_default().0[word] |= bit;
            }
        });
    }

    fn unlist(&self, wrapper: *mut py::PyObject) {
        let (page, word, bit) = Page::place(wrapper);
        self.shard(page).with(|pages| {
            let Some(places) = pages.get_mut(&page) else {
                return;
            };
            places.0[word] &= !bit;
            if places.0[word] != 0 || !places.is_empty() {
                return;
            }
            pages.remove(&page);
            if pages.capacity() > 1024 && pages.len() < pages.capacity() / 4 {
                pages.shrink_to(pages.len() * 2);
            }
        });
    }
}

impl Shard {
    fn with<R>(&self, work: impl FnOnce(&mut ByAddress<Page>) -> R) -> R {
        #[cfg(Py_GIL_DISABLED)]
        while self.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: attached with a GIL, or the flag is ours; `work` is one of this module's and does
        // not come back here.
        let result = work(unsafe { &mut *self.pages.get() });
        #[cfg(Py_GIL_DISABLED)]
        self.taken.store(false, Ordering::Release);
        result
    }
}

/// Notes that native code takes an object out of the custody of its wrapper.
///
/// # Safety
/// Attached; a living wrapper of that object.
#[inline]
pub(crate) unsafe fn note_held(wrapper: *mut py::PyObject, native: &Header) {
    if !native.info().is_traced() && !native.custody().pair().is_listed() {
        // SAFETY: attached; a living wrapper of that object: the caller ensures it.
        unsafe { (api().hold)(wrapper) }
    }
}

/// See [`Api::hold`](crate::interp::api::Api).
///
/// # Safety
/// Attached to the interpreter of the living wrapper.
pub(crate) unsafe extern "C" fn hold_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: promised; interpreters are never freed.
    unsafe {
        if let Some(interp) = local::current_interp().as_ref()
            && let Some(native) = native(wrapper)
            && is_self(wrapper, native)
        {
            list_wrapper(interp, wrapper, native.as_ref());
        }
    }
}

/// Lists a wrapper, unless it is listed.
///
/// # Safety
/// Attached to the interpreter of the living wrapper, which is the self of that object; the
/// object's type is not traced.
pub(super) unsafe fn list_wrapper(interp: &Interp, wrapper: *mut py::PyObject, native: &Header) {
    // Without a GIL two threads may list one at the same time: the first does.
    if native.custody().note_listed() {
        interp.held.list(wrapper);
    }
}

/// Takes a wrapper off the list that dies or has no object any more.
///
/// # Safety
/// Attached to its interpreter.
#[cold]
#[inline(never)]
pub(super) unsafe fn unlist_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: interpreters are never freed. When this one is gone, so are its lists.
    if let Some(interp) = unsafe { local::current_interp().as_ref() } {
        interp.held.unlist(wrapper);
    }
}

/// Runs `work` while no other thread that is attached to this interpreter does anything. It must
/// not call into Python.
///
/// # Safety
/// Attached.
#[cfg(not(Py_GIL_DISABLED))]
pub(crate) unsafe fn standing_still(work: &mut dyn FnMut()) {
    work();
}

/// As above: CPython stops the world to show all objects to a visitor, which works at the first and
/// wants to see no more.
///
/// # Safety
/// Attached.
#[cfg(Py_GIL_DISABLED)]
pub(crate) unsafe fn standing_still(work: &mut dyn FnMut()) {
    struct Once<'a>(Option<&'a mut dyn FnMut()>);
    unsafe extern "C" fn visit_once(_: *mut py::PyObject, once: *mut c_void) -> std::ffi::c_int {
        // SAFETY: the argument below.
        if let Some(work) = unsafe { &mut *once.cast::<Once<'_>>() }.0.take() {
            work();
        }
        0
    }
    let mut once = Once(Some(work));
    // SAFETY: attached; there is always an object to show.
    unsafe { crate::ffi::PyUnstable_GC_VisitObjects(visit_once, (&raw mut once).cast()) }
}

/// Shows every object of this interpreter in native custody with its wrapper, while neither object
/// nor wrapper can go and no other thread of the interpreter does anything. Threads that are not
/// attached may clone and drop native references all the while.
///
/// # Safety
/// Attached to `interp`; `each` calls nothing of Python's, and makes and destroys no native object.
pub(crate) unsafe fn each_held(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    // SAFETY: promised; the world stands still.
    unsafe {
        standing_still(&mut || {
            each_listed(interp, each);
            each_wrapper(interp.tag(), &mut |object, wrapper| {
                if object.custody().state().holder() == Holder::Native {
                    each(object, wrapper.cast());
                }
            });
        });
    }
}

/// The part of [`each_held`] that no collector lists.
///
/// # Safety
/// As for [`each_held`], and the world stands still.
pub(crate) unsafe fn each_listed(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    for shard in &interp.held.0 {
        shard.with(|pages| {
            for wrapper in pages.iter().flat_map(|(page, places)| places.wrappers(*page)) {
                // SAFETY: a listed wrapper is alive: it is unlisted before it dies. So is its
                // object.
                unsafe {
                    if let Some(native) = (*wrapper).native.as_ref()
                        && native.custody().state().holder() == Holder::Native
                    {
                        each(native, wrapper.cast());
                    }
                }
            }
        });
    }
}
