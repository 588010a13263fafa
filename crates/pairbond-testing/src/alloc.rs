//! Allocators that count, refuse, or remember who made what.

use std::alloc::Layout;
use std::ffi::c_void;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::memory::{Allocator, set_allocator};

/// Counts allocations, and refuses them on request. Each block carries the address of its allocator
/// in front, so that a block freed by another allocator is detected.
#[derive(Debug, Default)]
pub struct Counting {
    made: AtomicUsize,
    alive: AtomicIsize,
    bytes: AtomicIsize,
    /// How many more allocations succeed; negative: all.
    left: AtomicIsize,
}

impl Counting {
    /// An allocator that never refuses. It lives for the process, as allocators must.
    #[must_use]
    pub fn leak() -> &'static Self {
        Self::failing_after(-1)
    }

    /// An allocator that refuses after so many allocations.
    #[must_use]
    pub fn failing_after(allocations: isize) -> &'static Self {
        Box::leak(Box::new(Counting {
            left: AtomicIsize::new(allocations),
            ..Counting::default()
        }))
    }

    /// The functions for [`set_allocator`].
    #[must_use]
    pub fn allocator_functions(&'static self) -> Allocator {
        Allocator {
            allocate: counting_allocate,
            deallocate: counting_deallocate,
            context: std::ptr::from_ref(self).cast_mut().cast(),
        }
    }

    /// Makes this the process's allocator until the result is dropped. One at a time: others wait.
    #[must_use]
    pub fn install(&'static self) -> Installed {
        let alone = lock_allocator();
        // SAFETY: the functions do what an allocator does, and live for the process.
        let before = unsafe { set_allocator(self.allocator_functions()) }.expect("fewer than 255 allocators");
        Installed {
            before,
            _alone: alone,
        }
    }

    /// Allocations so far.
    #[must_use]
    pub fn allocation_count(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }

    /// Allocations that were not given back yet.
    #[must_use]
    pub fn live_count(&self) -> isize {
        self.alive.load(Ordering::SeqCst)
    }

    /// Their bytes.
    #[must_use]
    pub fn live_bytes(&self) -> isize {
        self.bytes.load(Ordering::SeqCst)
    }
}

static ALONE: Mutex<()> = Mutex::new(());

/// Keeps other tests of this process from replacing the allocator.
pub fn lock_allocator() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Brings the allocator before back.
#[derive(Debug)]
pub struct Installed {
    before: Allocator,
    _alone: MutexGuard<'static, ()>,
}

impl Drop for Installed {
    fn drop(&mut self) {
        // SAFETY: it was installed before.
        let _ = unsafe { set_allocator(self.before) };
    }
}

/// Where the value begins behind the allocator's address, and the layout of both.
fn value_layout(size: usize, align: usize) -> (usize, Layout) {
    let front = align.max(align_of::<usize>()).max(size_of::<usize>());
    (
        front,
        Layout::from_size_align(front + size, front.max(align)).expect("a small layout"),
    )
}

unsafe extern "C" fn counting_allocate(context: *mut c_void, size: usize, align: usize) -> *mut u8 {
    // SAFETY: the context is a leaked `Counting`.
    let this = unsafe { &*context.cast::<Counting>() };
    let left = this
        .left
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| (n > 0).then(|| n - 1));
    if left == Err(0) {
        return std::ptr::null_mut();
    }
    let (front, layout) = value_layout(size, align);
    // SAFETY: the layout is not empty and has room for the address in front.
    unsafe {
        let memory = std::alloc::alloc(layout);
        if memory.is_null() {
            return memory;
        }
        this.made.fetch_add(1, Ordering::SeqCst);
        this.alive.fetch_add(1, Ordering::SeqCst);
        this.bytes.fetch_add(size as isize, Ordering::SeqCst);
        memory.cast::<usize>().write(context.addr());
        memory.add(front)
    }
}

unsafe extern "C" fn counting_deallocate(context: *mut c_void, memory: *mut u8, size: usize, align: usize) {
    // SAFETY: the context is a leaked `Counting`.
    let this = unsafe { &*context.cast::<Counting>() };
    let (front, layout) = value_layout(size, align);
    // SAFETY: as `allocate` left it.
    unsafe {
        let start = memory.sub(front);
        if start.cast::<usize>().read() != context.addr() {
            // Across `extern "C"` there is no unwinding.
            eprintln!("memory was given back to an allocator that did not make it");
            std::process::abort();
        }
        this.alive.fetch_sub(1, Ordering::SeqCst);
        this.bytes.fetch_sub(size as isize, Ordering::SeqCst);
        std::alloc::dealloc(start, layout);
    }
}
