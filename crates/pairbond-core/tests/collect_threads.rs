//! The collector under real threads, that clone, drop, relink, upgrade and make objects while it
//! surveys; some objects have a wrapper of a fake runtime, whose collector runs too. No thread ever
//! sees a cleared object; when all is quiet, all garbage goes.

#![allow(clippy::disallowed_types, unreachable_pub, missing_docs, dead_code)]

use pairbond_core as core_crate;

#[path = "collect/collector.rs"]
mod collector;
#[path = "collect/things.rs"]
mod things;

use core_crate::any::{Foreign, RawAny as Any};
use core_crate::object::{Pair, Ref, Weak};
use core_crate::trace::{collect, drain_deferred, live_traced};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use things::{Thing, decref, drain, incref, new_py, number, pointer, tag, with};

static POOL: Mutex<Vec<Ref<Thing>>> = Mutex::new(Vec::new());
static WEAK: Mutex<Vec<Weak<Thing>>> = Mutex::new(Vec::new());
static STOP: AtomicBool = AtomicBool::new(false);
static UPGRADES: AtomicUsize = AtomicUsize::new(0);
/// Objects made since the last round: threads do not make more than the collector can take.
static MADE: AtomicUsize = AtomicUsize::new(0);
static ACTS: AtomicUsize = AtomicUsize::new(0);
/// Whether a collection is going on, and how often things were done meanwhile.
static COLLECTING: AtomicBool = AtomicBool::new(false);
static MEANWHILE: [AtomicUsize; 6] = [const { AtomicUsize::new(0) }; 6];

#[derive(Clone, Copy, Debug)]
enum Kind {
    Clone,
    Drop,
    Relink,
    /// The only reference that the thread has goes into a field, or comes out of one.
    Move,
    Upgrade,
    Make,
}

fn note(kind: Kind) {
    if COLLECTING.load(Ordering::Relaxed) {
        MEANWHILE[kind as usize].fetch_add(1, Ordering::Relaxed);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn thing(fixed: Vec<Ref<Thing>>) -> Ref<Thing> {
    MADE.fetch_add(1, Ordering::Relaxed);
    let cleared = AtomicBool::new(false);
    Ref::new(Thing {
        id: 0,
        cleared,
        fixed,
        slots: Default::default(),
        any: Default::default(),
    })
}

fn assert_alive(thing: &Thing) {
    assert!(
        !thing.cleared.load(Ordering::Relaxed),
        "a living object was cleared"
    );
}

fn native_thread(seed: u64) {
    let mut random = Random(seed);
    let mut hand: Vec<Ref<Thing>> = Vec::new();
    while !STOP.load(Ordering::Relaxed) {
        ACTS.fetch_add(1, Ordering::Relaxed);
        let i = random.below(hand.len());
        match random.below(12) {
            0 | 7 if MADE.load(Ordering::Relaxed) > 20_000 => std::thread::yield_now(),
            _ if hand.is_empty() => {
                let pool = POOL.lock().expect("pool");
                hand.extend(pool.get(random.below(pool.len())).cloned());
            }
            0 => {
                let fixed = hand.iter().take(random.below(3)).cloned().collect();
                hand.push(thing(fixed));
                note(Kind::Make);
            }
            1 => {
                drop(hand.swap_remove(i));
                note(Kind::Drop);
            }
            2 => {
                let mut weak = WEAK.lock().expect("weak");
                if weak.len() < 64 {
                    weak.push(hand[i].downgrade());
                } else {
                    let place = random.below(64);
                    weak[place] = hand[i].downgrade();
                }
            }
            3 => {
                let weak = WEAK.lock().expect("weak");
                let found = weak.get(random.below(weak.len())).cloned();
                drop(weak);
                if let Some(found) = found.and_then(|w| w.upgrade()) {
                    UPGRADES.fetch_add(1, Ordering::Relaxed);
                    note(Kind::Upgrade);
                    assert_alive(&found);
                    hand.push(found);
                }
            }
            4 => {
                if let Some(next) = hand[i].fixed.first() {
                    assert_alive(next);
                    let next = next.clone();
                    hand.push(next);
                    note(Kind::Clone);
                }
            }
            5 | 6 => {
                let j = random.below(hand.len());
                let put = if random.below(4) > 0 {
                    Some(hand[j].clone())
                } else {
                    None
                };
                let old = hand[i].slots[random.below(2)].replace(put);
                hand.extend(old);
                note(Kind::Relink);
            }
            10 if hand.len() > 1 => {
                let moved = hand.swap_remove(i);
                let into = random.below(hand.len());
                let old = hand[into].slots[random.below(2)].replace(Some(moved));
                hand.extend(old);
                note(Kind::Move);
            }
            10 | 11 => {
                let moved = hand[i].slots[random.below(2)].take();
                hand.extend(moved);
                note(Kind::Move);
            }
            7 => {
                // A cycle that only a weak reference leads to.
                let last = thing(vec![]);
                let first = thing(vec![thing(vec![last.clone()])]);
                last.slots[0].set(Some(first.clone()));
                let mut weak = WEAK.lock().expect("weak");
                let place = random.below(64);
                for (i, known) in [&first, &last, &first.fixed[0]].into_iter().enumerate() {
                    if let Some(weak) = weak.get_mut((place + i) % 64) {
                        *weak = known.downgrade();
                    }
                }
            }
            8 => {
                let next = hand[i].slots[random.below(2)].get();
                hand.extend(next);
            }
            _ => {
                let mut pool = POOL.lock().expect("pool");
                let place = random.below(16);
                let old = if place < pool.len() {
                    Some(std::mem::replace(&mut pool[place], hand[i].clone()))
                } else {
                    pool.push(hand[i].clone());
                    None
                };
                drop(pool);
                drop(old);
            }
        }
        hand.iter().for_each(|t| assert_alive(t));
        if hand.len() > 12 {
            hand.truncate(random.below(12));
        }
    }
}

struct Quiet;

impl collector::Script for Quiet {
    fn finalize(&mut self, _: usize) {}
    fn decided(&mut self, _: &[usize]) -> Result<(), String> {
        Ok(())
    }
    fn cleared(&mut self, _: bool) {}
}

/// Python code: wraps something, lets it refer to something wrapped, forgets it again.
fn python_acts(random: &mut Random, held: &mut Vec<usize>) {
    let pool = POOL.lock().expect("pool");
    let native = pool.get(random.below(pool.len())).cloned();
    drop(pool);
    let Some(native) = native else { return };
    let custody = native.header().custody();
    let object = if custody.pair().wrapper().is_null() {
        custody.claim_for(tag()).expect("ours");
        let object = new_py(Some(native.as_borrow().erase().as_ptr()), 2);
        custody
            .publish_wrapper(Pair::new(tag(), pointer(object)))
            .expect("only one thread is attached");
        object
    } else {
        let object = number(custody.pair().wrapper());
        incref(object);
        object
    };
    held.push(object);
    let other = held[random.below(held.len())];
    incref(other);
    if random.below(2) == 0 {
        with(|py| py.objects[object].refs.push(other));
    } else {
        // SAFETY: counted just now.
        let other = unsafe { Foreign::from_raw(tag(), pointer(other)) };
        native.any.update(|any| any.push(Any::Foreign(other)));
    }
    if held.len() > 4 {
        decref(held.swap_remove(random.below(held.len())));
    }
}

#[test]
fn threads_never_see_a_cleared_object() {
    let seed = std::env::var("PAIRBOND_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(0x9e37_79b9);
    println!("PAIRBOND_SEED={seed}");
    let long = std::env::var_os("PAIRBOND_LONG").is_some();
    let seconds = std::env::var("PAIRBOND_LONG_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(60);
    let time = if long {
        Duration::from_secs(seconds)
    } else {
        Duration::from_millis(1500)
    };
    tag();
    let (mut native, mut python, mut rounds) = (0, 0, 0);
    std::thread::scope(|scope| {
        struct Stop;
        impl Drop for Stop {
            fn drop(&mut self) {
                STOP.store(true, Ordering::Relaxed);
            }
        }
        let threads: Vec<_> = (1..=3)
            .map(|i| scope.spawn(move || native_thread(seed * 4 + i)))
            .collect();
        let _stop = Stop;
        // Ballast, so that a survey takes its time.
        let ballast: Vec<_> = (0..if cfg!(miri) { 10 } else { 5_000 })
            .map(|_| thing(vec![]))
            .collect();
        POOL.lock().expect("pool").extend((0..8).map(|_| thing(vec![])));
        let mut random = Random(seed * 4);
        let mut held = Vec::new();
        let end = Instant::now()
            + if cfg!(miri) {
                Duration::from_millis(50)
            } else {
                time
            };
        // On a machine that has other things to do: until everything has happened.
        let patience = end + 40 * time;
        let enough = |native, python| {
            let meanwhile = || MEANWHILE.iter().all(|times| times.load(Ordering::Relaxed) > 0);
            cfg!(miri) || native > 0 && python > 0 && UPGRADES.load(Ordering::Relaxed) > 0 && meanwhile()
        };
        while (Instant::now() < end || !enough(native, python) && Instant::now() < patience)
            && threads.iter().all(|t| !t.is_finished())
        {
            rounds += 1;
            MADE.store(0, Ordering::Relaxed);
            COLLECTING.store(true, Ordering::Relaxed);
            native += collect();
            COLLECTING.store(false, Ordering::Relaxed);
            (0..random.below(8)).for_each(|_| python_acts(&mut random, &mut held));
            drain();
            COLLECTING.store(true, Ordering::Relaxed);
            python += collector::Collector::run(2, &mut Quiet).expect("a sound runtime");
            COLLECTING.store(false, Ordering::Relaxed);
        }
        held.into_iter().for_each(decref);
        drop(ballast);
    });
    println!(
        "{rounds} rounds, {ACTS:?} acts, {UPGRADES:?} upgrades, cleared {native} natively, {python} in Python"
    );
    POOL.lock().expect("pool").clear();
    for _ in 0..3 {
        drain();
        collect();
        collector::Collector::run(2, &mut Quiet).expect("a sound runtime");
    }
    WEAK.lock().expect("weak").clear();
    drain_deferred();
    assert_eq!(live_traced(), 0, "garbage was not collected");
    assert_eq!(
        with(|py| py.objects.iter().filter(|o| !o.freed).count()),
        0,
        "of Python"
    );
    if !cfg!(miri) {
        assert!(native > 0 && python > 0 && UPGRADES.load(Ordering::Relaxed) > 0);
        for kind in [
            Kind::Clone,
            Kind::Drop,
            Kind::Relink,
            Kind::Move,
            Kind::Upgrade,
            Kind::Make,
        ] {
            let times = MEANWHILE[kind as usize].load(Ordering::Relaxed);
            assert!(times > 0, "{kind:?}: never during a collection");
        }
    }
}
