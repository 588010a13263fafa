//! The modes and runs of a thread, one for all extension modules of a process.
//!
//! Each module that was built from this crate has its own copy of the code, and of its statics. The
//! one that needs them first keeps them for all: the others find it by a registered function. So
//! `no_grad` of one library counts in all of them, and a run goes through nodes of several.
//!
//! The shared state is in memory of the allocator that the modules of a process have in common, and
//! laid out by one compiler: pairbond checks both when a module joins.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::AtomicI64;
use std::sync::{LazyLock, OnceLock, PoisonError};

use pairbond::fork::Mutex;
use pairbond::prelude::{Function, Ref};
use pairbond::registry::{get_function, register_function};

use crate::node_map::ByNode;

/// The state of a thread.
pub(crate) struct State {
    /// Whether operations are recorded.
    pub(crate) records: Cell<bool>,
    /// The sequence number of the next node.
    pub(crate) sequence: Cell<u64>,
    /// Hooks of saved values that are in force: pack and unpack.
    pub(crate) saved_hooks: RefCell<Vec<(Function, Function)>>,
    /// Anomaly mode.
    pub(crate) tracing: RefCell<Option<Tracing>>,
    /// The runs under way, the innermost last.
    pub(crate) runs: RefCell<Vec<Run>>,
}

/// How a thread traces: what tells where it is, what shows an error's origin, and whether gradients
/// are looked at.
#[derive(Clone)]
pub(crate) struct Tracing {
    pub(crate) place: Function,
    pub(crate) warn: Function,
    pub(crate) check_nan: bool,
}

/// A run under way.
pub(crate) struct Run {
    pub(crate) id: i64,
    /// Which nodes it runs.
    pub(crate) nodes: Rc<ByNode<()>>,
    /// Callbacks for the end of the run.
    pub(crate) callbacks: VecDeque<Function>,
}

/// The state that the first module keeps for all.
#[derive(Clone, Copy)]
struct Shared {
    state: fn() -> Rc<State>,
    /// Numbers of runs and of hooks.
    numbers: [&'static AtomicI64; 2],
    adding: fn() -> &'static Mutex<()>,
}

#[pairbond::object("pairbond_tape._Process", opaque)]
struct Process {
    #[untraced]
    shared: Shared,
}

static RUNS: AtomicI64 = AtomicI64::new(0);
static HOOKS: AtomicI64 = AtomicI64::new(0);

fn own_state() -> Rc<State> {
    thread_local! {
        static OWN: Rc<State> = Rc::new(State {
            records: Cell::new(true),
            sequence: Cell::new(0),
            saved_hooks: RefCell::default(),
            tracing: RefCell::default(),
            runs: RefCell::default(),
        });
    }
    OWN.with(Rc::clone)
}

fn own_lock() -> &'static Mutex<()> {
    static ADDING: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);
    &ADDING
}

fn shared_state() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        const NAME: &str = "pairbond_tape.process";
        let own = Shared {
            state: own_state,
            numbers: [&RUNS, &HOOKS],
            adding: own_lock,
        };
        let announced = Function::build(NAME).from(move || Ref::new(Process { shared: own }));
        // It is taken if another module was first.
        let _ = register_function(NAME, announced, false);
        let first = get_function(NAME).and_then(|function| function.call(&[]));
        let first = first.ok().and_then(|first| first.downcast::<Process>());
        first.map_or(own, |process| process.shared)
    })
}

/// Calls `look` with the state of this thread.
#[inline]
pub(crate) fn with_state<R>(look: impl FnOnce(&State) -> R) -> R {
    thread_local! {
        static STATE: Rc<State> = (shared_state().state)();
    }
    STATE.with(|state| look(state))
}

/// The number of a new run.
pub(crate) fn next_run() -> i64 {
    shared_state().numbers[0].fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// The number of a new hook.
pub(crate) fn next_hook() -> i64 {
    shared_state().numbers[1].fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// Calls `add` while no other thread adds natively to a gradient.
pub(crate) fn with_grad_lock<R>(add: impl FnOnce() -> R) -> R {
    let lock = (shared_state().adding)();
    let _adding = lock.lock().unwrap_or_else(PoisonError::into_inner);
    add()
}
