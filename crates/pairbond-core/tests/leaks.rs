//! Living objects are reported with their holders.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

use std::ffi::c_void;
use std::sync::Mutex;

use pairbond_core::leaks::{Globals, Language, Leak, Root, leaks_with};
use pairbond_core::object::{Header, Ref};
use pairbond_testing::object;
use pairbond_value::value::{Any, Cell, Function, register_function, remove_function};

/// A report sees the whole process.
static ONE: Mutex<()> = Mutex::new(());

/// A language that has no wrappers and knows some leaves.
struct Knows<'a>(&'a [&'a Header]);

impl Language for Knows<'_> {
    fn reference_count(&self, _: u16, _: *mut c_void) -> Option<usize> {
        None
    }
    fn for_each_object(&self, each: &mut dyn FnMut(&Header)) {
        self.0.iter().for_each(|object| each(object));
    }
}

fn of(known: &[&Header], part: &str) -> Vec<String> {
    let mine = |leak: &&Leak| leak.key.starts_with(&format!("leaks.{part}"));
    leaks_with(&Knows(known), &Globals::registered_now())
        .unwrap()
        .iter()
        .filter(mine)
        .map(Leak::to_string)
        .collect()
}

#[test]
fn native_references_from_outside() {
    let _one = ONE.lock();
    struct Outside(Cell<Option<Ref<Outside>>>);
    object!(Outside, "leaks.Outside", [0]);
    assert_eq!(of(&[], "Outside"), [""; 0]);
    let one = Ref::new(Outside(Cell::new(None)));
    assert_eq!(
        of(&[], "Outside"),
        ["1 × leaks.Outside: held by 1 native reference from outside"]
    );
    let again = one.clone();
    let inner = Ref::new(Outside(Cell::new(None)));
    one.0.set(Some(inner.clone()));
    assert_eq!(
        of(&[], "Outside"),
        [
            "1 × leaks.Outside: held by 1 native reference from outside",
            "1 × leaks.Outside: held by 2 native references from outside"
        ]
    );
    drop(inner);
    assert_eq!(
        of(&[], "Outside"),
        [
            "1 × leaks.Outside: held by 2 native references from outside",
            "1 × leaks.Outside: held by 2 native references from outside through leaks.Outside → leaks.Outside"
        ]
    );
    drop((one, again));
    assert_eq!(of(&[], "Outside"), [""; 0]);
}

#[test]
fn a_chain_is_one_line() {
    let _one = ONE.lock();
    struct Chain(#[allow(dead_code)] Option<Ref<Chain>>);
    object!(Chain, "leaks.Chain", [0]);
    let mut first = None;
    for _ in 0..50 {
        first = Some(Ref::new(Chain(first.take())));
    }
    assert_eq!(
        of(&[], "Chain"),
        [
            "48 × leaks.Chain: held by 1 native reference from outside through leaks.Chain… → leaks.Chain",
            "1 × leaks.Chain: held by 1 native reference from outside",
            "1 × leaks.Chain: held by 1 native reference from outside through leaks.Chain → leaks.Chain",
        ]
    );
}

#[test]
fn cycles() {
    let _one = ONE.lock();
    struct Ring(Cell<Option<Ref<Ring>>>);
    object!(Ring, "leaks.Ring", [0]);
    let one = Ref::new(Ring(Cell::new(None)));
    one.0.set(Some(one.clone()));
    let weak = one.downgrade();
    drop(one);
    assert_eq!(
        of(&[], "Ring"),
        ["1 × leaks.Ring: held by a cycle that was not collected"]
    );
    let alive = weak.upgrade().expect("a report collects nothing");
    alive.0.set(None);
    drop(alive);
    assert_eq!(of(&[], "Ring"), [""; 0]);
    assert!(weak.upgrade().is_none());
}

#[test]
fn what_shows_no_references_is_counted() {
    let _one = ONE.lock();
    struct Leaf(#[allow(dead_code)] u8);
    object!(Leaf, "leaks.Leaf", []);
    struct Owner {
        _leaf: Ref<Leaf>,
    }
    object!(Owner, "leaks.Leafowner", [_leaf]);
    let seen = Ref::new(Leaf(1));
    let owner = Ref::new(Owner {
        _leaf: Ref::new(Leaf(2)),
    });
    assert_eq!(
        of(&[], "Leaf"),
        [
            "1 × leaks.Leaf: held by references that no object shows",
            "1 × leaks.Leafowner: held by 1 native reference from outside",
            "1 × leaks.Leaf: held by 1 native reference from outside through leaks.Leafowner → leaks.Leaf",
        ]
    );
    assert!(
        of(&[seen.header()], "Leaf")
            .contains(&"1 × leaks.Leaf: held by 1 native reference from outside".into())
    );
    drop((seen, owner));
    assert_eq!(of(&[], "Leaf"), [""; 0]);
}

#[test]
fn what_global_functions_hold() {
    let _one = ONE.lock();
    struct Default(#[allow(dead_code)] Cell<u8>);
    object!(Default, "leaks.Default", []);
    let held = Any::Object(Ref::new(Default(Cell::new(1))).into_erased());
    let function = Function::build("leaky")
        .default("value", held)
        .from(|_: Any| 1_i64);
    register_function("leaks.one", function.clone(), false).unwrap();
    let path = "held by 1 native reference from outside through pairbond.Function → leaks.Default";
    assert_eq!(of(&[], "Default"), [format!("1 × leaks.Default: {path}")]);
    drop(function);
    assert_eq!(
        of(&[], "Default"),
        ["1 × leaks.Default: held by the global function \"leaks.one\""]
    );
    let all = leaks_with(&Knows(&[]), &Globals::registered_now()).unwrap();
    assert!(
        all.iter().all(|leak| leak.key != "pairbond.Function"),
        "it is where it belongs"
    );
    drop(remove_function("leaks.one"));
    assert_eq!(of(&[], "Default"), [""; 0]);
}

#[test]
fn in_words() {
    let words = |root: Root| root.to_string();
    assert_eq!(
        words(Root::Wrapper { references: Some(1) }),
        "a Python wrapper with 1 reference"
    );
    assert_eq!(
        words(Root::Wrapper { references: Some(2) }),
        "a Python wrapper with 2 references"
    );
    assert_eq!(
        words(Root::Wrapper { references: None }),
        "a wrapper of another interpreter"
    );
    assert_eq!(words(Root::Function("f".into())), "the global function \"f\"");
}
