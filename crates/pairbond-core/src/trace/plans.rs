//! A plan shows the same references as the function, and takes the same locks: for any value, and
//! with any of its locks held.

#![allow(clippy::disallowed_types)]

use std::ffi::c_void;

use super::references::show_references;
use super::{Plan, Trace, Tracer, TracerTable};
use crate::any::RawAny;
use crate::cell::Cell;
use crate::object::{ErasedRef, Header, Object, Ref, Root};
use crate::sync::CellLock;
use crate::types::TypeCell;

macro_rules! object {
    ($name:ident, $key:expr, $($field:ident: $t:ty),*) => {
        #[allow(dead_code)]
        struct $name {
            before: u8,
            $($field: $t,)*
        }
        // SAFETY: the cell is its own.
        unsafe impl Object for $name {
            const KEY: &'static str = $key;
            const THREAD_SAFE: bool = true;
            type Base = Root;
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }
        // SAFETY: each field once.
        unsafe impl Trace for $name {
            const TRACED: bool = false $(|| <$t as Trace>::TRACED)*;
            const PLAN: Plan = Plan::NOTHING$(.combined_with(<$t as Trace>::PLAN.at_offset(std::mem::offset_of!($name, $field))))*;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                $(self.$field.trace(tracer);)*
            }
        }
    };
}

object!(Leaf, "plans.Leaf", number: u64);
object!(Planned, "plans.Planned",
    always: Ref<Leaf>, erased: Option<ErasedRef>, sometimes: Option<Ref<Leaf>>, number: f64, name: Option<String>,
    changes: Cell<Option<Ref<Leaf>>>, full: Cell<Ref<Leaf>>, counter: Cell<u32>);
object!(Listed, "plans.Listed", all: Vec<Ref<Leaf>>);
object!(Anything, "plans.Anything", any: RawAny);
object!(Crowded, "plans.Crowded",
    a: Ref<Leaf>, b: Ref<Leaf>, c: Ref<Leaf>, d: Ref<Leaf>, e: Ref<Leaf>, f: Ref<Leaf>, g: Ref<Leaf>);
object!(Both, "plans.Both", together: Cell<(Ref<Leaf>, Ref<Leaf>)>);
object!(Twice, "plans.Twice", inner: Cell<Cell<Ref<Leaf>>>);
object!(Doubtful, "plans.Doubtful", maybe: Option<Option<Ref<Leaf>>>);
object!(Far, "plans.Far", room: [u64; 10_000], at: Ref<Leaf>, behind: Cell<Option<Ref<Leaf>>>);

/// What a walk saw: references, and locks that it asked for.
#[derive(Default, Debug, PartialEq, Eq)]
struct Seen(Vec<*const Header>, Vec<*const CellLock>);

unsafe extern "C" fn on_edge(seen: *mut c_void, target: *const Header) {
    // SAFETY: the `Seen` below.
    unsafe { (*seen.cast::<Seen>()).0.push(target) }
}

unsafe extern "C" fn on_foreign(_: *mut c_void, _: u16, _: *mut c_void) {
    unreachable!("there is nothing foreign")
}

unsafe extern "C" fn on_lock(seen: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: the `Seen` below, and the lock of a living object.
    unsafe {
        (*seen.cast::<Seen>()).1.push(lock);
        (*lock).is_free()
    }
}

/// Both ways must show the same: that.
fn seen_both_ways<T: Object>(object: &Ref<T>) -> Seen {
    let (mut asked, mut planned) = (Seen::default(), Seen::default());
    let header = object.header();
    let table = |seen: *mut Seen| TracerTable {
        edge: on_edge,
        foreign: on_foreign,
        lock: on_lock,
        context: seen.cast(),
    };
    // SAFETY: a living object, and callbacks with their context.
    unsafe {
        header.info().trace_object(header, &table(&raw mut asked));
        let context = &raw mut planned;
        let by_plan = std::cell::Cell::new(0);
        show_references(
            header,
            &table(context),
            |l| {
                if l.is_retired() {
                    return false;
                }
                by_plan.set(by_plan.get() + 1);
                on_lock(context.cast(), l)
            },
            |target| {
                by_plan.set(by_plan.get() + 1);
                on_edge(context.cast(), target);
            },
        );
        let shown = (*context).0.len() + (*context).1.len();
        assert_eq!(by_plan.get() == shown, header.info().plan().is_known());
    }
    // In the order of the fields, which a plan keeps.
    assert_eq!(asked, planned);
    planned
}

fn new_leaf() -> Ref<Leaf> {
    Ref::new(Leaf { before: 0, number: 1 })
}

#[test]
fn a_plan_shows_what_the_function_shows() {
    assert!(Planned::PLAN.is_known());
    for bits in 0..16 {
        let on = |bit: u32| bits & 1 << bit != 0;
        let object = Ref::new(Planned {
            before: 0,
            always: new_leaf(),
            erased: on(0).then(|| new_leaf().into()),
            sometimes: on(1).then(new_leaf),
            number: 1.0,
            name: Some("name".into()),
            changes: Cell::new(on(2).then(new_leaf)),
            full: Cell::new(new_leaf()),
            counter: Cell::new(7),
        });
        let count = 2 + (0..3).filter(|bit| on(*bit)).count();
        let before = seen_both_ways(&object);
        assert_eq!((before.0.len(), before.1.len()), (count, 2));
        // Somebody has a lock.
        object.changes.with(|_| {
            let locked = seen_both_ways(&object);
            assert_eq!((locked.0.len(), locked.1.len()), (count - usize::from(on(2)), 2));
        });
        if on(3) {
            // There is no empty reference, so the lock is retired, and it is not taken.
            object.full.clear();
            let emptied = seen_both_ways(&object);
            assert_eq!((emptied.0.len(), emptied.1.len()), (count - 1, 1));
        }
    }
}

#[test]
fn what_a_plan_cannot_say_it_does_not_say() {
    for plan in [
        Listed::PLAN,
        Anything::PLAN,
        Crowded::PLAN,
        Both::PLAN,
        Twice::PLAN,
        Doubtful::PLAN,
        Far::PLAN,
    ] {
        assert!(!plan.is_known());
    }
    let (a, b) = (new_leaf(), new_leaf());
    let listed = Ref::new(Listed {
        before: 0,
        all: vec![a.clone(), b],
    });
    assert_eq!(seen_both_ways(&listed).0.len(), 2);
    let both = Ref::new(Both {
        before: 0,
        together: Cell::new((a.clone(), a)),
    });
    assert_eq!(seen_both_ways(&both).0.len(), 2);
}
