//! Breaks the collector on purpose, one way at a time, and sees that the oracle of
//! `tests/collect_graphs.rs` notices.
//!
//! A promise whose breaking no test finds is not tested; this file is the test of the tests.

#![allow(clippy::disallowed_types, unreachable_pub, missing_docs, dead_code)]

use super::alone::PRETEND;
use super::fault::{self, FAULTS, STEP};
use crate as core_crate;

#[path = "../../tests/collect/collector.rs"]
mod collector;
#[path = "../../tests/collect/things.rs"]
mod things;
#[path = "../../tests/collect/world.rs"]
mod world;

use core_crate::any::{Foreign, RawAny as Any};
use core_crate::object::{Header, Pair, Ref, Weak};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use things::{Thing, pointer, set_act, tag};

/// No other thread acts while the next surveys are taken: they may be told that this thread is
/// alone.
fn pretend_alone(yes: bool) {
    PRETEND.set(Some(yes));
}

/// The list of traced objects is the process's: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

#[derive(Default)]
struct Wanderer {
    root: Option<Ref<Thing>>,
    hand: Option<Ref<Thing>>,
    next: Option<Ref<Thing>>,
}

thread_local! {
    static WANDERER: RefCell<Wanderer> = RefCell::default();
}

#[derive(Default)]
struct Climber {
    z: Option<Weak<Thing>>,
    y: Option<Weak<Thing>>,
    headers: Option<[NonNull<Header>; 2]>,
    hand: Option<Ref<Thing>>,
}

thread_local! {
    static CLIMBER: RefCell<Climber> = RefCell::default();
}

fn new_thing(id: u64, fixed: Vec<Ref<Thing>>) -> Ref<Thing> {
    Ref::new(Thing {
        id,
        cleared: false.into(),
        fixed,
        slots: Default::default(),
        any: Default::default(),
    })
}

/// A reference that was cloned and moved while the first pass went by, and is exchanged for another
/// while the second does: no count shows it, only the mark that the clone left. Returns whether a
/// living object was cleared.
///
/// `root` → `p`, `a`; `p` has `x` as an immutable field. When the survey comes to `a`, the wanderer
/// takes both out of the root, keeps a clone of `p`, and puts `p` and `a` into fields of `a`. When
/// `x` was validated and `p` was not, it clones `x` and lets go of `p`.
fn wandering_reference(faults: u32) -> bool {
    let x = new_thing(1, vec![]);
    let p = new_thing(2, vec![x]);
    let a = new_thing(3, vec![]);
    let root = new_thing(4, vec![]);
    root.slots[0].set(Some(p));
    root.slots[1].set(Some(a));
    WANDERER.set(Wanderer {
        root: Some(root),
        ..Wanderer::default()
    });
    set_act(Some(|thing| {
        if thing.id == 3 {
            WANDERER.with_borrow_mut(|w| {
                let root = w.root.as_ref().expect("held");
                if let [Some(p), Some(a)] = [root.slots[0].take(), root.slots[1].take()] {
                    w.hand = Some(p.clone());
                    thing.slots[1].set(Some(p));
                    thing.slots[0].set(Some(a));
                }
            });
        }
    }));
    STEP.set(Some(|| {
        WANDERER.with_borrow_mut(|w| {
            let Some(p) = &w.hand else { return };
            let watched = |thing: &Ref<Thing>| thing.header().custody().state().is_watched();
            if w.next.is_none() && watched(p) && !watched(&p.fixed[0]) {
                w.next = Some(p.fixed[0].clone());
                w.hand = None;
            }
        });
    }));
    FAULTS.set(faults);
    super::collect();
    FAULTS.set(0);
    set_act(None);
    STEP.set(None);
    let Wanderer { next, .. } = WANDERER.take();
    let cleared = next.expect("it came by").cleared.load(Ordering::Relaxed);
    super::collect();
    cleared
}

#[test]
fn a_wanderer_is_seen_by_the_mark_of_its_clone() {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    assert!(!wandering_reference(0), "a living object was cleared");
    assert!(
        wandering_reference(fault::NO_TOUCH),
        "the test does not see the fault"
    );
}

/// A weak reference is upgraded between the condemnation of two objects, and exchanged for a
/// reference to the first. Returns whether a living object was cleared.
fn climbing_reference(faults: u32) -> bool {
    let z = new_thing(1, vec![]);
    let y = new_thing(2, vec![z.clone()]);
    z.slots[0].set(Some(y.clone()));
    CLIMBER.set(Climber {
        z: Some(z.downgrade()),
        y: Some(y.downgrade()),
        headers: Some([&z, &y].map(|t| NonNull::from(t.header()))),
        hand: None,
    });
    drop((z, y));
    STEP.set(Some(|| {
        CLIMBER.with_borrow_mut(|c| {
            // SAFETY: weak references keep the headers.
            let suspect = c
                .headers
                .expect("set")
                .map(|h| unsafe { h.as_ref() }.custody().state().is_suspect());
            if suspect == [true, false] && c.hand.is_none() {
                let y = c.y.as_ref().expect("set").upgrade().expect("not condemned yet");
                c.hand = Some(y.fixed[0].clone());
            }
        });
    }));
    FAULTS.set(faults);
    super::collect();
    FAULTS.set(0);
    STEP.set(None);
    let hand = CLIMBER.with_borrow_mut(|c| c.hand.take()).expect("it came by");
    let cleared = hand.cleared.load(Ordering::Relaxed);
    if !cleared {
        let acquitted =
            CLIMBER.with_borrow(|c| [&c.z, &c.y].map(|weak| weak.as_ref().expect("set").upgrade().is_some()));
        assert_eq!(acquitted, [true, true], "weak references to what lives are dead");
    }
    drop(hand);
    super::collect();
    let gone = CLIMBER.take().y.is_none_or(|y| y.upgrade().is_none());
    assert!(gone, "garbage was not collected");
    cleared
}

#[test]
fn a_climber_is_seen_by_looking_again() {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    assert!(!climbing_reference(0), "a living object was cleared");
    assert!(
        climbing_reference(fault::ONE_LOOK),
        "the test does not see the fault"
    );
}

/// A wrapped thing whose wrapper owns a wrapped thing that owns an object of the frontend. Returns
/// whether the first would account for the second, and whether the survey is sure of itself.
fn owner_of_foreign(act: Option<fn(&Thing)>) -> (bool, bool) {
    let _world = world::World::new(0);
    let object = things::new_py(None, 1);
    let a = new_thing(1, vec![]);
    // SAFETY: counted just now, for the thing.
    let foreign = unsafe { Foreign::from_raw(tag(), pointer(object)) };
    a.any.update(|any| any.push(Any::Foreign(foreign)));
    let custody = a.header().custody();
    custody.claim_for(tag()).expect("ours");
    let inner = things::new_py(Some(a.as_borrow().erase().as_ptr()), 1);
    custody
        .publish_wrapper(Pair::new(tag(), pointer(inner)))
        .expect("the first");
    let b = new_thing(2, vec![]);
    b.slots[0].set(Some(a));
    let custody = b.header().custody();
    custody.claim_for(tag()).expect("ours");
    let outer = things::new_py(Some(b.as_borrow().erase().as_ptr()), 1);
    custody
        .publish_wrapper(Pair::new(tag(), pointer(outer)))
        .expect("the first");
    set_act(act);
    let snapshot = super::Snapshot::take_snapshot(tag(), &|_| true);
    set_act(None);
    let mut snapshot = snapshot.expect("few objects");
    let node = snapshot.find_node(b.header()).expect("it has a wrapper");
    let mut seen = Vec::new();
    snapshot.subtract_edges(node, 1, &mut |object| {
        seen.push(things::number(object));
        0
    });
    let found = (seen.contains(&inner), !snapshot.may_have_native_garbage());
    drop(snapshot);
    drop(b);
    things::drain();
    found
}

#[test]
fn a_foreign_reference_that_moved_makes_a_survey_hold_those_who_may_have_owned_it() {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    assert_eq!(owner_of_foreign(None), (true, true));
    // As `Word::share_foreign` of another thread does.
    let moved: fn(&Thing) = |_| _ = crate::any::moved_count().fetch_add(1, Ordering::AcqRel);
    assert_eq!(owner_of_foreign(Some(moved)), (false, false));
}

#[test]
fn every_fault_is_found() {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let limit = if cfg!(miri) { return } else { 10_000 };
    let faults = [
        (fault::NO_COUNT, "not verified", "alive"),
        (fault::FIRST_OWNER, "the first owner reports", "alive"),
        (fault::NO_FLOOD, "what held nodes reach is not alive", "alive"),
        (
            fault::NO_REACH,
            "objects without wrapper are not entered when reaching",
            "alive",
        ),
        (
            fault::NO_CONDEMN,
            "weak references upgrade while garbage is cleared",
            "alive",
        ),
        (
            fault::NO_OTHER_OWNERS,
            "the first native reference is taken for the only one",
            "more references than it has",
        ),
        (fault::NO_UNITS, "components are not condensed", "not collected"),
        (
            fault::LATE_OWNER,
            "one owner too many is waited for",
            "not collected",
        ),
        (
            fault::NO_FOREIGN_EDGE,
            "a reference to a frontend's object is no edge",
            "not collected",
        ),
        (
            fault::NO_LEAF_EDGE,
            "wrappers of objects without references are no edges",
            "not collected",
        ),
        (
            fault::NO_COMPONENT,
            "only wrappers with edges of their own are shown",
            "not collected",
        ),
        (
            fault::NO_LINK_TO_EDGE,
            "wrappers with edges that others refer to are taken for isolated",
            "not collected",
        ),
        (
            fault::ALL_DORMANT,
            "a wrapper that somebody refers to is taken for dormant",
            "alive",
        ),
    ];
    STEP.set(Some(world::in_between));
    let (totals, failure) = world::run_seeds(0..limit);
    println!("no fault: {totals:?}");
    assert_eq!(failure, None);
    let mut missed = Vec::new();
    for (which, name, expected) in faults {
        FAULTS.set(which);
        let (_, failure) = world::run_seeds(0..limit);
        FAULTS.set(0);
        match failure {
            Some((seed, error)) => {
                println!("{name}: seed {seed}: {error}");
                if !(error.contains(expected) || expected == "alive" && error.contains("gone")) {
                    missed.push(format!("{name}: found as {error:?}"));
                }
            }
            None => missed.push(name.to_owned()),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
