//! What a survey costs: `cargo test --release -p pairbond-core --test collect_cost -- --ignored
//! --nocapture`.

#![allow(clippy::disallowed_types, unreachable_pub, missing_docs, dead_code)]

use pairbond_core as core_crate;

#[path = "collect/things.rs"]
mod things;

use core_crate::cell::Cell;
use core_crate::object::{Object, Pair, Ref, Root};
use core_crate::trace::{Snapshot, Trace, Tracer, collect, drain_deferred, last_statistics, live_traced};
use core_crate::types::TypeCell;
use std::time::Instant;
use things::{Thing, decref, drain, new_py, pointer, tag, with};

/// Two references, one of them mutable.
struct Pin {
    fixed: Option<Ref<Pin>>,
    slot: Cell<Option<Ref<Pin>>>,
}

// SAFETY: the cell is its own; no base.
unsafe impl Object for Pin {
    const KEY: &'static str = "test.Pin";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: both references are shown once.
unsafe impl Trace for Pin {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.fixed.trace(tracer);
        self.slot.trace(tracer);
    }
    fn clear(&self) {
        self.slot.clear();
    }
}

fn graph(count: usize, far: bool) -> Vec<Ref<Pin>> {
    let mut all: Vec<Ref<Pin>> = Vec::with_capacity(count);
    let mut random = 88_172_645_463_325_252_u64;
    for _ in 0..count {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let near = if far {
            random as usize % all.len().max(1)
        } else {
            all.len().saturating_sub(1)
        };
        all.push(Ref::new(Pin {
            fixed: all.get(near).cloned(),
            slot: Cell::new(None),
        }));
    }
    for i in 0..count {
        let next = all[(i + 1) % count].clone();
        all[i].slot.set(Some(next));
    }
    all
}

fn time<R>(what: &str, count: usize, f: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = f();
    println!(
        "{what:58} {:6.1} ns per object",
        start.elapsed().as_nanos() as f64 / count as f64
    );
    result
}

#[test]
#[ignore = "measures"]
fn cost() {
    let count = 1_000_000;
    for far in [false, true] {
        println!(
            "{count} objects, 2 references each, {}",
            if far { "to anywhere" } else { "to neighbours" }
        );
        let all = graph(count, far);
        for _ in 0..3 {
            time("collect, all alive", count, collect);
            let snapshot = time("snapshot, none wrapped, all held", count, || {
                Snapshot::take_snapshot(tag(), &|_| true)
            });
            time("  and dropped", count, || drop(snapshot));
        }
        println!("{:?}", last_statistics());
        let first = all[0].clone();
        drop(all);
        let snapshot = time("snapshot, one unit, held", count, || {
            Snapshot::take_snapshot(tag(), &|_| true)
        });
        drop(snapshot);
        drop(first);
        time("collect, all garbage", count, || assert_eq!(collect(), count));
        assert_eq!(live_traced(), 0);
    }
    println!("{count} objects in the custody of wrappers, two references each");
    let things: Vec<Ref<Thing>> = (0..count)
        .map(|_| {
            let cleared = false.into();
            Ref::new(Thing {
                id: 0,
                cleared,
                fixed: vec![],
                slots: Default::default(),
                any: Default::default(),
            })
        })
        .collect();
    let mut wrappers = Vec::new();
    for (i, thing) in things.iter().enumerate() {
        thing.slots[0].set(Some(things[(i + 1) % count].clone()));
        thing.slots[1].set(Some(things[(i * 7919) % count].clone()));
        let custody = thing.header().custody();
        custody.claim_for(tag()).expect("ours");
        let object = new_py(Some(thing.as_borrow().erase().as_ptr()), 2);
        custody
            .publish_wrapper(Pair::new(tag(), pointer(object)))
            .expect("the first");
        wrappers.push(object);
    }
    drop(things);
    for _ in 0..3 {
        let mut snapshot = time("snapshot, all wrapped", count, || {
            Snapshot::take_snapshot(tag(), &|_| true)
        })
        .expect("fits");
        let natives: Vec<_> = with(|py| py.objects.iter().map(|o| o.native.expect("a wrapper")).collect());
        let mut visits = 0;
        time("  subtract all", count, || {
            for native in &natives {
                // SAFETY: alive.
                let node = snapshot.find_node(unsafe { native.as_ref() }).expect("a node");
                snapshot.subtract_edges(node, 1, &mut |_| {
                    visits += 1;
                    0
                });
            }
        });
        assert_eq!(visits, count);
        time("  reach all", count, || {
            for native in &natives {
                // SAFETY: alive.
                let node = snapshot.find_node(unsafe { native.as_ref() }).expect("a node");
                snapshot.visit_edges(node, 2, &mut |_| 0);
            }
        });
        snapshot.begin_pass();
        for native in &natives {
            // SAFETY: alive.
            let node = snapshot.find_node(unsafe { native.as_ref() }).expect("a node");
            snapshot.subtract_edges(node, 1, &mut |_| 0);
        }
        if visits > 0 && wrappers.len() == count {
            wrappers.truncate(count - 1);
        } else if wrappers.len() == count - 1 {
            wrappers.clear();
            time("  condemn all", count, || {
                assert_eq!(snapshot.condemn_garbage().clear(), count)
            });
            break;
        }
    }
    (0..count).for_each(decref);
    drain_deferred();
    drain();
    assert_eq!(live_traced(), 0);
}
