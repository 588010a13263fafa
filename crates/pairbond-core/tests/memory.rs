//! The replaceable allocator.
#![cfg(not(loom))]

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::{current_allocator, set_allocator};
use pairbond_core::object::{Object, Ref};
use pairbond_testing::alloc::{Counting, lock_allocator};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::object;
use pairbond_value::value::{Cell, Str};

struct Thing(#[allow(dead_code)] Drops);
object!(Thing, "memory.Thing", []);

struct Traced {
    next: Cell<Option<Ref<Traced>>>,
    _drops: Drops,
}
object!(Traced, "memory.Traced", [next]);

#[test]
fn everything_goes_back_to_its_maker() {
    let drops = Counter::new();
    let (first, second) = (Counting::leak(), Counting::leak());
    let mut kept = Vec::new();
    let mut traced = Vec::new();
    for allocator in [first, second] {
        let _installed = allocator.install();
        kept.extend((0..10).map(|_| Ref::new(Thing(drops.drop_probe()))));
        traced.extend((0..10).map(|_| {
            Ref::new(Traced {
                next: Cell::default(),
                _drops: drops.drop_probe(),
            })
        }));
        assert_eq!(allocator.live_count(), 20);
    }
    assert!(first.live_bytes() > 0);
    // A chain through both.
    for pair in traced.windows(2) {
        pair[0].next.set(Some(pair[1].clone()));
    }
    // The system's is current again, and a third one while they die; `Counting` looks who made
    // what.
    let third = Counting::leak();
    let _installed = third.install();
    let weak = kept[0].downgrade();
    drop((kept, traced));
    assert_eq!(drops.get(), 40);
    assert_eq!(
        (first.live_count(), second.live_count(), third.allocation_count()),
        (1, 0, 0),
        "the weak reference holds memory"
    );
    drop(weak);
    assert_eq!((first.live_count(), first.live_bytes()), (0, 0));
}

#[test]
fn refusal_is_an_error_and_leaves_nothing() {
    let drops = Counter::new();
    let failing = Counting::failing_after(2);
    let _installed = failing.install();
    let (one, two) = (
        Ref::try_new(Thing(drops.drop_probe())).unwrap(),
        Str::from("the second"),
    );
    let error = Ref::try_new(Thing(drops.drop_probe())).map(drop).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Memory);
    assert_eq!(drops.get(), 1, "the value was dropped, once");
    let live = Traced::info().live_count();
    let error = Ref::try_new(Traced {
        next: Cell::default(),
        _drops: drops.drop_probe(),
    })
    .map(drop)
    .unwrap_err();
    assert_eq!(
        (error.kind(), drops.get(), Traced::info().live_count()),
        (&ErrorKind::Memory, 2, live)
    );
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Ref::new(Thing(drops.drop_probe()))
    }));
    let payload = panicked.map(drop).unwrap_err();
    let error = payload
        .downcast_ref::<Error>()
        .expect("it unwinds with the error");
    assert_eq!(*error.kind(), ErrorKind::Memory);
    assert!(error.to_string().contains("out of memory"));
    assert_eq!(drops.get(), 3);
    drop((one, two));
    assert_eq!(
        (failing.live_count(), failing.live_bytes(), drops.get()),
        (0, 0, 4)
    );
}

#[test]
fn a_destructor_that_panics_gives_its_memory_back() {
    struct Panics(#[allow(dead_code)] Drops);
    object!(Panics, "memory.Panics", []);
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }
    let (drops, counting) = (Counter::new(), Counting::leak());
    let _installed = counting.install();
    let object = Ref::new(Panics(drops.drop_probe()));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(object)));
    assert!(panicked.is_err());
    assert_eq!(
        (drops.get(), counting.allocation_count(), counting.live_count()),
        (1, 1, 0)
    );
}

/// Threads make and drop while others replace the allocator.
#[test]
fn replaced_at_any_time() {
    let allocators = [Counting::leak(), Counting::leak()];
    let _alone = lock_allocator();
    let before = current_allocator();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut kept = Vec::new();
                for n in 0..if cfg!(miri) { 20 } else { 5000 } {
                    kept.push(Str::from(n.to_string()));
                    if n % 3 == 0 {
                        kept.swap_remove(n % kept.len());
                    }
                }
            });
        }
        scope.spawn(|| {
            for n in 0..if cfg!(miri) { 10 } else { 500 } {
                // SAFETY: functions of the process.
                unsafe { set_allocator(allocators[n % 2].allocator_functions()) }.unwrap();
                std::thread::yield_now();
            }
        });
    });
    // SAFETY: functions of the process.
    unsafe { set_allocator(before) }.unwrap();
    assert_eq!(allocators.map(Counting::live_count), [0, 0]);
    // Miri gives functions several addresses, so that the system's allocator may seem to be another
    // one.
    if !cfg!(miri) {
        assert_eq!(current_allocator(), before);
    }
}
