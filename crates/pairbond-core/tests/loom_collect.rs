//! The native collector under a model checker, beside threads that clone, drop, move and relink
//! references and upgrade weak ones: the real collector, objects, fields and weak references; only
//! the list of objects and the memory are the model's.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_collect
//!
//! No thread ever holds an object that was cleared, a weak reference reports that an object is gone
//! only if it was condemned, memory is not touched after it was freed (the custody words notice,
//! see `crate::sync`), and when all is quiet all garbage goes.
#![cfg(loom)]

use std::alloc::Layout;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex as StdMutex, Once};

use loom::sync::Mutex;
use pairbond_core::cell::Cell;
use pairbond_core::frontend::Collecting;
use pairbond_core::memory::{Allocator, set_allocator};
use pairbond_core::object::{Header, Object, Prefix, Ref, Root, Weak};
use pairbond_core::runtime::{RuntimeTable, UNTRACK, adopt_runtime, runtime_table};
use pairbond_core::trace::{Trace, Tracer, collect};
use pairbond_core::types::TypeCell;

struct Node {
    number: usize,
    fixed: Option<Ref<Node>>,
    slot: Cell<Option<Ref<Node>>>,
    cleared: AtomicBool,
}

static DEATHS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

// SAFETY: the cell is its own; no base.
unsafe impl Object for Node {
    const KEY: &'static str = "loom.Node";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: each reference is shown once.
unsafe impl Trace for Node {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.fixed.trace(tracer);
        self.slot.trace(tracer);
    }
    fn clear(&self) {
        self.cleared.store(true, Relaxed);
        self.slot.clear();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        DEATHS[self.number].fetch_add(1, Relaxed);
    }
}

/// The list of one execution. The model's lock is dropped with it, so that it lives behind a lock
/// of the standard library.
struct List {
    objects: Mutex<Vec<*mut Header>>,
    /// Everything that was ever listed, and memory that was given back: freed when the execution is
    /// over.
    seen: StdMutex<Vec<*mut Header>>,
    freed: StdMutex<Vec<(*mut u8, Layout)>>,
}

// SAFETY: what the pointers point to is guarded by the protocol under test.
unsafe impl Sync for List {}

static LIST: StdMutex<Option<&'static List>> = StdMutex::new(None);
static ONE: StdMutex<()> = StdMutex::new(());

fn list() -> &'static List {
    LIST.lock().unwrap().expect("an execution is going on")
}

mod table {
    //! The model's part of the runtime.
    use super::{Header, Layout, Prefix, list};
    use std::ffi::c_void;

    pub(super) unsafe extern "C" fn allocate(_: *mut c_void, size: usize, align: usize) -> *mut u8 {
        // SAFETY: a valid layout that is not empty.
        unsafe { std::alloc::alloc(Layout::from_size_align(size, align).unwrap()) }
    }
    pub(super) unsafe extern "C" fn deallocate(_: *mut c_void, memory: *mut u8, size: usize, align: usize) {
        let inside = memory.addr()..memory.addr() + size;
        let seen = list().seen.lock().unwrap();
        for object in seen.iter().filter(|o| inside.contains(&o.addr())) {
            // SAFETY: the memory is kept until the execution is over.
            unsafe { (**object).custody().note_freed() }
        }
        let layout = Layout::from_size_align(size, align).unwrap();
        list().freed.lock().unwrap().push((memory, layout));
    }
    pub(super) unsafe extern "C" fn track(object: *mut Header, _: pairbond_core::runtime::Home) -> bool {
        let mut objects = list().objects.lock().unwrap();
        // SAFETY: a new object of a traced type.
        unsafe {
            (*object).prefix_ptr().write(Prefix {
                index: objects.len() as u32,
                shard: 0,
                note: 0,
                epoch: 0,
            });
        }
        objects.push(object);
        list().seen.lock().unwrap().push(object);
        true
    }
    pub(super) fn untrack(object: *mut Header) {
        let mut objects = list().objects.lock().unwrap();
        // SAFETY: listed objects are alive; the lock guards their places.
        unsafe {
            let index = (*(*object).prefix_ptr()).index as usize;
            objects.swap_remove(index);
            if let Some(moved) = objects.get(index) {
                (*(**moved).prefix_ptr()).index = index as u32;
            }
        }
    }
    pub(super) unsafe extern "C" fn walk(
        context: *mut c_void,
        shard: unsafe extern "C" fn(*mut c_void, *const *mut Header, usize),
        finish: unsafe extern "C" fn(*mut c_void),
    ) -> bool {
        let objects = list().objects.lock().unwrap();
        // SAFETY: the caller's own functions and argument.
        unsafe {
            shard(context, objects.as_ptr(), objects.len());
            finish(context);
        }
        true
    }
}

static TABLE: StdMutex<Option<usize>> = StdMutex::new(None);

/// Begins an execution.
fn begin() {
    static ADOPT: Once = Once::new();
    ADOPT.call_once(|| {
        // SAFETY: functions and pointers to statics.
        let mut table = unsafe { std::ptr::read(runtime_table()) };
        table.objects.track = table::track;
        *UNTRACK.lock().unwrap() = Some(table::untrack);
        table.objects.walk = table::walk;
        let table: *mut RuntimeTable = Box::into_raw(Box::new(table));
        // SAFETY: lives for the process.
        unsafe { adopt_runtime(table).expect("nothing was made before") };
        let (allocate, deallocate) = (table::allocate, table::deallocate);
        let context = std::ptr::null_mut();
        // SAFETY: usable from any thread, for ever.
        unsafe {
            set_allocator(Allocator {
                allocate,
                deallocate,
                context,
            })
        }
        .expect("the first");
        *TABLE.lock().unwrap() = Some(table.expose_provenance());
    });
    let list = Box::leak(Box::new(List {
        objects: Mutex::new(Vec::new()),
        seen: StdMutex::default(),
        freed: StdMutex::default(),
    }));
    *LIST.lock().unwrap() = Some(list);
    let table: *mut RuntimeTable =
        std::ptr::with_exposed_provenance_mut(TABLE.lock().unwrap().expect("adopted"));
    // SAFETY: no other thread of this execution exists yet.
    unsafe { (*table).interpreters.collecting = Box::into_raw(Box::new(Collecting::new())) };
    DEATHS.iter().for_each(|deaths| deaths.store(0, Relaxed));
}

/// Everybody has let go: all `count` objects are gone after a collection or two.
fn end(count: usize) {
    for _ in 0..2 {
        collect();
    }
    let deaths: Vec<usize> = DEATHS[..count].iter().map(|d| d.load(Relaxed)).collect();
    assert_eq!(deaths, vec![1; count], "how often each object died");
    let list = LIST.lock().unwrap().take().expect("begun");
    assert!(list.objects.lock().unwrap().is_empty());
    for (memory, layout) in list.freed.lock().unwrap().drain(..) {
        // SAFETY: given back once.
        unsafe { std::alloc::dealloc(memory, layout) }
    }
}

fn node(number: usize, fixed: Option<Ref<Node>>) -> Ref<Node> {
    Ref::new(Node {
        number,
        fixed,
        slot: Cell::new(None),
        cleared: AtomicBool::new(false),
    })
}

fn check(node: &Ref<Node>) {
    assert!(!node.cleared.load(Relaxed), "a living object was cleared");
}

fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.max_branches = 20_000;
    builder.check(model);
}

macro_rules! outcomes {
    ($($name:ident)*) => {$(static $name: AtomicUsize = AtomicUsize::new(0);)*};
}

fn note(outcome: &AtomicUsize) {
    outcome.fetch_add(1, Relaxed);
}

fn happened(outcomes: &[(&str, &AtomicUsize)]) {
    for (what, times) in outcomes {
        assert!(times.load(Relaxed) > 0, "{what}: never happened");
    }
}

/// 0 → 1 through a mutable field, 1 → 0 through an immutable one.
fn cycle() -> (Ref<Node>, Weak<Node>) {
    let zero = node(0, None);
    let one = node(1, Some(zero.clone()));
    zero.slot.set(Some(one.clone()));
    (zero, one.downgrade())
}

/// A thread comes in by a weak reference and wanders: always one step ahead of who looks.
#[test]
fn a_climber() {
    outcomes! { TOO_LATE BEFORE SPARED }
    explore(3, || {
        begin();
        let (zero, weak) = cycle();
        drop(zero);
        let climbing = loom::thread::spawn(move || {
            let found = weak.upgrade();
            if let Some(one) = &found {
                check(one);
                let zero = one.fixed.clone().expect("immutable");
                drop(found);
                check(&zero);
                let one = zero.slot.get().expect("not cleared");
                drop(zero);
                check(&one);
                return (true, weak);
            }
            (false, weak)
        });
        let condemned = collect();
        let (found, weak) = climbing.join().unwrap();
        match (found, condemned) {
            (false, 0) => panic!("a weak reference says that it is gone, and nothing was condemned"),
            (false, _) => note(&TOO_LATE),
            (true, 0) => {
                assert!(
                    weak.upgrade().is_some(),
                    "acquitted, but its weak reference is dead"
                );
                note(&SPARED);
            }
            (true, _) => note(&BEFORE),
        }
        drop(weak);
        end(2);
    });
    happened(&[
        ("too late", &TOO_LATE),
        ("found and gone before", &BEFORE),
        ("spared", &SPARED),
    ]);
}

/// The only native reference to a cycle moves from one field to another, and back by a clone, while
/// a collector looks.
#[test]
fn a_reference_that_moves() {
    outcomes! { LOOKED }
    explore(2, || {
        begin();
        let (from, to) = (node(0, None), node(1, None));
        let moved = node(2, None);
        moved.slot.set(Some(moved.clone()));
        from.slot.set(Some(moved));
        let (left, right) = (from.clone(), to.clone());
        let moving = loom::thread::spawn(move || {
            let moved = left.slot.take();
            right.slot.set(moved);
            let moved = right.slot.get().expect("put there just now");
            check(&moved);
            right.slot.set(None);
            left.slot.set(Some(moved));
        });
        if collect() == 0 {
            note(&LOOKED);
        }
        moving.join().unwrap();
        let moved = from.slot.get().expect("moved there");
        check(&moved);
        check(moved.slot.get().as_ref().expect("its own"));
        drop((from, to, moved));
        end(3);
    });
    happened(&[("looked", &LOOKED)]);
}

/// A root is dropped, and an edge cut, while a collector looks: nothing is lost, and nothing dies
/// twice.
#[test]
fn the_last_reference_goes() {
    outcomes! { COLLECTED LEFT DIED }
    explore(3, || {
        begin();
        let (zero, weak) = cycle();
        drop(weak);
        let other = node(2, Some(zero.clone()));
        let dropping = loom::thread::spawn(move || {
            drop(zero);
            drop(other);
        });
        match collect() {
            0 if DEATHS[2].load(Relaxed) > 0 => note(&DIED),
            0 => note(&LEFT),
            _ => note(&COLLECTED),
        }
        dropping.join().unwrap();
        end(3);
    });
    happened(&[
        ("collected", &COLLECTED),
        ("left", &LEFT),
        ("the owner died", &DIED),
    ]);
}

/// Two threads collect, a third asks for it.
#[test]
fn two_collectors() {
    outcomes! { FIRST SECOND NEITHER }
    explore(2, || {
        begin();
        let (zero, weak) = cycle();
        drop(zero);
        let other = loom::thread::spawn(collect);
        let asking = loom::thread::spawn(move || {
            let found = weak.upgrade();
            found.iter().for_each(check);
        });
        let mine = collect();
        let theirs = other.join().unwrap();
        asking.join().unwrap();
        note(match (mine, theirs) {
            (2, 0) => &FIRST,
            (0, 2) => &SECOND,
            (0, 0) => &NEITHER,
            both => panic!("condemned {both:?}"),
        });
        end(2);
    });
    happened(&[
        ("the first", &FIRST),
        ("the second", &SECOND),
        ("neither", &NEITHER),
    ]);
}
