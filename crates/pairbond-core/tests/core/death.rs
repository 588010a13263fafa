//! How objects die.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pairbond_core::object::{Object, Ref, Weak};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::object;
use pairbond_value::value::{Cell, List};

struct Link {
    next: Option<Ref<Link>>,
    back: Cell<Option<Ref<Link>>>,
    _drops: Drops,
}
object!(Link, "death.Link", [next, back]);

struct Untraced(#[allow(dead_code)] Option<Ref<Untraced>>);
// SAFETY: the reference is not shown, which only leaks in cycles; there are none.
object!(Untraced, "death.Untraced", []);

fn link(next: Option<Ref<Link>>, drops: &Counter) -> Ref<Link> {
    Ref::new(Link {
        next,
        back: Cell::default(),
        _drops: drops.drop_probe(),
    })
}

const CHAIN: usize = if cfg!(miri) {
    300
} else if cfg!(debug_assertions) {
    1_000_000
} else {
    10_000_000
};

/// On a stack that recursion would overflow within a thousandth of the chain.
fn on_a_small_stack(f: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(256 << 10)
            .spawn_scoped(scope, f)
            .unwrap();
    });
}

#[test]
fn a_chain_of_millions_needs_no_stack() {
    let drops = Counter::new();
    on_a_small_stack(|| {
        let mut head = None;
        for _ in 0..CHAIN {
            head = Some(link(head, &drops));
        }
        drop(head);
    });
    assert_eq!(drops.get(), CHAIN);
}

#[test]
fn nor_does_one_that_the_collector_does_not_list() {
    on_a_small_stack(|| {
        let mut head = None;
        for _ in 0..CHAIN / 10 {
            head = Some(Ref::new(Untraced(head)));
        }
    });
    assert_eq!(Untraced::info().live_count(), 0);
}

#[test]
fn a_wide_structure_dies() {
    let drops = Counter::new();
    let children: List<Link> = List::new();
    let shared = link(None, &drops);
    let n = CHAIN / 100;
    for _ in 0..n {
        children.push(link(Some(shared.clone()), &drops));
    }
    drop(shared);
    assert_eq!(drops.get(), 0);
    let other = children.clone();
    drop(children);
    assert_eq!(drops.get(), 0);
    drop(other);
    assert_eq!(drops.get(), n + 1);
}

#[test]
fn a_cycle_that_is_cut_dies() {
    let drops = Counter::new();
    let last = link(None, &drops);
    let mut head = last.clone();
    let n = CHAIN.min(1000);
    for _ in 0..n {
        head = link(Some(head), &drops);
    }
    last.back.set(Some(head));
    assert_eq!(drops.get(), 0);
    // The last step of taking the head drops it while the lock of the field is free again.
    drop(last.back.take());
    assert_eq!(drops.get(), n);
    drop(last);
    assert_eq!(drops.get(), n + 1);
}

/// The last reference to an object goes in the destructor of a thread-local, when others are gone
/// already.
#[test]
fn objects_die_while_the_thread_does() {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<Ref<Link>>> = const { std::cell::RefCell::new(None) };
    }
    let drops = Counter::new();
    let inner = drops.clone();
    // A scope would not wait for thread-locals.
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        // Registered first, so destroyed last.
        KEPT.with(|_| ());
        let mut head = link(None, &inner);
        for _ in 0..CHAIN / 10 {
            head = link(Some(head), &inner);
        }
        KEPT.set(Some(head));
    });
    thread.unwrap().join().unwrap();
    assert_eq!(drops.get(), CHAIN / 10 + 1);
}

struct Panics {
    _first: Ref<Link>,
    panics: bool,
    _last: Ref<Link>,
}
object!(Panics, "death.Panics", []);

impl Drop for Panics {
    fn drop(&mut self) {
        assert!(!self.panics, "this destructor panics");
    }
}

#[test]
fn a_destructor_that_panics_leaves_nothing_behind() {
    let drops = Counter::new();
    let panics = |panics| {
        Ref::new(Panics {
            _first: link(Some(link(None, &drops)), &drops),
            panics,
            _last: link(None, &drops),
        })
    };
    let weak: Weak<Panics>;
    {
        let object = panics(true);
        weak = object.downgrade();
        let caught = catch_unwind(AssertUnwindSafe(|| drop(object))).unwrap_err();
        assert_eq!(*caught.downcast_ref::<&str>().unwrap(), "this destructor panics");
    }
    // Its references, and the objects on the list by then, died all the same.
    assert_eq!(drops.get(), 3);
    assert_eq!(Panics::info().live_count(), 0);
    assert!(weak.upgrade().is_none());
    // And the thread goes on as before.
    drop(panics(false));
    assert_eq!(drops.get(), 6);
}

/// Clones and drops on all threads end in one death.
#[test]
fn many_threads_one_death() {
    let drops = Counter::new();
    let object = link(None, &drops);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mine = object.clone();
            scope.spawn(move || {
                for _ in 0..if cfg!(miri) { 20 } else { 10_000 } {
                    let other = mine.clone();
                    let weak = other.downgrade();
                    assert!(weak.upgrade().is_some());
                }
            });
        }
        drop(object);
    });
    assert_eq!(drops.get(), 1);
}
