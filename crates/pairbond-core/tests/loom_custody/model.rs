//! One pair of native object and wrapper, small enough for a model checker: the real [`Custody`],
//! everything around it modelled.
//!
//! What must never happen is an assertion: a value or a wrapper destroyed twice or used afterwards
//! (the custody words notice by themselves, see `crate::sync`), a wrapper freed that an object
//! owns, anything left over at the end.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex as StdMutex};

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use pairbond_core::object::{
    Custody, Died, Extracted, Given, Holder, Pair, Released, Retagged, Taken, Upgraded,
};

/// How attached threads keep out of each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum World {
    /// One lock for all of them.
    Gil,
    /// Not at all: reference counts of wrappers are atomic.
    Free,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Start {
    Unwrapped,
    Native,
    Python,
    /// In native custody, with a wrapper of an interpreter that has ended.
    Ended,
}

/// What happened in any of the executions of one model.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<StdMutex<BTreeSet<&'static str>>>);

impl Seen {
    pub(crate) fn note(&self, outcome: &'static str) {
        self.0.lock().unwrap().insert(outcome);
    }
    pub(crate) fn all(&self) -> BTreeSet<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

/// The reference count of a wrapper.
enum Refs {
    /// Only threads that hold the GIL touch it: no atomic, so that the model checker does not order
    /// what the lock has ordered, and says so if a thread comes without.
    Guarded(UnsafeCell<usize>),
    Atomic(AtomicUsize),
}

impl Refs {
    fn new(world: World, count: usize) -> Self {
        match world {
            World::Gil => Refs::Guarded(UnsafeCell::new(count)),
            World::Free => Refs::Atomic(AtomicUsize::new(count)),
        }
    }

    fn get(&self) -> usize {
        match self {
            // SAFETY: the caller holds the GIL; loom panics if not.
            Refs::Guarded(count) => count.with(|count| unsafe { *count }),
            Refs::Atomic(count) => count.load(Ordering::Acquire),
        }
    }

    fn set(&self, to: usize) {
        match self {
            // SAFETY: the caller holds the GIL; loom panics if not.
            Refs::Guarded(count) => count.with_mut(|count| unsafe { *count = to }),
            Refs::Atomic(count) => count.store(to, Ordering::Relaxed),
        }
    }

    /// Adds one, and returns how many there were.
    fn add(&self) -> usize {
        match self {
            Refs::Guarded(_) => {
                let before = self.get();
                self.set(before + 1);
                before
            }
            Refs::Atomic(count) => count.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Takes one away, and returns how many there were.
    fn sub(&self) -> usize {
        match self {
            Refs::Guarded(_) => {
                let before = self.get();
                self.set(before - 1);
                before
            }
            Refs::Atomic(count) => count.fetch_sub(1, Ordering::AcqRel),
        }
    }

    /// Adds one unless there is none.
    fn try_add(&self) -> bool {
        let Refs::Atomic(count) = self else {
            return self.get() > 0 && self.add() > 0;
        };
        let mut refs = count.load(Ordering::Relaxed);
        while refs > 0 {
            match count.compare_exchange(refs, refs + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) => refs = other,
            }
        }
        false
    }
}

struct Wrapper {
    refs: Refs,
    /// Read by users of the wrapper, written when it is freed: loom reports when these are not
    /// ordered.
    body: UnsafeCell<()>,
    freed: AtomicBool,
    /// Cut off from the object.
    severed: AtomicBool,
}

impl Wrapper {
    fn new(world: World, refs: usize) -> Self {
        let (freed, severed) = (AtomicBool::new(refs == 0), AtomicBool::new(false));
        Wrapper {
            refs: Refs::new(world, refs),
            body: UnsafeCell::new(()),
            freed,
            severed,
        }
    }
}

/// The interpreter of wrapper 0, when it has ended.
const ENDED: u16 = 1;
const TAG: u16 = 2;

/// Up to two wrappers, because two threads may make the first one at the same time.
fn pair_of(wrapper: usize) -> Pair {
    Pair::new(
        TAG,
        std::ptr::without_provenance_mut::<c_void>((wrapper + 1) * 16),
    )
}

fn index_of(pair: Pair) -> usize {
    pair.wrapper().addr() / 16 - 1
}

/// Proof that a thread is attached.
#[allow(dead_code)]
pub(crate) struct Attached<'a>(Option<MutexGuard<'a, ()>>, Option<RwLockReadGuard<'a, ()>>);

pub(crate) struct Model {
    world: World,
    gil: Mutex<()>,
    /// Without a GIL, where somebody stops the world: attached threads read, and are stopped
    /// nowhere in between.
    running: Option<RwLock<()>>,
    custody: Custody,
    value: UnsafeCell<()>,
    destroyed: AtomicBool,
    freed: AtomicBool,
    wrappers: [Wrapper; 3],
    /// The next wrapper to be made. Which thread gets which makes no difference, so the model
    /// checker does not know of it.
    spare: std::sync::atomic::AtomicUsize,
    /// Wrappers to be released by someone who is attached, when all others have ended. In which
    /// order they come makes no difference, either.
    deferred: StdMutex<Vec<usize>>,
    /// Whether the object's type can own references, so that a collector lists it.
    traced: bool,
    /// Whether it is on that list.
    listed: Mutex<bool>,
    pub(crate) seen: Seen,
}

impl Model {
    pub(crate) fn new(
        world: World,
        start: Start,
        [native, python, weak]: [usize; 3],
        traced: bool,
        stops: bool,
        seen: Seen,
    ) -> Self {
        let (custody, refs) = match start {
            Start::Unwrapped => (Custody::new_native(), 0),
            Start::Native => (Custody::new_native(), 1 + python),
            Start::Python => (Custody::new_wrapped(pair_of(0)), python),
            Start::Ended => {
                let custody = Custody::new_native();
                custody.claim_for(ENDED).unwrap();
                custody
                    .publish_wrapper(Pair::new(ENDED, pair_of(0).wrapper()))
                    .unwrap();
                // It is not freed, and must not be touched: as good as freed.
                (custody, 0)
            }
        };
        if start == Start::Native {
            custody.claim_for(TAG).unwrap();
            custody.publish_wrapper(pair_of(0)).unwrap();
        }
        for _ in 1..native {
            custody.acquire();
        }
        for _ in 0..weak {
            custody.downgrade();
        }
        Model {
            world,
            gil: Mutex::new(()),
            running: (stops && world == World::Free).then(|| RwLock::new(())),
            custody,
            value: UnsafeCell::new(()),
            destroyed: AtomicBool::new(false),
            freed: AtomicBool::new(false),
            wrappers: [refs, 0, 0].map(|refs| Wrapper::new(world, refs)),
            spare: 1.into(),
            deferred: StdMutex::default(),
            listed: Mutex::new(traced),
            traced,
            seen,
        }
    }

    pub(crate) fn attach(&self) -> Attached<'_> {
        Attached(
            (self.world == World::Gil).then(|| self.gil.lock().unwrap()),
            self.running.as_ref().map(|running| running.read().unwrap()),
        )
    }

    /// What the holder of a native reference may do at any time.
    fn use_value(&self) {
        assert!(!self.destroyed.load(Relaxed), "use after destruction");
        self.value.with(|_| ());
    }

    fn destroy(&self) {
        if self.traced {
            *self.listed.lock().unwrap() = false;
        }
        assert!(!self.destroyed.swap(true, Relaxed), "destroyed twice");
        self.value.with_mut(|_| ());
        if self.custody.mark_destroyed() {
            self.free();
        }
    }

    fn free(&self) {
        assert!(self.destroyed.load(Relaxed), "freed before destruction");
        assert!(!self.freed.swap(true, Relaxed), "freed twice");
        self.custody.note_freed();
    }

    fn settle(&self, duty: Released, attached: Option<&Attached<'_>>) {
        match duty {
            Released::Shared => self.seen.note("dropped one"),
            Released::Destroy => {
                self.seen.note("destroyed natively");
                self.destroy();
            }
            Released::HandedOver(pair) => {
                self.seen.note("handed over");
                self.release_wrapper(pair, attached);
            }
        }
    }

    // References to a wrapper.

    fn retain(&self, wrapper: usize) {
        let wrapper = &self.wrappers[wrapper];
        assert!(!wrapper.freed.load(Relaxed), "a freed wrapper was retained");
        wrapper.body.with(|_| ());
        assert!(wrapper.refs.add() > 0, "a dying wrapper was retained");
    }

    fn try_retain(&self, wrapper: usize) -> bool {
        let wrapper = &self.wrappers[wrapper];
        assert!(!wrapper.freed.load(Relaxed), "a freed wrapper was looked at");
        wrapper.refs.try_add()
    }

    /// One counted reference goes, attached.
    pub(crate) fn let_go(&self, wrapper: usize, attached: &Attached<'_>) {
        let this = &self.wrappers[wrapper];
        assert!(!this.freed.load(Relaxed), "a freed wrapper was released");
        this.body.with(|_| ());
        if this.refs.sub() > 1 {
            return;
        }
        if !this.severed.load(Relaxed) {
            // As frontends do for objects that no collector lists.
            let alone = !self.traced && self.custody.is_wrappers_alone();
            match if alone {
                self.custody.wrapper_died_alone();
                Died::Destroy
            } else {
                self.custody.wrapper_died()
            } {
                Died::Destroy => {
                    self.seen.note("destroyed with its wrapper");
                    self.destroy();
                }
                Died::Severed(duty) => {
                    self.seen.note("wrapper died first");
                    self.settle(duty, Some(attached));
                }
            }
        }
        this.body.with_mut(|_| ());
        assert!(!this.freed.swap(true, Relaxed), "a wrapper was freed twice");
    }

    fn release_wrapper(&self, pair: Pair, attached: Option<&Attached<'_>>) {
        assert_eq!(
            pair.tag(),
            TAG,
            "somebody takes the object over before the last reference goes"
        );
        match attached {
            Some(attached) => self.let_go(index_of(pair), attached),
            None => self.deferred.lock().unwrap().push(index_of(pair)),
        }
    }

    // Events.

    pub(crate) fn clone_native(&self) {
        self.use_value();
        self.custody.acquire();
    }

    pub(crate) fn clone_many(&self, more: u32) {
        self.use_value();
        self.custody.acquire_many(more);
    }

    pub(crate) fn drop_many(&self, fewer: u32) {
        self.use_value();
        self.custody.release_many(fewer);
    }

    pub(crate) fn drop_native(&self, attached: Option<&Attached<'_>>) {
        self.use_value();
        self.settle(self.custody.release(), attached);
    }

    pub(crate) fn extract(&self, attached: &Attached<'_>) {
        match self.custody.extract_native() {
            Extracted::Counted => self.seen.note("extracted"),
            Extracted::RetainFirst(pair) => {
                let wrapper = index_of(pair);
                self.retain(wrapper);
                match self.custody.take_custody() {
                    Taken::Took => self.seen.note("took custody"),
                    Taken::Surplus => {
                        self.seen.note("custody was taken already");
                        self.let_go(wrapper, attached);
                    }
                }
            }
        }
        self.use_value();
    }

    /// A counted reference to the wrapper; the caller holds a native reference.
    pub(crate) fn fetch(&self) -> usize {
        self.use_value();
        if self.custody.pair().tag() == 0
            && let Some(mine) = self.publish(Custody::publish_first)
        {
            return mine;
        }
        while let Err(other) = self.custody.claim_for(TAG) {
            assert_eq!(other, ENDED);
            assert_ne!(self.custody.retag(ENDED, TAG), Retagged::Theirs);
            self.seen.note("taken over");
        }
        let known = self.custody.pair();
        let pair = if known.wrapper().is_null() {
            match self.publish(Custody::publish_wrapper) {
                Some(mine) => return mine,
                None => self.custody.pair(),
            }
        } else {
            self.seen.note("fetched");
            known
        };
        self.retain(index_of(pair));
        index_of(pair)
    }

    /// A new wrapper, if it is the one that gets published.
    fn publish(&self, publish: impl FnOnce(&Custody, Pair) -> Result<(), Pair>) -> Option<usize> {
        let mine = self.spare.fetch_add(1, Relaxed);
        let wrapper = &self.wrappers[mine];
        wrapper.freed.store(false, Relaxed);
        wrapper.refs.set(2);
        if publish(&self.custody, pair_of(mine)).is_ok() {
            self.seen.note("published");
            return Some(mine);
        }
        self.seen.note("published too late");
        wrapper.freed.store(true, Relaxed);
        None
    }

    /// Gives a native reference away for a counted reference to the wrapper.
    pub(crate) fn give(&self, attached: &Attached<'_>) -> usize {
        self.use_value();
        match self.custody.give_to_wrapper() {
            Given::Wrapper(pair) => {
                self.seen.note("given");
                index_of(pair)
            }
            Given::Shared => {
                let wrapper = self.fetch();
                self.drop_native(Some(attached));
                wrapper
            }
        }
    }

    /// A native reference from a weak one, on a thread that attaches when it must.
    pub(crate) fn upgrade(&self) -> bool {
        loop {
            match self.custody.upgrade() {
                Upgraded::Strong => {
                    self.seen.note("upgraded");
                    self.use_value();
                    return true;
                }
                Upgraded::Gone => {
                    self.seen.note("upgraded too late");
                    return false;
                }
                Upgraded::Undecided => {
                    self.seen.note("waited for a verdict");
                    loom::thread::yield_now();
                }
                Upgraded::InPython(_) => {
                    let attached = self.attach();
                    if let Some(pair) = self.custody.pin_wrapper() {
                        let retained = self.try_retain(index_of(pair));
                        self.custody.unpin_wrapper(retained);
                        drop(attached);
                        self.seen.note(if retained {
                            "upgraded in Python"
                        } else {
                            "the wrapper was dying"
                        });
                        return retained;
                    }
                    self.seen.note("found nothing to pin");
                }
            }
        }
    }

    pub(crate) fn drop_weak(&self) {
        if self.custody.release_weak() {
            self.seen.note("freed with the last weak reference");
            self.free();
        }
    }

    /// A collector looks at the object twice, with the list held: no object on it is destroyed
    /// meanwhile.
    pub(crate) fn watch(&self) {
        let duty = {
            let listed = self.listed.lock().unwrap();
            if !*listed {
                return self.seen.note("not listed any more");
            }
            let Some(before) = self.custody.begin_watch() else {
                return self.seen.note("not watched: no reference is left");
            };
            let after = self.custody.watched_state();
            if after.is_touched() {
                self.seen.note("touched while watched");
            } else if after.strong() < before.strong() {
                self.seen.note(if after.strong() == 0 {
                    "emptied while watched"
                } else {
                    "dropped while watched"
                });
            }
            self.custody.end_watch()
        };
        match &duty {
            Released::Shared => {}
            Released::Destroy => self.seen.note("destroyed by the collector"),
            Released::HandedOver(_) => self.seen.note("handed over by the collector"),
        }
        self.settle(duty, None);
    }

    /// Gives the wrapper back if it is dispensable, with all other attached threads standing still.
    pub(crate) fn trim(&self) {
        let gil = (self.world == World::Gil).then(|| self.gil.lock().unwrap());
        let stopped = self.running.as_ref().map(|running| running.write().unwrap());
        let cut = {
            let listed = self.listed.lock().unwrap();
            if !*listed {
                return self.seen.note("not listed any more");
            }
            let (state, pair) = (self.custody.state(), self.custody.pair());
            if state.holder() != Holder::Native || pair.tag() != TAG || pair.wrapper().is_null() {
                return self.seen.note("no dormant wrapper");
            }
            let wrapper = &self.wrappers[index_of(pair)];
            assert!(!wrapper.freed.load(Relaxed), "a freed wrapper was looked at");
            if wrapper.refs.get() != 1 {
                return self.seen.note("the wrapper was in use");
            }
            let Some(duty) = self.custody.trim() else {
                return self.seen.note("trimmed too late");
            };
            self.seen.note("trimmed");
            wrapper.severed.store(true, Relaxed);
            (index_of(pair), duty)
        };
        drop(stopped);
        let attached = Attached(gil, None);
        self.let_go(cut.0, &attached);
        self.settle(cut.1, Some(&attached));
    }

    /// A collector takes the object for garbage, from which weak references must not wake it.
    pub(crate) fn condemn(&self, strong: u64, holder: Holder) -> bool {
        self.custody.condemn(strong, holder)
    }

    /// The interpreter ends; the caller holds the wrapper.
    pub(crate) fn sever(&self, wrapper: usize, attached: &Attached<'_>) {
        match self.custody.sever() {
            None => self.seen.note("not severed"),
            Some(duty) => {
                self.seen.note("severed");
                self.wrappers[wrapper].severed.store(true, Relaxed);
                self.settle(duty, Some(attached));
                self.let_go(wrapper, attached);
            }
        }
    }

    /// Everybody has gone: so must have the object and its wrappers.
    pub(crate) fn finish(&self) {
        let attached = self.attach();
        let deferred: Vec<usize> = std::mem::take(&mut *self.deferred.lock().unwrap());
        for wrapper in deferred {
            self.let_go(wrapper, &attached);
        }
        assert!(self.deferred.lock().unwrap().is_empty());
        assert!(
            self.destroyed.load(Relaxed),
            "the value leaked: {:?}",
            self.custody.state()
        );
        assert!(self.freed.load(Relaxed), "the memory leaked");
        for wrapper in &self.wrappers {
            assert!(wrapper.freed.load(Relaxed), "a wrapper leaked");
        }
    }
}
