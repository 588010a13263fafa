//! Weak references: every way to wake an object, and not to.

use std::sync::Mutex;

use pairbond_core::object::{Holder, Ref, Weak};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::fake::{Interpreter, PyRef};
use pairbond_testing::object;

struct Thing(u32, #[allow(dead_code)] Drops);
object!(Thing, "weak.Thing", []);

fn thing() -> (Ref<Thing>, Counter) {
    let drops = Counter::new();
    (Ref::new(Thing(3, drops.drop_probe())), drops)
}

#[test]
fn unwrapped() {
    let (object, drops) = thing();
    let weak = object.downgrade();
    let other = weak.clone();
    assert!(weak.is(&other));
    assert_eq!((object.strong_count(), object.weak_count()), (1, 2));
    let woken = weak.upgrade().unwrap();
    assert!(woken.is(&object));
    drop((woken, object));
    assert_eq!(drops.get(), 1);
    assert!(weak.upgrade().is_none() && other.upgrade().is_none());
}

#[test]
fn in_native_custody() {
    let interpreter = Interpreter::open_interpreter();
    let (object, drops) = thing();
    let weak = object.downgrade();
    drop(PyRef::fetch_wrapper(interpreter, object.as_borrow().erase(), &interpreter.attach()).unwrap());
    let calls = interpreter.call_count();
    assert_eq!(weak.upgrade().unwrap().0, 3);
    assert_eq!(interpreter.call_count(), calls, "the interpreter is not needed");
    drop(object);
    drop(interpreter.attach());
    assert!(weak.upgrade().is_none());
    assert_eq!((drops.get(), interpreter.wrapper_count()), (1, 0));
}

#[test]
fn in_python_custody_attached_or_not() {
    let interpreter = Interpreter::open_interpreter();
    let drops = Counter::new();
    let wrapper = PyRef::construct_object(interpreter, Thing(3, drops.drop_probe())).unwrap();
    let weak: Weak<Thing> = wrapper.borrow().downcast::<Thing>().unwrap().downgrade();
    for attached in [false, true] {
        let _attached = attached.then(|| interpreter.attach());
        let object = weak.upgrade().unwrap();
        assert_eq!(object.header().custody().state().holder(), Holder::Native);
        assert_eq!(
            interpreter.is_attached(),
            attached,
            "attached no longer than it takes"
        );
        drop(object);
    }
    drop(interpreter.attach());
    assert_eq!(
        wrapper.borrow().header().custody().state().holder(),
        Holder::Python
    );
    let object = weak.upgrade().unwrap();
    drop(wrapper);
    assert_eq!(drops.get(), 0);
    drop(object);
    drop(interpreter.attach());
    assert_eq!((drops.get(), interpreter.wrapper_count()), (1, 0));
    assert!(weak.upgrade().is_none());
}

#[test]
fn in_python_custody_of_a_closed_interpreter() {
    let interpreter = Interpreter::open_interpreter();
    let wrapper = PyRef::construct_object(interpreter, Thing(3, Counter::new().drop_probe())).unwrap();
    let weak = wrapper.borrow().downcast::<Thing>().unwrap().downgrade();
    assert!(interpreter.close());
    assert!(weak.upgrade().is_none());
    drop(wrapper);
}

/// All references to the object are dropped while others try to wake it; a thread that wakes it
/// keeps it.
#[test]
fn waking_races_with_leaving() {
    let interpreter = Interpreter::open_interpreter();
    let mut woken = [0; 2];
    for round in 0..if cfg!(miri) { 6 } else { 2000 } {
        let drops = Counter::new();
        let start = std::sync::Barrier::new(2);
        let (native, python) = if round % 2 == 0 {
            (Some(Ref::new(Thing(1, drops.drop_probe()))), None)
        } else {
            (
                None,
                Some(PyRef::construct_object(interpreter, Thing(1, drops.drop_probe())).unwrap()),
            )
        };
        let weak = match (&native, &python) {
            (Some(object), _) => object.downgrade(),
            (_, wrapper) => wrapper
                .as_ref()
                .unwrap()
                .borrow()
                .downcast::<Thing>()
                .unwrap()
                .downgrade(),
        };
        std::thread::scope(|scope| {
            let (start, weak, drops) = (&start, &weak, &drops);
            let waking = scope.spawn(move || {
                start.wait();
                let object = weak.upgrade();
                assert!(object.is_none() || drops.get() == 0);
                object.is_some()
            });
            start.wait();
            drop((native, python));
            woken[usize::from(waking.join().unwrap())] += 1;
        });
        drop(interpreter.attach());
        assert_eq!(drops.get(), 1);
        assert!(weak.upgrade().is_none());
    }
    assert_eq!(interpreter.wrapper_count(), 0);
    println!("too late, woken: {woken:?}");
}

/// Counting them would end the process; or wrap around, and free what somebody looks at.
#[test]
fn more_than_can_be_counted() {
    /// A reference that is never dropped is not lost, to a leak checker.
    static LEFT: Mutex<Vec<Weak<Thing>>> = Mutex::new(Vec::new());
    let many = if cfg!(miri) { 1 << 10 } else { 5 << 20 };
    let (object, drops) = thing();
    let weak = object.downgrade();
    for _ in 0..many {
        std::mem::forget(weak.clone());
    }
    assert_eq!(object.strong_count(), 1, "it did not run over");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let weak = weak.clone();
            std::thread::spawn(move || {
                let all: Vec<_> = (0..many / 8).map(|_| weak.clone()).collect();
                all.iter().step_by(many / 32).all(|it| it.upgrade().is_some())
            })
        })
        .collect();
    assert!(threads.into_iter().all(|it| it.join().unwrap()));
    let before = object.weak_count();
    (0..many).for_each(|_| drop(weak.clone()));
    assert!(
        object.weak_count() > before / 2 && before > 0,
        "nobody counts them down"
    );
    assert_eq!(object.strong_count(), 1);
    drop(object);
    assert_eq!(drops.get(), 1, "the value is destroyed as any other");
    assert!(weak.upgrade().is_none());
    LEFT.lock().unwrap().push(weak);
}
