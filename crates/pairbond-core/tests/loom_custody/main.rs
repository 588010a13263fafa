//! The custody protocol under a model checker: every event beside every other, from every state,
//! with and without a GIL.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_custody
//!
//! Threads are preempted up to three times (`LOOM_MAX_PREEMPTIONS` overrides it). `outcomes.txt`
//! says what happens in at least one execution of each pairing; the tests compare, so that none of
//! them can come to check nothing. After a change that is meant, `PAIRBOND_BLESS=1` writes it anew.
#![cfg(loom)]

mod expected;
mod model;
mod naive;

use std::sync::Arc;

use model::{Model, Seen, Start, World};
use pairbond_core::object::Holder;

/// The actions of one thread, from its first reference to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Native reference: cloned, the clone dropped, then itself.
    Clone,
    /// The same, with references that are counted together. The two cannot be told apart.
    Share,
    /// Native reference: dropped without being attached.
    Drop,
    /// Native reference: dropped attached.
    DropAttached,
    /// Native reference: its wrapper fetched, both dropped.
    Fetch,
    /// Native reference: given to Python, and the wrapper let go.
    Give,
    /// Wrapper: a native reference taken out and dropped; the wrapper let go last.
    Extract,
    /// Wrapper: a native reference taken out, the wrapper let go, the reference dropped unattached.
    Take,
    /// Wrapper: let go.
    LetGo,
    /// Weak reference: upgraded, both dropped.
    Upgrade,
    /// A collector watches and looks again.
    Watch,
    /// Dormant wrappers are given back.
    Trim,
    /// Wrapper: its interpreter ends.
    Sever,
}

use Event::*;

impl Event {
    const ALL: [Event; 12] = [
        Clone,
        Drop,
        DropAttached,
        Fetch,
        Give,
        Extract,
        Take,
        LetGo,
        Upgrade,
        Watch,
        Trim,
        Sever,
    ];

    fn needs_native(self) -> bool {
        matches!(self, Clone | Share | Drop | DropAttached | Fetch | Give)
    }
    fn needs_wrapper(self) -> bool {
        matches!(self, Extract | Take | LetGo | Sever)
    }
    /// When an interpreter ends, no other thread is attached to it.
    fn goes_with(self, other: Event) -> bool {
        other != Sever || matches!(self, Clone | Share | Drop | Upgrade | Watch)
    }

    fn happen(self, model: &Model) {
        match self {
            Clone => {
                model.clone_native();
                model.drop_native(None);
                model.drop_native(None);
            }
            Share => {
                model.clone_many(3);
                model.drop_many(2);
                model.drop_native(None);
                model.drop_native(None);
            }
            Drop => model.drop_native(None),
            DropAttached => model.drop_native(Some(&model.attach())),
            Fetch => {
                let attached = model.attach();
                let wrapper = model.fetch();
                model.drop_native(Some(&attached));
                model.let_go(wrapper, &attached);
            }
            Give => {
                let attached = model.attach();
                let wrapper = model.give(&attached);
                model.let_go(wrapper, &attached);
            }
            Extract => {
                model.extract(&model.attach());
                model.drop_native(None);
                model.let_go(0, &model.attach());
            }
            Take => {
                let attached = model.attach();
                model.extract(&attached);
                model.let_go(0, &attached);
                drop(attached);
                model.drop_native(None);
            }
            LetGo => model.let_go(0, &model.attach()),
            Upgrade => {
                if model.upgrade() {
                    model.drop_native(None);
                }
                model.drop_weak();
            }
            Watch => model.watch(),
            Trim => model.trim(),
            Sever => {
                let attached = model.attach();
                model.sever(0, &attached);
                model.let_go(0, &attached);
            }
        }
    }
}

fn explore(check: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(check);
}

/// Runs the events at the same time, one thread each, in every order; returns the observations.
fn run(world: World, start: Start, events: &[Event]) -> Seen {
    let native = events.iter().filter(|e| e.needs_native()).count();
    let python = events.iter().filter(|e| e.needs_wrapper()).count();
    let weak = events.iter().filter(|e| **e == Upgrade).count();
    // Somebody must hold the object to begin with.
    let (native_kept, python_kept) = match start {
        Start::Python => (0, usize::from(python == 0)),
        _ => (usize::from(native == 0), 0),
    };
    let seen = Seen::default();
    let traced = events.contains(&Watch) || events.contains(&Trim);
    let stops = events.contains(&Trim);
    let (events, noted) = (events.to_vec(), seen.clone());
    explore(move || {
        let model = Arc::new(Model::new(
            world,
            start,
            [native + native_kept, python + python_kept, weak],
            traced,
            stops,
            noted.clone(),
        ));
        let threads: Vec<_> = events[1..]
            .iter()
            .map(|&event| {
                let model = Arc::clone(&model);
                loom::thread::spawn(move || event.happen(&model))
            })
            .collect();
        events[0].happen(&model);
        for thread in threads {
            thread.join().unwrap();
        }
        for _ in 0..native_kept {
            model.drop_native(None);
        }
        for _ in 0..python_kept {
            model.let_go(0, &model.attach());
        }
        model.finish();
    });
    seen
}

fn possible(start: Start, events: &[Event]) -> bool {
    let native = events.iter().any(|e| e.needs_native());
    let python = events.iter().any(|e| e.needs_wrapper());
    match start {
        Start::Unwrapped => !python,
        Start::Native => true,
        // One takes the object over; others hold it, wake it or look.
        Start::Ended => {
            !python && !events.contains(&DropAttached) && !events.contains(&Give) && events.contains(&Fetch)
        }
        // A native reference and Python's custody exclude each other.
        Start::Python => !native && !events.contains(&Sever),
    }
}

fn check(world: World, start: Start, events: &[Event]) {
    expected::compare(&name(world, start, events), &run(world, start, events).all());
}

fn name(world: World, start: Start, events: &[Event]) -> String {
    format!(
        "{world:?} {start:?}: {}",
        events
            .iter()
            .map(|e| format!("{e:?}"))
            .collect::<Vec<_>>()
            .join(" + ")
    )
}

fn pairs(world: World, start: Start) {
    for (i, &first) in Event::ALL.iter().enumerate() {
        for &second in &Event::ALL[i..] {
            if possible(start, &[first, second]) && first.goes_with(second) {
                check(world, start, &[first, second]);
            }
        }
    }
}

macro_rules! tests {
    ($($name:ident: $world:ident $start:ident;)*) => {$(
        #[test]
        fn $name() {
            pairs(World::$world, Start::$start);
        }
    )*};
}

tests! {
    pairs_of_unwrapped_objects_with_a_gil: Gil Unwrapped;
    pairs_of_unwrapped_objects_without_a_gil: Free Unwrapped;
    pairs_in_native_custody_with_a_gil: Gil Native;
    pairs_in_native_custody_without_a_gil: Free Native;
    pairs_of_an_ended_interpreter_with_a_gil: Gil Ended;
    pairs_of_an_ended_interpreter_without_a_gil: Free Ended;
    pairs_in_python_custody_with_a_gil: Gil Python;
    pairs_in_python_custody_without_a_gil: Free Python;
}

/// References that are counted together do what as many do that are counted one by one.
#[test]
fn many_references_at_once() {
    for world in [World::Gil, World::Free] {
        for start in [Start::Unwrapped, Start::Native] {
            for &other in &Event::ALL {
                if possible(start, &[Clone, other]) && Clone.goes_with(other) {
                    let seen = run(world, start, &[Share, other]);
                    expected::compare(&name(world, start, &[Clone, other]), &seen.all());
                }
            }
        }
    }
}

/// The three-cornered ones that reading the protocol makes one afraid of.
const TRIPLES: &[(Start, [Event; 3])] = &[
    (Start::Native, [Drop, Extract, LetGo]),
    (Start::Native, [Drop, Take, LetGo]),
    (Start::Native, [Drop, Take, Take]),
    (Start::Native, [Drop, Upgrade, LetGo]),
    (Start::Native, [Drop, Upgrade, Take]),
    (Start::Native, [Drop, Watch, Take]),
    (Start::Native, [Drop, Watch, Upgrade]),
    (Start::Native, [Drop, Upgrade, Sever]),
    (Start::Native, [Drop, Drop, Take]),
    (Start::Native, [Give, Drop, Upgrade]),
    (Start::Python, [LetGo, Take, Upgrade]),
    (Start::Python, [LetGo, Upgrade, Watch]),
    (Start::Unwrapped, [Fetch, Fetch, Drop]),
    (Start::Unwrapped, [Fetch, Give, Upgrade]),
    (Start::Unwrapped, [Drop, Upgrade, Watch]),
    (Start::Ended, [Fetch, Fetch, Upgrade]),
    (Start::Ended, [Fetch, Drop, Watch]),
];

/// Two threads wait here for a third to unpin, which without a GIL this model checker plays for
/// ever: it knows no fairness.
const TRIPLES_WITH_A_GIL: &[(Start, [Event; 3])] = &[
    (Start::Python, [Take, Take, Upgrade]),
    (Start::Python, [LetGo, Upgrade, Upgrade]),
    // Stopping the world is a GIL to attached threads, but costs the model checker minutes.
    (Start::Native, [Fetch, Drop, Trim]),
    (Start::Native, [Drop, Upgrade, Trim]),
    (Start::Native, [Drop, Take, Trim]),
    (Start::Native, [Drop, Watch, Trim]),
    (Start::Python, [Take, Upgrade, Trim]),
    (Start::Unwrapped, [Fetch, Fetch, Trim]),
];

fn triples(world: World) {
    let guarded = if world == World::Gil {
        TRIPLES_WITH_A_GIL
    } else {
        &[]
    };
    for (start, events) in TRIPLES.iter().chain(guarded) {
        check(world, *start, events);
    }
}

#[test]
fn triples_with_a_gil() {
    triples(World::Gil);
}

#[test]
fn triples_without_a_gil() {
    triples(World::Free);
}

/// Condemned garbage is not woken by a weak reference; what a weak reference woke is not condemned.
#[test]
fn condemn_or_upgrade() {
    let seen = Seen::default();
    let noted = seen.clone();
    explore(move || {
        let model = Arc::new(Model::new(
            World::Free,
            Start::Unwrapped,
            [1, 0, 1],
            true,
            false,
            noted.clone(),
        ));
        let other = Arc::clone(&model);
        let upgrading = loom::thread::spawn(move || {
            let upgraded = other.upgrade();
            if upgraded {
                other.drop_native(None);
            }
            upgraded
        });
        let condemned = model.condemn(1, Holder::Unwrapped);
        let upgraded = upgrading.join().unwrap();
        if condemned {
            model.seen.note(if upgraded {
                "woken, and condemned when it slept again"
            } else {
                "condemned"
            });
        } else {
            assert!(upgraded, "neither condemned nor awake");
            model.seen.note("woken");
        }
        // The reference that the cycle held.
        model.drop_native(None);
        model.drop_weak();
        model.finish();
    });
    expected::compare("condemn + upgrade", &seen.all());
}
