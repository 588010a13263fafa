//! What debug builds say of a type that shows a reference twice.

#![allow(missing_docs, clippy::disallowed_types)]

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pairbond_core::object::{Object, Ref, Root};
use pairbond_core::trace::{Trace, Tracer, collect};
use pairbond_core::types::TypeCell;

/// A container of somebody else's, for which this was written by hand.
struct Foreign(Vec<Ref<Thing>>);

static LIES: AtomicBool = AtomicBool::new(true);

// SAFETY: none: it lies, which is tested here.
unsafe impl Trace for Foreign {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        for it in &self.0 {
            tracer.visit_edge(it.header());
            if LIES.load(Relaxed) {
                tracer.visit_edge(it.header());
            }
        }
    }
}

struct Thing {
    held: Foreign,
}

// SAFETY: the cell is its own; no base.
unsafe impl Object for Thing {
    const KEY: &'static str = "shown.Thing";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: as the field.
unsafe impl Trace for Thing {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.held.trace(tracer);
    }
}

fn thing(held: Vec<Ref<Thing>>) -> Ref<Thing> {
    Ref::new(Thing { held: Foreign(held) })
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only builds with debug assertions check")]
fn it_is_named() {
    let (first, second) = (thing(Vec::new()), thing(Vec::new()));
    let one = thing(vec![first, second.clone()]);
    let told = catch_unwind(|| _ = collect()).expect_err("the first has one reference, and is shown twice");
    let told = told.downcast_ref::<String>().expect("a text");
    for part in [
        "a shown.Thing has 1 reference(s), and 2 are shown",
        "(shown.Thing)",
        "unsafe impl Trace",
    ] {
        assert!(told.contains(part), "{told}");
    }
    // Nothing stands in the way of the next collection.
    LIES.store(false, Relaxed);
    collect();
    assert_eq!(one.held.0[1].strong_count(), 2);
    drop(one);
    assert_eq!(second.strong_count(), 1);
}
