//! The queue of deferred releases under a model checker: two threads push while another takes.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_deferred
#![cfg(loom)]

use std::ffi::c_void;
use std::ptr::without_provenance_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pairbond_core::frontend::Deferred;

fn object(number: usize) -> *mut c_void {
    without_provenance_mut(number)
}

#[test]
fn nothing_is_lost_and_nothing_handed_out_twice() {
    static TAKEN_MEANWHILE: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
    static TOLD: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(|| {
        let queue = Arc::new(Deferred::new());
        let pushing = [[1, 2].as_slice(), &[3]].map(|objects| {
            let queue = Arc::clone(&queue);
            loom::thread::spawn(move || {
                objects
                    .iter()
                    .filter(|o| queue.push(object(**o)) == Some(true))
                    .count()
            })
        });
        let mut all: Vec<usize> = queue.take_all().map(|o| o.addr()).collect();
        TAKEN_MEANWHILE[all.len()].fetch_add(1, Relaxed);
        let told: usize = pushing.map(|thread| thread.join().unwrap()).iter().sum();
        TOLD[told].fetch_add(1, Relaxed);
        let rest: Vec<usize> = queue.take_all().map(|o| o.addr()).collect();
        assert_eq!(
            told,
            usize::from(!all.is_empty()) + usize::from(!rest.is_empty()),
            "told once for each filling"
        );
        all.extend(rest);
        let order: Vec<_> = all.iter().filter(|o| **o < 3).copied().collect();
        assert_eq!(order, [1, 2], "the order of one thread is kept");
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3]);
        assert!(queue.is_empty());
    });
    for (n, times) in TAKEN_MEANWHILE.iter().enumerate() {
        assert!(times.load(Relaxed) > 0, "{n} objects were never taken meanwhile");
    }
    assert!(TOLD[1].load(Relaxed) > 0 && TOLD[2].load(Relaxed) > 0);
}

/// The holder of a field's lock is alone.
#[test]
fn the_lock_of_a_field_excludes() {
    use loom::cell::UnsafeCell;
    static REFUSED: AtomicUsize = AtomicUsize::new(0);
    struct Field(pairbond_core::CellLock, UnsafeCell<usize>);
    // SAFETY: that is what the test is about; loom says when it is not so.
    unsafe impl Sync for Field {}
    // SAFETY: that is what the test is about; loom says when it is not so.
    unsafe impl Send for Field {}
    loom::model(|| {
        let field = Arc::new(Field(pairbond_core::CellLock::new(), UnsafeCell::new(0)));
        let other = Arc::clone(&field);
        let add = |field: &Field| {
            // SAFETY: the lock is held.
            field.1.with_mut(|n| unsafe { *n += 1 });
            field.0.unlock();
        };
        let thread = loom::thread::spawn(move || {
            other.0.lock();
            add(&other);
        });
        let mut added = 1;
        if field.0.try_lock() {
            add(&field);
            added += 1;
        } else {
            REFUSED.fetch_add(1, Relaxed);
        }
        thread.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(field.1.with(|n| unsafe { *n }), added);
    });
    assert!(REFUSED.load(Relaxed) > 0);
}
