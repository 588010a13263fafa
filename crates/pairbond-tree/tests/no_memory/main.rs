//! The runtime's own tables while there is no memory for them: objects cannot be made, and those
//! there are live and die as ever. Objects themselves come from slabs, which have memory here.
#![cfg(not(any(loom, miri)))]
#![allow(clippy::disallowed_types)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell as StdCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[path = "../tree/nodes.rs"]
#[allow(dead_code, unused_imports)]
mod nodes;
mod tables;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::Ref;
use pairbond_core::trace::collect;
use pairbond_testing::object;
use pairbond_value::value::Cell;

struct Refusing;

thread_local! {
    /// So many bytes and more are refused.
    static REFUSE: StdCell<usize> = const { StdCell::new(usize::MAX) };
}
/// What each binary keeps for the error that says that there is no memory.
const RESERVE: usize = 1 << 16;
static REFUSED: AtomicUsize = AtomicUsize::new(0);

fn refuses_size(size: usize) -> bool {
    let refuses = REFUSE.try_with(|least| size >= least.get()).unwrap_or(false);
    REFUSED.fetch_add(usize::from(refuses), Ordering::Relaxed);
    refuses
}

// SAFETY: the system's allocator, which sometimes refuses.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses_size(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && refuses_size(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: passed on.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if layout.size() == RESERVE {
            // Given back: small allocations succeed again.
            let _ = REFUSE.try_with(|least| least.set(least.get().max(512)));
        }
        // SAFETY: passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `act` while this thread gets no memory, but for the few bytes of an error; how often it
/// asked for some.
fn without_memory<R>(act: impl FnOnce() -> R) -> (R, usize) {
    with_refused_allocations(512, act)
}

/// Runs `act` while this thread does not get so many bytes and more; how often it asked for some.
fn with_refused_allocations<R>(least: usize, act: impl FnOnce() -> R) -> (R, usize) {
    let before = REFUSED.load(Ordering::Relaxed);
    REFUSE.set(least);
    let result = act();
    REFUSE.set(usize::MAX);
    (result, REFUSED.load(Ordering::Relaxed) - before)
}

/// Tests count refusals, and objects that die.
static ALONE: Mutex<()> = Mutex::new(());
static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct Link {
    next: Cell<Option<Ref<Link>>>,
    number: u64,
}
object!(Link, "no_memory.Link", [next]);

impl Drop for Link {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

fn new_link(number: u64, next: Option<Ref<Link>>) -> Link {
    let next = Cell::new(next);
    Link { next, number }
}

/// More than a thread's work list has room for without memory.
const EACH: usize = 9;

struct Owner {
    many: [Ref<Link>; EACH],
    next: Option<Ref<Owner>>,
}
object!(Owner, "no_memory.Owner", [many, next]);

fn lock_tests() -> std::sync::MutexGuard<'static, ()> {
    let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // The type is registered, and the thread has a list, before memory goes.
    drop(Ref::new(new_link(0, None)));
    DROPPED.store(0, Ordering::Relaxed);
    alone
}

#[test]
fn an_object_that_cannot_be_listed_is_not_made() {
    let _alone = lock_tests();
    let mut all: Vec<Ref<Link>> = Vec::with_capacity(1 << 20);
    // Until the list has to grow.
    let (error, asked) = without_memory(|| {
        loop {
            match Ref::try_new(new_link(all.len() as u64, None)) {
                Ok(made) => all.push(made),
                Err(_) => break,
            }
            assert!(all.len() < 1 << 20, "the list must have grown");
        }
        DROPPED.load(Ordering::Relaxed)
    });
    assert!(asked > 0);
    assert_eq!(error, 1, "the value of the object that was not made is dropped");
    // Again and again, and afterwards as ever.
    let (refused, _) = without_memory(|| {
        (0..100)
            .filter(|_| Ref::try_new(new_link(0, None)).is_err())
            .count()
    });
    assert_eq!(refused, 100);
    let count = all.len();
    all.push(Ref::try_new(new_link(count as u64, None)).expect("there is memory"));
    assert!(all.iter().enumerate().all(|(at, it)| it.number == at as u64));
    // One that dies makes a place.
    let _ = all.swap_remove(0);
    let (made, _) = without_memory(|| Ref::try_new(new_link(7, None)).is_ok());
    assert!(made);
    drop(all);
    let dropped = DROPPED.load(Ordering::Relaxed);
    assert_eq!(dropped, 1 + 100 + count + 1 + 1);
}

#[test]
fn the_error_is_one_of_memory() {
    let _alone = lock_tests();
    let mut all = Vec::with_capacity(1 << 20);
    let (error, _) = without_memory(|| {
        loop {
            match Ref::try_new(new_link(0, None)) {
                Ok(made) => all.push(made),
                Err(error) => {
                    break matches!(error.kind(), ErrorKind::Memory);
                }
            }
        }
    });
    assert!(error);
}

/// An exception that Python raised, for example, is no error of memory, which asks for the reserve.
#[test]
fn any_error_is_made_of_the_reserve() {
    let _alone = lock_tests();
    pairbond_core::memory::keep_reserve();
    let (error, asked) = with_refused_allocations(1, || Error::new(ErrorKind::Type, String::new()));
    assert_eq!((error.kind(), asked), (&ErrorKind::Type, 1));
}

#[test]
fn a_long_chain_dies_without_memory_and_without_recursion() {
    const COUNT: usize = 1_000_000;
    let _alone = lock_tests();
    let mut last = None;
    for number in 0..COUNT {
        last = Some(Ref::new(new_link(number as u64, last)));
    }
    let ((), asked) = with_refused_allocations(0, || drop(last));
    assert_eq!((DROPPED.load(Ordering::Relaxed), asked), (COUNT, 0));
}

/// The work list has room for few; the others are linked.
#[test]
fn owners_of_many_die_without_memory_and_without_recursion() {
    const COUNT: usize = 100_000;
    let _alone = lock_tests();
    let mut last = None;
    for number in 0..COUNT {
        let many = std::array::from_fn(|_| Ref::new(new_link(number as u64, None)));
        last = Some(Ref::new(Owner { many, next: last }));
    }
    let ((), asked) = with_refused_allocations(0, || drop(last));
    assert!(asked > 0);
    assert_eq!(DROPPED.load(Ordering::Relaxed), COUNT * EACH);
}

#[test]
fn others_objects_die_without_memory_and_leave_their_places() {
    const COUNT: usize = 5000;
    let _alone = lock_tests();
    let (all, kept) = std::thread::spawn(|| {
        let all: Vec<_> = (0..COUNT)
            .map(|number| Ref::new(new_link(number as u64, None)))
            .collect();
        let kept = all[COUNT / 2].clone();
        (all, kept)
    })
    .join()
    .unwrap();
    let ((), asked) = with_refused_allocations(0, || all.into_iter().for_each(drop));
    assert!(asked > 0);
    assert_eq!(DROPPED.load(Ordering::Relaxed), COUNT - 1);
    // The list is whole: cycles are found, and nothing else.
    let (one, two) = (Ref::new(new_link(1, None)), Ref::new(new_link(2, None)));
    one.next.set(Some(two.clone()));
    two.next.set(Some(one.clone()));
    drop((one, two));
    collect();
    assert_eq!(DROPPED.load(Ordering::Relaxed), COUNT + 1);
    assert_eq!(kept.number, COUNT as u64 / 2);
}

#[test]
fn exclusive_access_ends_without_memory() {
    let _alone = lock_tests();
    let mut mine = Ref::new(new_link(1, None));
    let mut others = Vec::with_capacity(1 << 20);
    let target = Ref::new(new_link(2, None));
    let (_, asked) = without_memory(|| {
        let mut access = mine.get_mut().expect("the only reference");
        // Others take its place meanwhile.
        while let Ok(made) = Ref::try_new(new_link(0, None)) {
            others.push(made);
        }
        access.number = 3;
    });
    assert!(asked > 0);
    mine.next.set(Some(target.clone()));
    // Collectors do not know it, and take its targets for referred to from outside.
    let again = mine.clone();
    target.next.set(Some(Ref::new(new_link(4, None))));
    drop(target);
    collect();
    let before = DROPPED.load(Ordering::Relaxed);
    let number = again.next.with(|it| it.as_ref().map(|it| it.number));
    assert_eq!((again.number, number), (3, Some(2)));
    drop((mine, again));
    assert_eq!(DROPPED.load(Ordering::Relaxed), before + 3);
}
