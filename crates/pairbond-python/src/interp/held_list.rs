//! The list of wrappers that native code keeps: how it is stored (`wrapper/held.rs`: which are on
//! it, and why).
//!
//! It is a bit for each place of a page of memory where a wrapper may begin, since wrappers lie
//! side by side: a word in each wrapper, to find it on a list, would be read and written with it by
//! every collection. Pages are guarded by their shard: by the GIL, or where there is none by a flag
//! that is not held while Python code runs or the thread may be stopped.

use std::cell::UnsafeCell;
#[cfg(Py_GIL_DISABLED)]
use std::sync::atomic::{AtomicBool, Ordering};

use pairbond_core::object::{ByAddress, Header};
use pyo3_ffi as py;

use super::api::api;
use crate::layout::Wrapper;

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

    pub(crate) fn list(&self, wrapper: *mut py::PyObject) {
        let (page, word, bit) = Page::place(wrapper);
        self.shard(page).with(|pages| {
            // Without memory it is not listed: statistics, `trim` and the leak report miss it, and
            // what the object keeps of the interpreter stays when that ends.
            if pages.contains_key(&page) || pages.try_reserve(1).is_ok() {
                pages.entry(page).or_default().0[word] |= bit;
            }
        });
    }

    pub(crate) fn unlist(&self, wrapper: *mut py::PyObject) {
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

    /// Shows every wrapper that is listed. Each lives while the world stands still.
    pub(crate) fn each_listed(&self, each: &mut dyn FnMut(*mut Wrapper)) {
        for shard in &self.0 {
            shard.with(|pages| {
                pages
                    .iter()
                    .flat_map(|(page, places)| places.wrappers(*page))
                    .for_each(&mut *each);
            });
        }
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
