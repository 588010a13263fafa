//! A collection that is interrupted leaves everything as it was, or the rest to a later one.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

use std::cell::Cell as Local;
use std::sync::Mutex;

use pairbond_core::cell::Cell;
use pairbond_core::object::{Ref, Weak};
use pairbond_core::trace::{collect, find_garbage, live_traced, run_interruptible};
use pairbond_testing::object;

struct Link {
    next: Cell<Option<Ref<Link>>>,
}
object!(Link, "collect_interrupted.Link", [next]);

/// More than are handled between two questions.
const COUNT: usize = if cfg!(miri) { 100 } else { 100_000 };

/// All objects of the process are collected: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

thread_local! {
    static LEFT: Local<usize> = const { Local::new(usize::MAX) };
}

/// Is true from the question after so many others on.
fn is_interrupted() -> bool {
    LEFT.set(LEFT.get().saturating_sub(1));
    LEFT.get() == 0
}

fn interrupted_after<R>(questions: usize, work: impl FnOnce() -> R) -> R {
    LEFT.set(questions + 1);
    run_interruptible(is_interrupted, work)
}

/// An unreachable ring, and a weak reference to one of it.
fn ring() -> Weak<Link> {
    let first = Ref::new(Link {
        next: Cell::new(None),
    });
    let mut last = first.clone();
    for _ in 1..COUNT {
        last = Ref::new(Link {
            next: Cell::new(Some(last)),
        });
    }
    first.next.set(Some(last));
    Ref::downgrade(&first)
}

#[test]
fn an_interrupted_search_finds_nothing_and_changes_nothing() {
    let _one = ONE.lock();
    let weak = ring();
    let mut questions = 0;
    // Whichever question it is that ends it.
    let garbage = loop {
        let garbage = interrupted_after(questions, find_garbage);
        if garbage.count() > 0 {
            break garbage;
        }
        assert_eq!(live_traced(), COUNT);
        let first = weak.upgrade().expect("not condemned");
        assert!(first.next.get().is_some());
        drop(first);
        questions += 1;
        assert!(questions < 1000, "it is found when no question ends the search");
    };
    assert!(questions > COUNT / (1 << 15));
    assert!(weak.upgrade().is_none());
    assert_eq!(garbage.clear(), COUNT);
    assert_eq!(live_traced(), 0);
}

#[test]
fn what_was_not_cleared_is_cleared_later() {
    let _one = ONE.lock();
    for questions in (1..).step_by(if cfg!(miri) { 16 } else { 1 }) {
        let weak = ring();
        let mut garbage = find_garbage();
        assert_eq!(garbage.count(), COUNT);
        let mut left = questions;
        let done = garbage.clear_while(&mut || {
            // Foreign code may run in between.
            assert!(weak.upgrade().is_none());
            left -= 1;
            left > 0
        });
        assert!(weak.upgrade().is_none());
        assert_eq!(done, live_traced() == 0);
        assert_eq!(collect(), 0, "no other collection finds it");
        assert_eq!(garbage.clear(), COUNT);
        assert_eq!(live_traced(), 0);
        if done {
            return;
        }
    }
}
