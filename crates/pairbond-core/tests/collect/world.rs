//! Random graphs over both heaps, acts of other threads in the middle of everything, and the
//! oracle: what the roots reach.

use super::collector::{Collector, Script};
use super::core_crate as pb;
use super::things::{
    ALIVE, Leaf, PyObject, Runtime, Thing, decref, drain, incref, new_py, number, pointer, set_act, tag, with,
};
use pb::any::{Foreign, RawAny as Any};
use pb::cell::Cell;
use pb::object::{ErasedBorrow, ErasedRef, Header, Pair, Ref, Weak};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What another thread has in its hands, and knows.
struct Stranger {
    random: Random,
    hand: Vec<Ref<Thing>>,
    weak: Vec<Weak<Thing>>,
    /// Things whose fields the running survey has locked.
    locked: BTreeSet<u64>,
    quiet: bool,
    /// Whether they upgrade weak references (see `World::late`).
    upgrading: bool,
    #[allow(dead_code)]
    late: bool,
    acts: usize,
    upgrades: usize,
}

static WORLDS: AtomicU64 = AtomicU64::new(1);
/// The list of traced objects is the process's: one world at a time.
static ONE: Mutex<()> = Mutex::new(());

thread_local! {
    static STRANGER: RefCell<Stranger> = const { RefCell::new(Stranger {
        random: Random(0), hand: Vec::new(), weak: Vec::new(), locked: BTreeSet::new(), quiet: true, upgrading: true,
        late: false, acts: 0, upgrades: 0,
    }) };
}

fn droppable(thing: &Ref<Thing>) -> bool {
    // During a survey an unwatched object that dies waits for its end: as if the drop came later.
    let state = thing.header().custody().state();
    state.is_watched() || state.strong() > 1
}

impl Stranger {
    fn act_detached(&mut self) {
        let before = with(|py| std::mem::replace(&mut py.detached, true));
        (0..self.random.below(3)).for_each(|_| self.act(true));
        with(|py| py.detached = before);
    }

    fn act(&mut self, surveying: bool) {
        self.acts += 1;
        let before: Vec<u64> = self.hand.iter().map(|t| t.id).collect();
        self.act_once(surveying);
        let after: Vec<u64> = self.hand.iter().map(|t| t.id).collect();
        if before != after && std::env::var_os("PAIRBOND_SEED").is_some() {
            println!("  stranger {before:?} -> {after:?}, surveying {surveying}");
        }
    }

    fn act_once(&mut self, surveying: bool) {
        let pick = self.hand.len().checked_sub(1).map(|n| self.random.below(n + 1));
        match (self.random.below(8), pick) {
            (0 | 1, _) if !self.weak.is_empty() && self.upgrading => {
                let weak = self.random.below(self.weak.len());
                if let Some(thing) = self.weak[weak].upgrade() {
                    self.upgrades += 1;
                    self.hand.push(thing);
                }
            }
            (2, Some(i)) => {
                let more = self.hand[i].clone();
                self.hand.push(more);
            }
            (3 | 4, Some(i)) => {
                let fixed = self.random.below(self.hand[i].fixed.len());
                if let Some(next) = self.hand[i].fixed.get(fixed) {
                    let next = next.clone();
                    self.hand.push(next);
                }
            }
            (5, Some(i)) if !surveying || droppable(&self.hand[i]) => drop(self.hand.swap_remove(i)),
            (6 | 7, Some(i)) if !surveying || !self.locked.contains(&self.hand[i].id) => {
                let thing = self.hand[i].clone();
                let slot = &thing.slots[self.random.below(2)];
                let put = if self.random.chance(60) {
                    let j = self.random.below(self.hand.len());
                    Some(if self.random.chance(50) {
                        self.hand[j].clone()
                    } else {
                        self.hand.swap_remove(j)
                    })
                } else {
                    None
                };
                self.hand.extend(slot.replace(put));
                self.hand.push(thing);
            }
            _ => {}
        }
    }
}

/// Whether strangers act in surveys.
fn set_active(active: bool) {
    set_act(active.then_some(in_survey));
    STRANGER.with(|s| s.borrow_mut().quiet = !active);
}

/// The survey comes to a thing.
fn in_survey(thing: &Thing) {
    STRANGER.with(|stranger| {
        let mut stranger = stranger.borrow_mut();
        stranger.act_detached();
        if !stranger.locked.insert(thing.id) {
            // Another survey.
            stranger.locked = BTreeSet::from([thing.id]);
        }
    });
}

/// Somewhere in a survey: only a test inside of the crate can get there.
#[allow(dead_code)]
pub fn in_between() {
    STRANGER.with(|stranger| {
        // Not when a stranger's own act led here.
        if let Ok(mut stranger) = stranger.try_borrow_mut()
            && !stranger.quiet
        {
            // In a snapshot's second pass the instant that counts is over.
            stranger.upgrading = stranger.late || !with(|py| py.detached);
            stranger.act_detached();
            stranger.upgrading = true;
        }
    });
}

fn strangers_act(times: usize) {
    STRANGER.with(|stranger| {
        let mut stranger = stranger.borrow_mut();
        stranger.locked.clear();
        with(|py| py.detached = true);
        (0..times).for_each(|_| stranger.act(false));
        with(|py| py.detached = false);
    });
}

/// One random world.
pub struct World {
    random: Random,
    number: u64,
    next: u64,
    roots: Vec<ErasedRef>,
    py_roots: Vec<usize>,
    /// Whether strangers upgrade weak references between Python's decision and the condemnation.
    /// Python then clears their targets on its side, which is not checked; natively reachable
    /// objects must be left alone.
    pub late: bool,
    pub busy: bool,
    /// No more actions.
    quiet: bool,
    live: (BTreeSet<u64>, BTreeSet<usize>),
}

/// What happened over all runs: a test that did not see it all has shown nothing.
#[derive(Debug, Default)]
pub struct Totals {
    pub things: usize,
    pub garbage: usize,
    pub condemned: usize,
    pub acts: usize,
    pub upgrades: usize,
}

impl World {
    pub fn new(seed: u64) -> World {
        with(|py| {
            *py = Runtime {
                tag: py.tag,
                number: py.number,
                untracks: seed % 2 == 1,
                ..Runtime::default()
            };
        });
        tag();
        ALIVE.with(|alive| alive.borrow_mut().clear());
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        let mut random = Random(seed);
        let (late, busy) = (random.chance(15), random.chance(60));
        STRANGER.with(|s| {
            *s.borrow_mut() = Stranger {
                random: Random(random.next()),
                hand: Vec::new(),
                weak: Vec::new(),
                locked: BTreeSet::new(),
                quiet: true,
                upgrading: true,
                late,
                acts: 0,
                upgrades: 0,
            }
        });
        World {
            random,
            number,
            next: 0,
            roots: Vec::new(),
            py_roots: Vec::new(),
            late,
            busy,
            quiet: false,
            live: Default::default(),
        }
    }

    fn id(&mut self) -> u64 {
        self.next += 1;
        // Unique over all worlds: what a broken one left behind may die later.
        (self.number << 16) + self.next
    }

    fn things(&self) -> Vec<Ref<Thing>> {
        self.roots
            .iter()
            .filter_map(|r| r.clone().downcast().ok())
            .collect()
    }

    fn some_thing(&mut self) -> Option<Ref<Thing>> {
        let things = self.things();
        (!things.is_empty()).then(|| things[self.random.below(things.len())].clone())
    }

    fn some_py(&mut self) -> Option<usize> {
        (!self.py_roots.is_empty()).then(|| self.py_roots[self.random.below(self.py_roots.len())])
    }

    fn make(&mut self) {
        let id = self.id();
        let leaf = self.random.chance(15);
        let mut fixed = Vec::new();
        for _ in 0..self.random.below(3) {
            fixed.extend(self.some_thing());
        }
        let thing = || Thing {
            id,
            cleared: false.into(),
            fixed: fixed.clone(),
            slots: Default::default(),
            any: Cell::default(),
        };
        if self.random.chance(25) {
            // Constructed from Python.
            let object = new_py(None, 1);
            let pair = Some(Pair::new(tag(), pointer(object)));
            let native = if leaf {
                Ref::with_pair(Leaf(id), pair).map(Ref::into_raw)
            } else {
                Ref::with_pair(thing(), pair).map(Ref::into_raw)
            };
            let native = native.expect("memory");
            self.enter(id, native);
            with(|py| py.objects[object].native = Some(native));
            self.py_roots.push(object);
        } else {
            let native = if leaf {
                Ref::new(Leaf(id)).into_erased()
            } else {
                Ref::new(thing()).into_erased()
            };
            self.enter(id, native.as_borrow().as_ptr());
            self.roots.push(native);
        }
    }

    fn enter(&mut self, id: u64, native: NonNull<Header>) {
        ALIVE.with(|alive| alive.borrow_mut().insert(id, native));
    }

    /// The wrapper of a native object, retained.
    fn fetch(&mut self, native: &ErasedRef) -> usize {
        let custody = native.header().custody();
        let pair = custody.pair();
        if !pair.wrapper().is_null() {
            incref(number(pair.wrapper()));
            return number(pair.wrapper());
        }
        custody.claim_for(tag()).expect("ours");
        let object = new_py(Some(native.as_borrow().as_ptr()), 2);
        custody
            .publish_wrapper(Pair::new(tag(), pointer(object)))
            .expect("the first");
        object
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0 => self.make(),
            1 => {
                // A wrapper for a native object.
                if !self.roots.is_empty() {
                    let native = self.roots[self.random.below(self.roots.len())].clone();
                    let object = self.fetch(&native);
                    self.py_roots.push(object);
                }
            }
            2 => {
                // A native reference out of a wrapper.
                let native = self.some_py().and_then(|p| with(|py| py.objects[p].native));
                // SAFETY: a root keeps the wrapper.
                self.roots
                    .extend(native.map(|n| unsafe { ErasedBorrow::from_header(n) }.to_ref()));
            }
            3 => {
                let object = new_py(None, 1);
                with(|py| py.objects[object].finalizer = self.random.chance(30));
                self.py_roots.push(object);
            }
            4 | 5 => {
                // Python refers to Python.
                if let (Some(from), Some(to)) = (self.some_py(), self.some_py()) {
                    incref(to);
                    with(|py| py.objects[from].refs.push(to));
                }
            }
            6 | 7 => {
                if let (Some(from), Some(to)) = (self.some_thing(), self.some_thing()) {
                    let to = self.random.chance(80).then_some(to);
                    from.slots[self.random.below(2)].set(to);
                }
            }
            8 | 9 => {
                // Native code refers to Python, or to anything.
                let Some(from) = self.some_thing() else { return };
                let value = if self.random.chance(60) {
                    let Some(to) = self.some_py() else { return };
                    incref(to);
                    // SAFETY: counted just now.
                    Any::Foreign(unsafe { Foreign::from_raw(tag(), pointer(to)) })
                } else {
                    Any::Object(self.roots[self.random.below(self.roots.len())].clone())
                };
                let old = from.any.update(|any| {
                    any.push(value);
                    if any.len() > 3 {
                        Some(any.swap_remove(0))
                    } else {
                        None
                    }
                });
                drop(old);
            }
            10 => {
                if let Some(thing) = self.some_thing() {
                    let weak = thing.downgrade();
                    STRANGER.with(|s| s.borrow_mut().weak.push(weak));
                }
            }
            _ => self.drop_one(),
        }
    }

    fn drop_one(&mut self) {
        if self.random.chance(50) && !self.roots.is_empty() {
            let root = self.roots.swap_remove(self.random.below(self.roots.len()));
            drop(root);
        } else if !self.py_roots.is_empty() {
            let root = self.py_roots.swap_remove(self.random.below(self.py_roots.len()));
            decref(root);
        }
        drain();
    }

    /// What the roots reach: native ids and Python numbers.
    fn reached(&self) -> (BTreeSet<u64>, BTreeSet<usize>) {
        self.reached_by(true)
    }

    fn reached_by(&self, python: bool) -> (BTreeSet<u64>, BTreeSet<usize>) {
        let mut ids: BTreeMap<usize, u64> = BTreeMap::new();
        ALIVE.with(|alive| ids.extend(alive.borrow().iter().map(|(id, h)| (h.addr().get(), *id))));
        let mut native: Vec<*const Header> = self
            .roots
            .iter()
            .map(|r| std::ptr::from_ref(r.header()))
            .collect();
        STRANGER.with(|s| {
            native.extend(s.borrow().hand.iter().map(|r| std::ptr::from_ref(r.header())));
        });
        let mut py = self.py_roots.clone();
        with(|runtime| py.extend(&runtime.deferred));
        let (mut seen, mut py_seen) = (BTreeSet::new(), BTreeSet::new());
        loop {
            if let Some(header) = native.pop() {
                let Some(id) = ids.get(&header.addr()) else {
                    continue;
                };
                if !seen.insert(*id) {
                    continue;
                }
                // SAFETY: registered, hence alive.
                let header = unsafe { &*header };
                let pair = header.custody().pair();
                if !pair.wrapper().is_null() {
                    py.push(number(pair.wrapper()));
                }
                // SAFETY: registered, hence alive.
                let borrow = unsafe { ErasedBorrow::from_header(NonNull::from(header)) };
                let Some(thing) = borrow.downcast::<Thing>() else {
                    continue;
                };
                let thing = thing.get();
                native.extend(thing.fixed.iter().map(|t| std::ptr::from_ref(t.header())));
                for slot in &thing.slots {
                    slot.with(|t| native.extend(t.iter().map(|t| std::ptr::from_ref(t.header()))));
                }
                thing.any.with(|any| {
                    for value in any {
                        match value {
                            Any::Object(object) => native.push(object.header()),
                            Any::Foreign(object) => py.push(number(object.as_ptr())),
                            _ => {}
                        }
                    }
                });
            } else if let Some(object) = py.pop().filter(|_| python) {
                if py_seen.insert(object) {
                    with(|runtime| {
                        let o: &PyObject = &runtime.objects[object];
                        py.extend(&o.refs);
                        native.extend(o.native.map(|n| n.as_ptr().cast_const()));
                    });
                }
            } else {
                return (seen, py_seen);
            }
        }
    }

    /// Nothing that the roots reach is gone or was cleared.
    fn check(&self, when: &str) -> Result<(), String> {
        let (native, py) = self.reached_by(!self.late);
        for id in native {
            let header = ALIVE.with(|alive| alive.borrow().get(&id).copied());
            let Some(header) = header else {
                return Err(format!("{when}: thing {id} is gone"));
            };
            // SAFETY: registered, hence alive.
            let borrow = unsafe { ErasedBorrow::from_header(header) };
            if borrow
                .downcast::<Thing>()
                .is_some_and(|t| t.get().cleared.load(Ordering::Relaxed))
            {
                return Err(format!("{when}: thing {id} is alive and was cleared"));
            }
        }
        for object in py {
            let bad = with(|runtime| runtime.objects[object].freed || runtime.objects[object].cleared);
            if bad {
                return Err(format!("{when}: py{object} is alive and was freed or cleared"));
            }
        }
        Ok(())
    }

    /// Prints both heaps.
    fn dump(&self) {
        let (native, py) = self.reached();
        ALIVE.with(|alive| {
            for (id, header) in alive.borrow().iter() {
                // SAFETY: registered, hence alive.
                let borrow = unsafe { ErasedBorrow::from_header(*header) };
                let custody = borrow.header().custody();
                print!(
                    "{} thing {id} {:?}",
                    if native.contains(id) { ' ' } else { '!' },
                    custody.state()
                );
                if !custody.pair().wrapper().is_null() {
                    print!(" py{}", number(custody.pair().wrapper()));
                }
                if let Some(thing) = borrow.downcast::<Thing>() {
                    let thing = thing.get();
                    let fixed: Vec<u64> = thing.fixed.iter().map(|t| t.id).collect();
                    let slots = [0, 1].map(|i| thing.slots[i].with(|t| t.as_ref().map(|t| t.id)));
                    println!(" fixed {fixed:?} slots {slots:?} any {:?}", thing.any.get());
                } else {
                    println!(" leaf");
                }
            }
        });
        with(|runtime| {
            for (number, o) in runtime.objects.iter().enumerate().filter(|(_, o)| !o.freed) {
                let mark = if py.contains(&number) { ' ' } else { '!' };
                println!(
                    "{mark} py{number} count {} refs {:?} native {}",
                    o.count,
                    o.refs,
                    o.native.is_some()
                );
            }
        });
        println!("  roots {:?} py {:?}", self.roots, self.py_roots);
    }

    fn collect(&mut self, generation: u8) -> Result<usize, String> {
        set_active(self.busy);
        super::pretend_alone(!self.busy);
        let result = Collector::run(generation, self);
        super::pretend_alone(false);
        set_active(false);
        result?;
        self.check("after a collection")?;
        Ok(0)
    }

    /// Builds a world, mutates and collects, lets go of some roots, and sees that all garbage goes.
    pub fn run(seed: u64, totals: &mut Totals) -> Result<(), String> {
        let mut world = World::new(seed);
        let result = world.live_and_die(totals);
        if result.is_err() && std::env::var_os("PAIRBOND_SEED").is_some() {
            world.dump();
        }
        set_active(false);
        STRANGER.with(|s| {
            let mut s = s.borrow_mut();
            totals.acts += s.acts;
            totals.upgrades += s.upgrades;
            if result.is_err() {
                // Whatever is broken is not touched again.
                std::mem::forget(std::mem::take(&mut s.hand));
                std::mem::forget(std::mem::take(&mut s.weak));
            }
        });
        if result.is_err() {
            std::mem::forget(std::mem::take(&mut world.roots));
            with(|py| py.tag = 0);
        } else {
            drop(std::mem::take(&mut world.roots));
            std::mem::take(&mut world.py_roots).into_iter().for_each(decref);
            drain();
            let settled = world.settle();
            STRANGER.with(|s| s.borrow_mut().weak.clear());
            let left = ALIVE.with(|alive| alive.borrow().len());
            if left > 0 {
                // They name wrappers of this world's.
                with(|py| py.tag = 0);
                settled?;
                return Err(format!("{left} things outlive the world"));
            }
            settled?;
        }
        result
    }

    fn live_and_die(&mut self, totals: &mut Totals) -> Result<(), String> {
        for _ in 0..2 + self.random.below(9) {
            self.make();
        }
        for _ in 0..1 + self.random.below(3) {
            for _ in 0..self.random.below(60) {
                self.step();
            }
            if self.busy {
                let hands = self.random.below(3);
                for _ in 0..hands {
                    let thing = self.some_thing();
                    STRANGER.with(|s| s.borrow_mut().hand.extend(thing));
                }
            }
            for _ in 0..self.random.below(30) {
                self.drop_one();
            }
            if let Some(error) = with(|py| py.error.take()) {
                return Err(error);
            }
            totals.things += ALIVE.with(|alive| alive.borrow().len());
            let generation = [0, 2, 2][self.random.below(3)];
            self.collect(generation)?;
            totals.condemned += pb::trace::last_statistics().condemned;
            if self.busy {
                strangers_act(5);
                drain();
            }
        }
        let before = ALIVE.with(|alive| alive.borrow().len());
        self.settle()?;
        totals.garbage += before - ALIVE.with(|alive| alive.borrow().len());
        Ok(())
    }

    /// Strangers let go and there are no more actions: three collections take all garbage.
    fn settle(&mut self) -> Result<(), String> {
        self.busy = false;
        self.quiet = true;
        STRANGER.with(|s| s.borrow_mut().hand.clear());
        drain();
        for _ in 0..3 {
            self.collect(2)?;
        }
        let (native, py) = self.reached();
        let left: Vec<u64> = ALIVE.with(|alive| alive.borrow().keys().copied().collect());
        if left.len() != native.len() {
            return Err(format!(
                "{} of {} things are garbage and were not collected",
                left.len() - native.len(),
                left.len()
            ));
        }
        let left = with(|runtime| runtime.objects.iter().filter(|o| !o.freed).count());
        if left != py.len() {
            return Err(format!(
                "{} Python objects are garbage and were not collected",
                left - py.len()
            ));
        }
        Ok(())
    }
}

impl Script for World {
    fn finalize(&mut self, object: usize) {
        if self.quiet {
            return;
        }
        if self.random.chance(20) {
            // Resurrected.
            incref(object);
            self.py_roots.push(object);
        }
        if self.busy {
            strangers_act(2);
        }
        if self.random.chance(30) {
            self.step();
        }
    }

    fn decided(&mut self, garbage: &[usize]) -> Result<(), String> {
        self.live = self.reached();
        if let Some(object) = garbage.iter().find(|o| !self.late && self.live.1.contains(o)) {
            return Err(format!("py{object} is alive and is taken for garbage"));
        }
        if !self.late {
            set_active(false);
        } else if self.busy {
            strangers_act(4);
        }
        self.live = self.reached();
        Ok(())
    }

    fn cleared(&mut self, condemned: bool) {
        if self.busy && (condemned || self.late) {
            strangers_act(1);
        }
    }
}

/// Runs seeds until one fails; says how to replay it.
pub fn run_seeds(seeds: std::ops::Range<u64>) -> (Totals, Option<(u64, String)>) {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut totals = Totals::default();
    if let Ok(seed) = std::env::var("PAIRBOND_SEED") {
        let seed = seed.parse().expect("PAIRBOND_SEED is a number");
        let result = World::run(seed, &mut totals);
        return (totals, result.err().map(|e| (seed, e)));
    }
    for seed in seeds {
        if let Err(error) = World::run(seed, &mut totals) {
            return (totals, Some((seed, error)));
        }
    }
    (totals, None)
}
