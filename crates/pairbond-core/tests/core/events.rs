//! Observers are called for every event, and without them nothing is paid.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pairbond_core::event::{Event, Kind, emit, muted, observe, observed};
use pairbond_core::frontend::{self, disarm_interpreter};
use pairbond_core::object::{Header, Object, Ref};
use pairbond_testing::fake::{Interpreter, PyRef};
use pairbond_testing::object;
use pairbond_value::value::Cell;

/// Observing is the process's: one test at a time has exclusive use.
static ONE: Mutex<()> = Mutex::new(());

type Seen = Arc<Mutex<Vec<Event>>>;

/// The observed events of objects of these types, by kind and address.
fn of(seen: &Seen, key: &str) -> Vec<(Kind, usize)> {
    let events = std::mem::take(&mut *seen.lock().unwrap());
    events
        .iter()
        .filter(|event| event.info.is_some_and(|info| info.key() == key))
        .map(|event| (event.kind, event.object))
        .collect()
}

fn watching() -> (Seen, pairbond_core::event::Observing) {
    let seen = Seen::default();
    let list = seen.clone();
    let observing = observe(move |event| list.lock().unwrap().push(*event));
    (seen, observing)
}

fn address(header: &Header) -> usize {
    std::ptr::from_ref(header).addr()
}

struct Plain(#[allow(dead_code)] u8);
object!(Plain, "events.Plain", []);
struct Link(Cell<Option<Ref<Link>>>);
object!(Link, "events.Link", [0]);

#[test]
fn made_and_freed() {
    let _one = ONE.lock();
    drop(Ref::new(Plain(0)));
    let (seen, observing) = watching();
    assert!(observed());
    let object = Ref::new(Plain(1));
    let at = address(object.header());
    assert_eq!(of(&seen, "events.Plain"), [(Kind::Made, at)]);
    let other = object.clone();
    drop(object);
    assert_eq!(of(&seen, "events.Plain"), []);
    std::thread::spawn(move || drop(other)).join().unwrap();
    assert_eq!(of(&seen, "events.Plain"), [(Kind::Freed, at)]);
    let (inner, outer) = (Ref::new(Link(Cell::new(None))), Ref::new(Link(Cell::new(None))));
    let (first, second) = (address(outer.header()), address(inner.header()));
    outer.0.set(Some(inner));
    of(&seen, "events.Link");
    drop(outer);
    assert_eq!(
        of(&seen, "events.Link"),
        [(Kind::Freed, first), (Kind::Freed, second)]
    );
    drop(observing);
    drop(Ref::new(Plain(2)));
    assert_eq!(of(&seen, "events.Plain"), []);
}

#[test]
fn of_types_that_come_later() {
    let _one = ONE.lock();
    struct Later;
    object!(Later, "events.Later", []);
    let (seen, observing) = watching();
    drop(Ref::new(Later));
    assert_eq!(of(&seen, "events.Later").len(), 2);
    drop(observing);
    assert!(!observed() && !Later::info().is_observed());
}

#[test]
fn what_an_observer_does_is_not_observed() {
    let _one = ONE.lock();
    let seen = Seen::default();
    let list = seen.clone();
    let observing = observe(move |event| {
        drop(Ref::new(Plain(7)));
        list.lock().unwrap().push(*event);
    });
    drop(Ref::new(Plain(1)));
    muted(|| drop(Ref::new(Plain(2))));
    assert_eq!(of(&seen, "events.Plain").len(), 2);
    drop(observing);
}

#[test]
fn a_panic_in_an_observer_is_its_own() {
    let _one = ONE.lock();
    let panics = observe(|event| assert!(event.kind != Kind::Device, "told of a device"));
    let (seen, observing) = watching();
    emit(3, 1, 0, 0);
    assert!(
        seen.lock()
            .unwrap()
            .iter()
            .any(|event| event.kind == Kind::Device && event.device_kind == 3)
    );
    drop((panics, observing));
}

/// An observer is dropped when it is told nothing any more, and may then observe no more.
#[test]
fn observers_come_and_go_on_many_threads() {
    let _one = ONE.lock();
    let counted = Arc::new(());
    let rounds = if cfg!(miri) { 5 } else { 200 };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let kept = counted.clone();
                    let observing = observe(move |_| drop(kept.clone()));
                    drop(Ref::new(Plain(1)));
                    drop(observing);
                }
            });
        }
    });
    // A thread of another test may still be telling one of them something.
    let end = Instant::now() + Duration::from_secs(30);
    while Arc::strong_count(&counted) > 1 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(Arc::strong_count(&counted), 1);
    assert!(!observed());
}

#[test]
fn a_frontend_is_told_of_custody() {
    let _one = ONE.lock();
    let interpreter = Interpreter::open_interpreter();
    let tag = interpreter.tag();
    frontend::observe_events(tag, true);
    let kinds = |key: &str| -> Vec<(Kind, u16)> {
        let events = interpreter.take_events();
        let mine = events
            .iter()
            .filter(|e| e.info.is_some_and(|info| info.key() == key));
        mine.map(|e| (e.kind, e.interpreter)).collect()
    };
    let object = Ref::new(Link(Cell::new(None)));
    let attached = interpreter.attach();
    let wrapper = PyRef::fetch_wrapper(interpreter, object.as_borrow().erase(), &attached).unwrap();
    assert_eq!(kinds("events.Link"), [(Kind::Made, 0), (Kind::Tied, tag)]);
    drop(object);
    assert_eq!(kinds("events.Link"), [(Kind::HandedOver, tag)]);
    drop(wrapper);
    assert_eq!(kinds("events.Link"), [(Kind::Freed, 0)]);
    let object = Ref::new(Link(Cell::new(None)));
    drop(PyRef::fetch_wrapper(interpreter, object.as_borrow().erase(), &attached).unwrap());
    interpreter.sever_wrapper(object.as_borrow().erase(), &attached);
    drop((object, attached));
    let expected = [
        (Kind::Made, 0),
        (Kind::Tied, tag),
        (Kind::Severed, tag),
        (Kind::Freed, 0),
    ];
    assert_eq!(kinds("events.Link"), expected);
    assert!(interpreter.close());
    assert!(!observed(), "an ended interpreter observes nothing");
}

#[test]
fn interpreters_begin_and_end() {
    let _one = ONE.lock();
    let (seen, observing) = watching();
    let interpreter = Interpreter::open_interpreter();
    let tag = interpreter.tag();
    interpreter.close();
    assert!(!disarm_interpreter(tag), "once");
    let events: Vec<_> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|e| (e.kind, e.interpreter))
        .collect();
    assert!(events.contains(&(Kind::Opened, tag)));
    assert_eq!(events.iter().filter(|e| **e == (Kind::Disarmed, tag)).count(), 1);
    drop(observing);
}
