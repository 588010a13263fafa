//! Random operations on objects, links, wrappers and weak references, on four threads, against a
//! model that knows what must be alive.
//!
//! The run is a sequence of phases. In a phase each thread works through operations of its own
//! random generator, on handles of its own (native references, wrappers, weak references) to
//! objects that all share; an object's links are changed by one thread, read by all. So the end of
//! a phase does not depend on the order in which the threads ran, and there the model is compared:
//! an object is alive if and only if a handle reaches it over links; what died was dropped once;
//! what lives has the one self that it always had, with its attribute; counts and custody are what
//! the handles say. Then handles are dealt anew. Links lead from older to younger objects, so that
//! nothing needs a collector.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, OnceLock};

use fastrand::Rng;
use pairbond_core::object::{Holder, Ref, Weak};
use pairbond_value::value::{Cell, List};

use crate::drops::{Counter, Drops};
use crate::fake::{Interpreter, PyRef};

const THREADS: usize = 4;
const MOST: usize = 48;

/// The object of the random operations.
pub struct Node {
    number: usize,
    link: Cell<Option<Ref<Node>>>,
    children: List<Node>,
    _drops: Drops,
}

crate::object!(Node, "testing.oracle.Node", [link, children]);

/// The expected state of each object that was ever made.
#[derive(Default)]
struct Known {
    drops: Counter,
    /// The wrapper's identity and attribute, once somebody saw it.
    id: OnceLock<usize>,
}

/// Handles of one thread.
#[derive(Default)]
struct Hand {
    native: Vec<Ref<Node>>,
    python: Vec<PyRef>,
    weak: Vec<(usize, Weak<Node>)>,
}

struct World {
    interpreter: &'static Interpreter,
    known: Mutex<Vec<std::sync::Arc<Known>>>,
    /// How often each operation did something.
    done: Mutex<BTreeMap<&'static str, usize>>,
    upgraded: AtomicUsize,
}

impl World {
    fn make_node(&self) -> Node {
        let mut known = self.known.lock().expect("no panic");
        let new = std::sync::Arc::new(Known::default());
        let node = Node {
            number: known.len(),
            link: Cell::default(),
            children: List::new(),
            _drops: new.drops.drop_probe(),
        };
        known.push(new);
        node
    }

    fn known_node(&self, number: usize) -> std::sync::Arc<Known> {
        self.known.lock().expect("no panic")[number].clone()
    }

    /// Every wrapper that anybody sees goes through here.
    fn record_wrapper(&self, wrapper: PyRef) -> PyRef {
        let number = wrapper_number(&wrapper);
        let id = *self.known_node(number).id.get_or_init(|| {
            wrapper.set_attribute(number as u64 + 1);
            wrapper.id()
        });
        assert_eq!(id, wrapper.id(), "object {number} has two selves");
        wrapper
    }
}

fn wrapper_number(wrapper: &PyRef) -> usize {
    wrapper.borrow().downcast::<Node>().expect("a node").get().number
}

fn pick_random<T>(rng: &mut Rng, from: &[T]) -> Option<usize> {
    (!from.is_empty()).then(|| rng.usize(..from.len()))
}

/// One operation of one thread; its name if it did something.
fn random_step(
    world: &World,
    me: usize,
    alone: bool,
    rng: &mut Rng,
    hand: &mut Hand,
) -> Option<&'static str> {
    let Hand { native, python, weak } = hand;
    let interpreter = world.interpreter;
    let mine = |node: &Node| node.number % THREADS == me;
    match rng.u32(..20) {
        0 if native.len() < MOST => {
            native.push(Ref::new(world.make_node()));
            Some("make")
        }
        1 if python.len() < MOST => {
            let made = PyRef::construct_object(interpreter, world.make_node()).expect("memory");
            python.push(world.record_wrapper(made));
            Some("construct")
        }
        2 if native.len() < MOST => {
            native.push(native[pick_random(rng, native)?].clone());
            Some("clone")
        }
        3 | 4 => {
            let i = pick_random(rng, native)?;
            drop(native.swap_remove(i));
            Some("drop")
        }
        5 => {
            let i = pick_random(rng, native)?;
            let _attached = interpreter.attach();
            drop(native.swap_remove(i));
            Some("drop attached")
        }
        6 | 7 if python.len() < MOST => {
            let object = &native[pick_random(rng, native)?];
            let attached = interpreter.attach();
            let wrapper =
                PyRef::fetch_wrapper(interpreter, object.as_borrow().erase(), &attached).expect("ours");
            python.push(world.record_wrapper(wrapper));
            Some("fetch")
        }
        8 if python.len() < MOST => {
            let i = pick_random(rng, native)?;
            let object = native.swap_remove(i).into_erased();
            let attached = interpreter.attach();
            python.push(
                world.record_wrapper(PyRef::give_object(interpreter, object, &attached).expect("ours")),
            );
            Some("give")
        }
        9 | 10 if native.len() < MOST => {
            let wrapper = &python[pick_random(rng, python)?];
            native.push(wrapper.borrow().downcast::<Node>().expect("a node").to_ref());
            Some("extract")
        }
        11 | 12 => {
            let i = pick_random(rng, python)?;
            drop(python.swap_remove(i));
            Some("let go")
        }
        13 if weak.len() < MOST => {
            let object = &native[pick_random(rng, native)?];
            weak.push((object.number, object.downgrade()));
            Some("downgrade")
        }
        14 if native.len() < MOST => {
            let (number, reference) = &weak[pick_random(rng, weak)?];
            let dead = world.known_node(*number).drops.get() > 0;
            match reference.upgrade() {
                Some(object) => {
                    assert!(!dead, "object {number} was woken from the dead");
                    assert_eq!(object.number, *number);
                    world.upgraded.fetch_add(1, Ordering::Relaxed);
                    native.push(object);
                    Some("upgrade")
                }
                None => {
                    // Others may have let it die this moment, but not when there are none.
                    assert!(
                        !alone || world.known_node(*number).drops.get() > 0,
                        "object {number} did not wake"
                    );
                    Some("upgrade of a dead one")
                }
            }
        }
        15 => {
            let i = pick_random(rng, weak)?;
            drop(weak.swap_remove(i));
            Some("drop weak")
        }
        16 => {
            let from = native[pick_random(rng, native)?].clone();
            let to = native[pick_random(rng, native)?].clone();
            if !mine(&from) || from.number >= to.number {
                return None;
            }
            from.link.set(Some(to));
            Some("link")
        }
        17 => {
            let from = native[pick_random(rng, native)?].clone();
            let to = native[pick_random(rng, native)?].clone();
            if !mine(&from) || from.number >= to.number {
                return None;
            }
            match from.children.len() {
                0..4 => from.children.push(to),
                n => drop(from.children.set(rng.usize(..n), to).expect("in range")),
            }
            Some("add a child")
        }
        18 => {
            let from = native[pick_random(rng, native)?].clone();
            if !mine(&from) {
                return None;
            }
            drop(from.link.take());
            drop(from.children.pop());
            Some("unlink")
        }
        19 if native.len() < MOST => {
            let wrapper = &python[pick_random(rng, python)?];
            let node = wrapper.borrow().downcast::<Node>().expect("a node");
            let next = if rng.bool() {
                node.link.get()
            } else {
                node.children.get(0)
            };
            native.push(next?);
            Some("follow")
        }
        _ => None,
    }
}

/// Compares with the model, with all threads waiting.
fn check_world(world: &World, hands: &[Hand]) {
    drop(world.interpreter.attach());
    let mut alive: BTreeMap<usize, Ref<Node>> = BTreeMap::new();
    let mut strong: BTreeMap<usize, usize> = BTreeMap::new();
    let mut wrapped: BTreeSet<usize> = BTreeSet::new();
    let mut todo: Vec<Ref<Node>> = Vec::new();
    let mut held_by_python = BTreeMap::new();
    for hand in hands {
        for object in &hand.native {
            *strong.entry(object.number).or_default() += 1;
            todo.push(object.clone());
        }
        for wrapper in &hand.python {
            let number = world
                .record_wrapper(wrapper.clone())
                .borrow()
                .downcast::<Node>()
                .expect("a node")
                .get()
                .number;
            assert_eq!(wrapper.attribute(), number as u64 + 1);
            *held_by_python.entry(number).or_insert(0) += 1;
        }
    }
    // Custody, before the model takes references of its own.
    for hand in hands {
        for wrapper in &hand.python {
            todo.push(wrapper.borrow().downcast::<Node>().expect("a node").to_ref());
        }
    }
    while let Some(object) = todo.pop() {
        if alive.contains_key(&object.number) {
            continue;
        }
        let edges: Vec<_> = object
            .link
            .get()
            .into_iter()
            .chain(object.children.to_vec())
            .collect();
        for to in &edges {
            assert!(to.number > object.number);
            *strong.entry(to.number).or_default() += 1;
        }
        todo.extend(edges);
        alive.insert(object.number, object);
    }
    drop(world.interpreter.attach());
    for (number, known) in world.known.lock().expect("no panic").iter().enumerate() {
        let Some(object) = alive.get(&number) else {
            assert_eq!(known.drops.get(), 1, "object {number} must be dead");
            continue;
        };
        assert_eq!(known.drops.get(), 0, "object {number} must be alive");
        let state = object.header().custody().state();
        let expected = strong.get(&number).copied().unwrap_or(0) + 1;
        assert_eq!(state.strong(), expected as u64, "object {number}: {state:?}");
        if known.id.get().is_some() {
            wrapped.insert(number);
            assert_eq!(state.holder(), Holder::Native);
        } else {
            assert_eq!(state.holder(), Holder::Unwrapped);
        }
    }
    assert_eq!(
        world.interpreter.wrapper_count(),
        wrapped.len(),
        "every self that was shown lives, and no other"
    );
    // Those that only Python holds go back to it with this.
    let only: Vec<_> = held_by_python
        .keys()
        .filter(|n| !strong.contains_key(n))
        .copied()
        .collect();
    drop(alive);
    drop(world.interpreter.attach());
    for hand in hands {
        for wrapper in &hand.python {
            if only.contains(&wrapper_number(wrapper)) {
                assert_eq!(
                    wrapper.borrow().header().custody().state().holder(),
                    Holder::Python
                );
            }
        }
    }
}

/// Runs `steps` operations from this generator. Returns how often each did something.
///
/// # Panics
/// When anything differs from the model.
pub fn run_random_steps(rng: &mut Rng, steps: usize) -> BTreeMap<&'static str, usize> {
    let world = World {
        interpreter: Interpreter::open_interpreter(),
        known: Mutex::default(),
        done: Mutex::default(),
        upgraded: AtomicUsize::new(0),
    };
    let mut hands: Vec<Hand> = (0..THREADS).map(|_| Hand::default()).collect();
    let per_phase = if cfg!(miri) { 20 } else { 250 };
    let mut taken = 0;
    let mut phase = 0_usize;
    while taken < steps {
        phase += 1;
        // Now and then one thread has everything for itself, so that what may not fail must not.
        let alone = phase.is_multiple_of(THREADS);
        if alone {
            let seed = rng.u64(..);
            run_thread(&world, 0, true, seed, per_phase, &mut hands[0]);
            taken += per_phase;
        } else {
            let start = Barrier::new(THREADS);
            std::thread::scope(|scope| {
                for (me, hand) in hands.iter_mut().enumerate() {
                    let (world, start, seed) = (&world, &start, rng.u64(..));
                    scope.spawn(move || {
                        start.wait();
                        run_thread(world, me, false, seed, per_phase, hand);
                    });
                }
            });
            taken += THREADS * per_phase;
        }
        check_world(&world, &hands);
        deal_handles(rng, &mut hands);
    }
    for hand in &mut hands {
        *hand = Hand::default();
    }
    check_world(&world, &hands);
    assert!(world.interpreter.close());
    assert_eq!(world.interpreter.leaked_count(), 0);
    world.done.into_inner().expect("no panic")
}

fn run_thread(world: &World, me: usize, alone: bool, seed: u64, steps: usize, hand: &mut Hand) {
    let mut rng = Rng::with_seed(seed);
    let mut done: BTreeMap<&'static str, usize> = BTreeMap::new();
    for _ in 0..steps {
        if let Some(name) = random_step(world, me, alone, &mut rng, hand) {
            *done.entry(name).or_default() += 1;
        }
    }
    let mut all = world.done.lock().expect("no panic");
    for (name, times) in done {
        *all.entry(name).or_default() += times;
    }
}

/// Deals all handles anew.
fn deal_handles(rng: &mut Rng, hands: &mut [Hand]) {
    let all: Vec<Hand> = hands.iter_mut().map(std::mem::take).collect();
    for hand in all {
        for object in hand.native {
            hands[rng.usize(..THREADS)].native.push(object);
        }
        for wrapper in hand.python {
            hands[rng.usize(..THREADS)].python.push(wrapper);
        }
        for reference in hand.weak {
            hands[rng.usize(..THREADS)].weak.push(reference);
        }
    }
}
