//! The arrays that a collection keeps for the next one are given back when somebody asks.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::cell::Cell;
use pairbond_core::object::Ref;
use pairbond_core::trace::{collect, forget_kept};
use pairbond_testing::object;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Link {
    next: Cell<Option<Ref<Link>>>,
}
object!(Link, "collect_memory.Link", [next]);

#[test]
fn what_is_kept_is_forgotten() {
    const COUNT: usize = if cfg!(miri) { 100 } else { 10_000 };
    let mut last = None;
    let links: Vec<Ref<Link>> = (0..COUNT)
        .map(|_| {
            let next = Cell::new(last.take());
            last = Some(Ref::new(Link { next }));
            last.clone().expect("just made")
        })
        .collect();
    let before = LIVE.load(Ordering::Relaxed);
    collect();
    let kept = LIVE.load(Ordering::Relaxed) - before;
    assert!(kept > 8 * COUNT, "the arrays are kept: {kept}");
    collect();
    forget_kept();
    let left = LIVE.load(Ordering::Relaxed).saturating_sub(before);
    assert!(left < COUNT, "they are gone: {left}");
    collect();
    assert_eq!(links.len(), COUNT);
}
