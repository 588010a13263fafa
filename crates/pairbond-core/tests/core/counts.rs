//! How many objects there are, counted by each thread for itself.

use pairbond_core::memory::Count;
use pairbond_core::object::{Object, Ref};
use pairbond_core::stats::stats;
use pairbond_core::trace::collect;
use pairbond_testing::fake::{Interpreter, PyRef};
use pairbond_testing::object;
use pairbond_value::value::Cell;

fn count(objects: isize, wrappers: isize) -> Count {
    Count { objects, wrappers }
}

#[test]
fn made_on_one_thread_and_dropped_on_another() {
    struct Travels(#[allow(dead_code)] String);
    object!(Travels, "counts.Travels", []);
    const COUNT: usize = if cfg!(miri) { 20 } else { 1000 };
    let made: Vec<Ref<Travels>> =
        std::thread::spawn(|| (0..COUNT).map(|i| Ref::new(Travels(i.to_string()))).collect())
            .join()
            .unwrap();
    assert_eq!(
        Travels::info().object_count(),
        count(COUNT as isize, 0),
        "the thread has ended"
    );
    let (stay, go) = made.split_at(COUNT / 2);
    let go = go.to_vec();
    let stay = stay.to_vec();
    drop(made);
    std::thread::spawn(move || drop(go)).join().unwrap();
    assert_eq!(Travels::info().live_count(), COUNT as isize / 2);
    drop(stay);
    assert_eq!(Travels::info().live_count(), 0);
}

#[test]
fn while_thread_locals_are_destroyed() {
    struct Late(#[allow(dead_code)] u8);
    object!(Late, "counts.Late", []);
    thread_local!(static KEPT: std::cell::RefCell<Vec<Ref<Late>>> = const { std::cell::RefCell::new(Vec::new()) });
    static LEFT: std::sync::Mutex<Option<Ref<Late>>> = std::sync::Mutex::new(None);
    struct Makes;
    impl Drop for Makes {
        fn drop(&mut self) {
            drop(Ref::new(Late(1)));
            *LEFT.lock().unwrap() = Some(Ref::new(Late(2)));
        }
    }
    thread_local!(static MAKES: Makes = const { Makes });
    std::thread::spawn(|| {
        MAKES.with(|_| ());
        KEPT.with_borrow_mut(|kept| kept.extend((0..5).map(|i| Ref::new(Late(i)))));
        assert_eq!(Late::info().live_count(), 5);
    })
    .join()
    .unwrap();
    assert_eq!(Late::info().live_count(), 1, "the one that was left");
    drop(LEFT.lock().unwrap().take());
    assert_eq!(Late::info().live_count(), 0);
}

#[test]
fn a_type_more_than_a_thread_had_room_for() {
    struct Early(#[allow(dead_code)] u8);
    object!(Early, "counts.Early", []);
    let kept = [Ref::new(Early(1)), Ref::new(Early(2))];
    macro_rules! register {
        ($($n:literal)*) => {$({
            struct Other;
            object!(Other, concat!("counts.Other", $n), []);
            let one = Ref::new(Other);
            assert_eq!(Other::info().live_count(), 1);
            assert_eq!(Early::info().live_count(), 2, "what was counted before stays");
            drop(one);
            assert_eq!(Other::info().live_count(), 0);
        })*};
    }
    register!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68);
    drop(kept);
    assert_eq!(Early::info().live_count(), 0);
}

/// Wrappers come and go with their objects, before them, and are of none any more.
#[test]
fn wrappers() {
    struct Wrapped(#[allow(dead_code)] u8);
    object!(Wrapped, "counts.Wrapped", []);
    let now = || Wrapped::info().object_count();
    let interpreter = Interpreter::open_interpreter();
    let attached = interpreter.attach();
    let born = PyRef::construct_object(interpreter, Wrapped(1)).unwrap();
    let native = Ref::new(Wrapped(2));
    assert_eq!(now(), count(2, 1));
    let shown = PyRef::fetch_wrapper(interpreter, native.as_borrow().erase(), &attached).unwrap();
    let again = PyRef::fetch_wrapper(interpreter, native.as_borrow().erase(), &attached).unwrap();
    assert_eq!(now(), count(2, 2));
    drop((born, again));
    assert_eq!(now(), count(1, 1));
    drop(shown);
    assert_eq!(now(), count(1, 1), "dormant");
    interpreter.sever_wrapper(native.as_borrow().erase(), &attached);
    assert_eq!(now(), count(1, 0));
    let weak = native.downgrade();
    drop(native);
    assert_eq!(
        now(),
        count(0, 0),
        "a weak reference holds memory, which is no object"
    );
    drop(weak);
    assert_eq!(now(), count(0, 0));
}

struct Ring(Cell<Option<Ref<Ring>>>);
object!(Ring, "counts.Ring", [0]);

#[test]
fn collections_are_counted_with_what_they_found() {
    let before = stats();
    let ring = Ref::new(Ring(Cell::default()));
    ring.0.set(Some(ring.clone()));
    let of = |stats: &pairbond_core::stats::Stats| {
        stats
            .types
            .iter()
            .find(|of| std::ptr::eq(of.info, Ring::info()))
            .map_or(0, |of| of.objects)
    };
    assert_eq!(of(&stats()), 1);
    drop(ring);
    collect();
    let after = stats();
    assert!(after.collections > before.collections && after.collected > before.collected);
    assert_eq!(of(&after), 0);
}
