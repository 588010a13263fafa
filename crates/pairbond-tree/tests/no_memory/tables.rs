//! Lists and tables that grow with what programs do: places of children, deferred releases,
//! functions by name, reports, and containers that Rust fills.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::Deferred;
use pairbond_core::leaks::{Globals, Language, leaks_with};
use pairbond_core::object::{Header, Ref};
use pairbond_serial::{structural_equal, structural_hash};
use pairbond_testing::fake::Interpreter;
use pairbond_testing::random::seeded_rng;
use pairbond_tree::TreeNode;
use pairbond_value::value::{
    Any, Foreign, Function, List, Map, Set, Tuple, function_names, register_function, remove_function,
};

use crate::nodes::{Alive, Op, ops_of};
use crate::{lock_tests, new_link, with_refused_allocations, without_memory};

/// Whether `act` unwinds with a `MemoryError`.
fn raises_memory_error<R>(act: impl FnOnce() -> R) -> bool {
    // A message about what unwinds would need memory.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<Error>() {
                before(info);
            }
        }));
    });
    let (outcome, asked) = without_memory(|| catch_unwind(AssertUnwindSafe(act)));
    let is_memory = match outcome {
        Ok(_) => return false,
        Err(payload) => matches!(
            payload.downcast_ref::<Error>().map(Error::kind),
            Some(ErrorKind::Memory)
        ),
    };
    is_memory && asked > 0
}

#[test]
fn a_foreign_object_that_cannot_be_shared_stays() {
    let _alone = lock_tests();
    let interpreter = Interpreter::open_interpreter();
    let foreign: Foreign = interpreter.new_object();
    // The type of what clones share is registered before memory goes.
    drop(interpreter.new_object().clone());
    let mut all = Vec::with_capacity(1 << 20);
    // Until the list has to grow for the next object.
    without_memory(|| {
        while let Ok(made) = Ref::try_new(new_link(0, None)) {
            all.push(made);
        }
    });
    assert!(raises_memory_error(|| foreign.clone()));
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 1);
    assert!(foreign.is(&foreign.clone()));
    drop(foreign);
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
}

#[test]
fn children_have_their_places_whether_or_not_there_is_memory() {
    const COUNT: usize = 3000;
    let (_alone, alive) = (lock_tests(), Alive::default());
    let mut random = seeded_rng("places without memory");
    let block = alive.new_block();
    let mut model: Vec<Ref<Op>> = (0..COUNT as u32).map(|number| alive.new_op(number)).collect();
    model.iter().for_each(|op| ops_of(&block).push(op).unwrap());
    let mut aside: Vec<Ref<Op>> = Vec::with_capacity(COUNT);
    let mut refused = 0;
    for step in 0..3000 {
        let edits = if random.usize(..100) == 0 {
            700
        } else {
            random.usize(..3)
        };
        let places = [
            random.usize(..model.len()),
            random.usize(..model.len()),
            model.len() - 1,
        ];
        let mut act = || {
            for _ in 0..edits {
                let at = random.usize(..model.len());
                match aside.pop() {
                    Some(op) if random.bool() => {
                        ops_of(&block).insert_before(&model[at], &op).unwrap();
                        model.insert(at, op);
                    }
                    some => {
                        aside.extend(some);
                        if model.len() > COUNT / 2 {
                            let op = model.remove(at);
                            op.detach().unwrap();
                            aside.push(op);
                        }
                    }
                }
            }
            for place in places {
                let wanted = &model[place.min(model.len() - 1)];
                let place = ops_of(&block).index_of(wanted).unwrap();
                assert!(model[place].is(wanted));
                assert!(ops_of(&block).get(place).unwrap().is(wanted));
            }
        };
        // With memory; with none; with some for small pages only.
        match step % 3 {
            0 => act(),
            1 => refused += with_refused_allocations(0, act).1,
            _ => refused += with_refused_allocations(300, act).1,
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn deferred_releases_are_refused_and_taken() {
    let _alone = lock_tests();
    let queue = Deferred::new();
    let object = |number: usize| std::ptr::without_provenance_mut(number * 8);
    for number in 1..=1000 {
        assert_eq!(queue.push(object(number)), Some(number == 1));
    }
    let (pushed, asked) = with_refused_allocations(0, || queue.push(object(1001)));
    assert_eq!((pushed, asked), (None, 1));
    let (same, asked) = with_refused_allocations(0, || {
        let taken = queue.take_all();
        let len = taken.len();
        len == 1000 && taken.enumerate().all(|(at, it)| it == object(at + 1))
    });
    assert!(same && asked == 0 && queue.is_empty());
    assert_eq!(queue.push(object(1)), Some(true));
}

#[test]
fn functions_are_not_registered() {
    let _alone = lock_tests();
    let function = || Function::new("seven", |_| Ok(Any::Int(7)));
    let name = "no_memory.".repeat(100);
    let (made, first) = (function(), function());
    register_function("no_memory.first", first, false).unwrap();
    let (outcome, asked) = without_memory(|| register_function(&name, made, false));
    assert!(asked > 0);
    assert_eq!(*outcome.unwrap_err().kind(), ErrorKind::Memory);
    // The name is free, and the other one taken, as ever.
    let taken = register_function("no_memory.first", function(), false);
    assert_eq!(*taken.unwrap_err().kind(), ErrorKind::Value);
    register_function(&name, function(), false).unwrap();
    assert!(raises_memory_error(function_names));
    assert!(function_names().contains(&name));
    for name in [&name, "no_memory.first"] {
        assert!(remove_function(name).is_some());
    }
}

struct Silent;

impl Language for Silent {
    fn reference_count(&self, _: u16, _: *mut std::ffi::c_void) -> Option<usize> {
        None
    }
    fn for_each_object(&self, _: &mut dyn FnMut(&Header)) {}
}

#[test]
fn a_report_needs_memory() {
    let _alone = lock_tests();
    let kept: List<Any> = (0..300).map(|_| Any::from(List::<Any>::new())).collect();
    let globals = Globals::registered_now();
    let (found, asked) = without_memory(|| leaks_with(&Silent, &globals).map(drop));
    assert!(asked > 0);
    assert_eq!(*found.unwrap_err().kind(), ErrorKind::Memory);
    let found = leaks_with(&Silent, &globals).unwrap();
    assert!(found.iter().any(|leak| leak.count >= 300));
    drop(kept);
}

#[test]
fn containers_stay_as_they_were() {
    let _alone = lock_tests();
    let list: List<i64> = (0..1000).collect();
    let (set, map) = (Set::<i64>::new(), Map::<i64, i64>::new());
    for number in 0..1000 {
        assert!(set.insert(number));
        assert!(map.insert(number, number).is_none());
    }
    let grow = || loop {
        list.push(1);
    };
    assert!(raises_memory_error(grow));
    let len = list.len();
    assert!(len >= 1000 && list.get(len - 1) == Some(if len == 1000 { 999 } else { 1 }));
    assert!(raises_memory_error(|| list.clone().extend(0..100_000)));
    let inserted = with_refused_allocations(512, || {
        loop {
            if let Err(error) = list.insert(0, 5) {
                break error.kind().clone();
            }
        }
    });
    assert_eq!(inserted.0, ErrorKind::Memory);
    assert!(raises_memory_error(|| list.to_vec()));
    assert!(raises_memory_error(|| set.to_vec()));
    assert!(raises_memory_error(|| map.to_vec()));
    assert!(raises_memory_error(|| (0..1000).collect::<List<i64>>()));
    assert!(raises_memory_error(|| (0..1000).collect::<Tuple<i64>>()));
    assert_eq!(
        (list.len(), set.to_vec().len(), map.to_vec().len()),
        (len, 1000, 1000)
    );
    let any = Any::from(list.clone());
    let other = Any::from(list.to_vec().into_iter().collect::<List<i64>>());
    // Types are registered before memory goes.
    assert_eq!(structural_hash(&any).unwrap(), structural_hash(&other).unwrap());
    for outcome in [
        without_memory(|| pairbond_core::error::panics::catch_panic(|| structural_hash(&any).map(drop))),
        without_memory(|| {
            pairbond_core::error::panics::catch_panic(|| structural_equal(&any, &other).map(drop))
        }),
    ] {
        assert_eq!(*outcome.0.unwrap_err().kind(), ErrorKind::Memory);
    }
    assert!(structural_equal(&any, &other).unwrap());
}
