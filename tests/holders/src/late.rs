//! Native code that goes on while Python ends, and after.

use std::cell::RefCell;
use std::thread;
use std::time::Duration;

use pairbond::prelude::*;
use pairbond::refs::Root;

/// Drops values one after another on a thread of its own, which is not joined.
#[pairbond::function]
pub(crate) fn drop_slowly(values: Vec<Any>, #[default(20)] microseconds: u64) {
    thread::spawn(move || {
        for value in values {
            drop(value);
            thread::sleep(Duration::from_micros(microseconds));
        }
    });
}

/// Calls a function for ever on a thread of its own, which is not joined, until that is refused.
#[pairbond::function]
pub(crate) fn call_for_ever(function: Function, #[rest] values: Vec<Any>) {
    thread::spawn(move || while function.call(&values).is_ok() {});
}

fn feed_once(make: &Function, take: &Function) -> Result<(), Error> {
    take.call(&[make.call(&[])?]).map(drop)
}

/// Passes what one function makes to another, so many times, in a native loop on this thread.
#[pairbond::function]
pub(crate) fn feed(make: Function, take: Function, rounds: u64) -> Result<(), Error> {
    (0..rounds).try_for_each(|_| feed_once(&make, &take))
}

/// Passes what one function makes to another, for ever, on a thread of its own that never was
/// Python's, until that is refused.
#[pairbond::function]
pub(crate) fn feed_for_ever(make: Function, take: Function) {
    thread::spawn(move || while feed_once(&make, &take).is_ok() {});
}

/// Makes, links, upgrades and drops objects for ever on a thread of its own, which is not joined.
#[pairbond::function]
pub(crate) fn work_for_ever(object: Ref<Root>, value: Any) {
    let weak = object.downgrade();
    drop(object);
    thread::spawn(move || {
        loop {
            let upgraded = weak.upgrade();
            let node = Ref::new(crate::node::Node::new(0));
            node.hold(value.clone());
            node.link(Some(node.clone()));
            node.link(None);
            drop((node, upgraded));
        }
    });
}

/// What this thread does last of all.
struct Late {
    held: Ref<Root>,
    weak: Weak<Root>,
    function: Function,
}

impl Drop for Late {
    fn drop(&mut self) {
        let copy = self.held.clone();
        let again = copy.downgrade().upgrade().is_some_and(|it| it.is(&self.held));
        let error = self.function.call(&[Any::Int(1)]).map(drop);
        println!(
            "late: {again}, {}, {}",
            self.weak.upgrade().is_some(),
            error.map_or_else(|error| format!("{:?}", error.kind()), |()| "called".into())
        );
    }
}

thread_local! {
    static LATE: RefCell<Vec<Late>> = const { RefCell::new(Vec::new()) };
}

/// When this thread ends (for the main thread: after Python), clones, upgrades and drops an object,
/// upgrades another that it holds weakly, calls a function, and prints what came of it.
#[pairbond::function]
pub(crate) fn at_thread_exit(held: Ref<Root>, weak: Weak<Root>, function: Function) {
    LATE.with_borrow_mut(|late| late.push(Late { held, weak, function }));
}
