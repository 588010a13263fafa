//! Interpreters: tags, disarming, calls, identity of wrappers.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::{disarm_interpreter, frontend_of};
use pairbond_core::object::{Holder, Object, Ref, TagStatus};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::fake::{Interpreter, PyRef};
use pairbond_testing::object;
use pairbond_value::value::{Any, Foreign};

struct Thing(#[allow(dead_code)] Drops);
object!(Thing, "frontends.Thing", []);

fn fetch(interpreter: &'static Interpreter, object: &Ref<Thing>) -> PyRef {
    PyRef::fetch_wrapper(interpreter, object.as_borrow().erase(), &interpreter.attach()).unwrap()
}

#[test]
fn four_statuses_of_a_tag() {
    let (ours, theirs) = (Interpreter::open_interpreter(), Interpreter::open_interpreter());
    let object = Ref::new(Thing(Counter::new().drop_probe()));
    let custody = object.header().custody();
    assert_eq!(custody.tag_status(ours.tag(), true), TagStatus::Untagged);
    assert_eq!(custody.tag_status(ours.tag(), false), TagStatus::MaybeUntagged);
    let wrapper = fetch(ours, &object);
    assert_eq!(custody.tag_status(ours.tag(), false), TagStatus::Ours);
    assert_eq!(
        custody.tag_status(theirs.tag(), false),
        TagStatus::Theirs(ours.tag())
    );
    let refused = PyRef::fetch_wrapper(theirs, object.as_borrow().erase(), &theirs.attach())
        .map(drop)
        .unwrap_err();
    assert_eq!(*refused.kind(), ErrorKind::Interpreter);
    drop(wrapper);
}

#[test]
fn one_interpreter_wins_the_tag() {
    let interpreters = [Interpreter::open_interpreter(), Interpreter::open_interpreter()];
    let mut won = [0; 2];
    for _ in 0..if cfg!(miri) { 10 } else { 500 } {
        let object = Ref::new(Thing(Counter::new().drop_probe()));
        let start = std::sync::Barrier::new(2);
        let got: Vec<bool> = std::thread::scope(|scope| {
            let threads = interpreters.map(|i| {
                let (object, start) = (&object, &start);
                scope.spawn(move || {
                    start.wait();
                    PyRef::fetch_wrapper(i, object.as_borrow().erase(), &i.attach()).is_ok()
                })
            });
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(got.iter().filter(|g| **g).count(), 1, "exactly one");
        won[usize::from(got[1])] += 1;
        drop(object);
        interpreters.iter().for_each(|i| drop(i.attach()));
    }
    assert_eq!(interpreters.map(|i| i.wrapper_count()), [0, 0], "{won:?}");
}

#[test]
fn a_self_is_kept_over_drops_from_both_sides() {
    let interpreter = Interpreter::open_interpreter();
    let drops = Counter::new();
    let mut object = Ref::new(Thing(drops.drop_probe()));
    let id = {
        let wrapper = fetch(interpreter, &object);
        wrapper.set_attribute(17);
        wrapper.id()
    };
    for _ in 0..if cfg!(miri) { 3 } else { 1000 } {
        // Python lets go, native code holds.
        let wrapper = fetch(interpreter, &object);
        assert_eq!((wrapper.id(), wrapper.attribute()), (id, 17));
        // Native code lets go, Python holds.
        drop(object);
        drop(interpreter.attach());
        assert_eq!(
            wrapper.borrow().header().custody().state().holder(),
            Holder::Python
        );
        object = wrapper.borrow().downcast::<Thing>().unwrap().to_ref();
        assert_eq!(object.header().custody().state().holder(), Holder::Native);
        assert_eq!((interpreter.wrapper_count(), drops.get()), (1, 0));
    }
    drop(object);
    assert_eq!(drops.get(), 0, "not attached: the release waits");
    drop(interpreter.attach());
    assert_eq!((interpreter.wrapper_count(), drops.get()), (0, 1));
}

/// Threads fetch the first wrapper at once, and see one self.
#[test]
fn first_wrappers_race() {
    let interpreter = Interpreter::open_interpreter();
    for _ in 0..if cfg!(miri) { 3 } else { 200 } {
        let object = Ref::new(Thing(Counter::new().drop_probe()));
        let ids: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| fetch(interpreter, &object).id()))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]));
    }
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
}

#[test]
fn disarming_is_idempotent_and_leaves_nothing_that_calls() {
    let interpreter = Interpreter::open_interpreter();
    let tag = interpreter.tag();
    let drops = Counter::new();
    let kept = interpreter.new_object();
    let function = interpreter.new_function(|_| Ok(Any::Int(1)));
    let dropped_by_python = PyRef::construct_object(interpreter, Thing(drops.drop_probe())).unwrap();
    let weak = dropped_by_python
        .borrow()
        .downcast::<Thing>()
        .unwrap()
        .downgrade();
    assert_eq!(frontend_of(tag).name(), format!("fake interpreter {tag}"));
    assert!(!frontend_of(tag).is_disarmed());

    let stale = frontend_of(tag);
    assert!(interpreter.close());
    assert!(!interpreter.close() && !disarm_interpreter(tag), "once");
    assert!(frontend_of(tag).is_disarmed() && frontend_of(0).is_disarmed());
    let calls = interpreter.call_count();
    assert_eq!(
        *function.call(&[]).map(drop).unwrap_err().kind(),
        ErrorKind::Closed
    );
    assert!(weak.upgrade().is_none(), "alive, but out of reach");
    drop(kept);
    assert!(!frontend_of(tag).name().is_empty());
    assert_eq!(
        interpreter.call_count(),
        calls,
        "nothing reached the closed interpreter"
    );
    // Who fetched the table a moment before may still call it, and is told there.
    assert!(stale.enter().is_none());
    // The next one gets a tag of its own.
    assert_ne!(Interpreter::open_interpreter().tag(), tag);
    drop(dropped_by_python);
    assert_eq!(drops.get(), 1);
}

/// An interpreter is closed and disarmed while others drop, upgrade and call.
#[test]
fn disarming_is_race_free() {
    for _ in 0..if cfg!(miri) { 2 } else { 100 } {
        let interpreter = Interpreter::open_interpreter();
        let object = Ref::new(Thing(Counter::new().drop_probe()));
        drop(fetch(interpreter, &object));
        let function = interpreter.new_function(|_| Ok(Any::None));
        let foreign: Vec<Foreign> = (0..8).map(|_| interpreter.new_object()).collect();
        let disarmed: usize = std::thread::scope(|scope| {
            let function = &function;
            scope.spawn(move || drop((foreign, object.downgrade().upgrade(), object)));
            scope.spawn(move || {
                while function.call(&[]).is_ok() {
                    std::thread::yield_now();
                }
            });
            let closing: Vec<_> = (0..2)
                .map(|_| scope.spawn(|| usize::from(interpreter.close())))
                .collect();
            closing.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(disarmed, 1);
    }
}

#[test]
fn calls_go_out_and_errors_come_back() {
    let interpreter = Interpreter::open_interpreter();
    let sum = interpreter.new_function(|arguments| {
        let mut sum = 0;
        for argument in arguments {
            let Any::Int(n) = argument else {
                return Err(Error::type_error("an int, please").with_note("here"));
            };
            sum += n;
        }
        Ok(Any::Int(sum))
    });
    assert!(matches!(sum.call(&[Any::Int(2), Any::Int(3)]), Ok(Any::Int(5))));
    let error = sum.call(&[Any::None]).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (&ErrorKind::Type, "an int, please")
    );
    assert_eq!(error.notes(), ["here"]);
    assert_eq!(
        *interpreter.new_object().call(&[]).unwrap_err().kind(),
        ErrorKind::Type
    );
}

/// An object born in Python dies with its wrapper, with no native reference ever.
#[test]
fn born_in_python() {
    let interpreter = Interpreter::open_interpreter();
    let drops = Counter::new();
    let wrapper = PyRef::construct_object(interpreter, Thing(drops.drop_probe())).unwrap();
    assert_eq!(wrapper.borrow().header().custody().state().strong(), 1);
    let object = wrapper.borrow().downcast::<Thing>().unwrap().to_ref();
    drop(wrapper);
    assert_eq!((drops.get(), Ref::strong_count(&object)), (0, 1));
    {
        // The last native reference, given away: it goes over into Python's custody without a
        // count.
        let attached = interpreter.attach();
        let wrapper = PyRef::give_object(interpreter, object.into_erased(), &attached).unwrap();
        assert_eq!(
            wrapper.borrow().header().custody().state().holder(),
            Holder::Python
        );
    }
    assert_eq!(
        (
            drops.get(),
            interpreter.wrapper_count(),
            Thing::info().is_traced()
        ),
        (1, 0, false)
    );
}

/// The interpreter ends while native code holds the object: it goes on without a wrapper.
#[test]
fn severed_objects_go_on() {
    let interpreter = Interpreter::open_interpreter();
    let drops = Counter::new();
    let object = Ref::new(Thing(drops.drop_probe()));
    drop(fetch(interpreter, &object));
    assert_eq!(interpreter.wrapper_count(), 1);
    interpreter.sever_wrapper(object.as_borrow().erase(), &interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
    let custody = object.header().custody();
    assert_eq!(
        (custody.state().holder(), custody.pair().tag()),
        (Holder::Unwrapped, 0)
    );
    let next = Interpreter::open_interpreter();
    drop(fetch(next, &object));
    drop(object);
    drop(next.attach());
    assert_eq!((drops.get(), next.wrapper_count()), (1, 0));
}

/// The interpreter ends and leaves a dormant wrapper behind that it did not find: the last native
/// reference destroys the object all the same, unless something that was stopped for ever still has
/// the wrapper.
#[test]
fn what_an_interpreter_left_behind_is_destroyed() {
    for still_used in [false, true] {
        let interpreter = Interpreter::open_interpreter();
        let drops = Counter::new();
        let object = Ref::new(Thing(drops.drop_probe()));
        let wrapper = fetch(interpreter, &object);
        let stopped = still_used.then(|| wrapper.clone());
        drop(wrapper);
        assert!(interpreter.close());
        let weak = object.downgrade();
        drop(object);
        assert_eq!(drops.get(), usize::from(!still_used));
        assert!(weak.upgrade().is_none());
        drop(stopped);
    }
}
