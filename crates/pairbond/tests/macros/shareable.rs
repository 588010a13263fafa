//! Which types may be shown in several interpreters at once: decided by the field types, when a
//! type is registered.

use std::collections::HashMap;

use pairbond::prelude::*;
use pairbond_core::object::Object;
use pairbond_core::types::{TypeFlags, TypeInfo};

type Leaves = (Vec<Ref<Leaf>>, [i64; 2]);

#[pairbond::object("shareable.Graph")]
struct Graph {
    name: Str,
    next: Cell<Option<Ref<Graph>>>,
    back: Cell<Option<Weak<Graph>>>,
    all: List<Graph>,
    by_name: Cell<HashMap<String, Leaves>>,
    numbers: List<i64>,
}

#[pairbond::object("shareable.Leaf")]
struct Leaf {
    owner: Cell<Option<Weak<Graph>>>,
}

#[pairbond::object("shareable.Derived", extends = Leaf)]
struct Derived {
    leaf: Leaf,
    value: Cell<Any>,
}

macro_rules! object {
    ($($name:ident $key:literal $t:ty),*) => {$(
        #[pairbond::object($key)]
        struct $name {
            field: $t,
        }
    )*};
}

object! {
    OfAny "shareable.OfAny" Cell<Any>,
    OfFunction "shareable.OfFunction" Option<Function>,
    OfList "shareable.OfList" List<Any>,
    OfFunctions "shareable.OfFunctions" List<Function>,
    // By way of another type.
    OfOther "shareable.OfOther" Cell<Option<Ref<OfAny>>>,
    OfWeak "shareable.OfWeak" Cell<Option<Weak<OfList>>>,
    OfRoot "shareable.OfRoot" Cell<Option<Ref<pairbond::refs::Root>>>
}

fn shareable<T: Object>() -> bool {
    T::info().flags().contains(TypeFlags::SHAREABLE)
}

#[test]
fn types_that_lead_to_no_foreign_object() {
    assert!(shareable::<Graph>() && shareable::<Leaf>());
    assert!(
        Graph::info().is_traced(),
        "it owns references, and cycles of them are collected"
    );
}

#[test]
fn types_that_may_lead_to_one() {
    let all = [
        shareable::<Derived>(),
        shareable::<OfAny>(),
        shareable::<OfFunction>(),
        shareable::<OfList>(),
        shareable::<OfFunctions>(),
        shareable::<OfOther>(),
        shareable::<OfWeak>(),
        shareable::<OfRoot>(),
    ];
    assert_eq!(all, [false; 8]);
}

#[test]
fn lists_and_functions_say_it_for_themselves() {
    let list = |list: pairbond_core::object::ErasedRef| TypeInfo::is_shareable(list.header());
    assert!(list(List::<Graph>::new().into_erased()) && list(List::<Str>::new().into_erased()));
    assert!(!list(List::<Any>::new().into_erased()) && !list(List::<OfAny>::new().into_erased()));
    let native = Function::new("f", |_| Ok(Any::None));
    assert!(TypeInfo::is_shareable(native.native().unwrap().erase().header()));
}
