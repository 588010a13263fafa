//! Changing an object in place, and taking its value out.

use pairbond_core::object::{Custody, Extracted, Holder, Object, Pair, Ref, Released, Root, Taken};
use pairbond_core::trace::{Trace, Tracer};
use pairbond_core::types::TypeCell;
use pairbond_testing::fake::{Interpreter, PyRef};
use pairbond_value::value::Cell;

#[derive(Clone)]
struct Tree {
    number: i64,
    next: Cell2,
}

/// A cell that can be copied.
struct Cell2(Cell<Option<Ref<Tree>>>);

impl Clone for Cell2 {
    fn clone(&self) -> Self {
        Cell2(Cell::new(self.0.get()))
    }
}

// SAFETY: the cell is its own; no base.
unsafe impl Object for Tree {
    const KEY: &'static str = "unique.Tree";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: the one reference is shown once.
unsafe impl Trace for Tree {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.next.0.trace(tracer);
    }
    fn clear(&self) {
        self.next.0.clear();
    }
}

fn tree(number: i64) -> Ref<Tree> {
    Ref::new(Tree {
        number,
        next: Cell2(Cell::new(None)),
    })
}

#[test]
fn an_object_parts_from_a_wrapper_that_is_alone_with_it() {
    let pair = Pair::new(3, std::ptr::without_provenance_mut(0x1000));
    let custody = Custody::new_wrapped(pair);
    custody.downgrade();
    assert!(!custody.part_from_wrapper(), "somebody may upgrade");
    assert!(!custody.release_weak());
    assert!(custody.part_from_wrapper());
    let state = custody.state();
    assert_eq!((state.holder(), state.strong()), (Holder::Unwrapped, 1));
    assert_eq!(custody.pair(), Pair::tagged(3));
    assert!(!custody.part_from_wrapper(), "it has no wrapper");
    assert_eq!(custody.release(), Released::Destroy);

    let custody = Custody::new_wrapped(pair);
    assert!(matches!(custody.extract_native(), Extracted::RetainFirst(_)));
    assert_eq!(custody.take_custody(), Taken::Took);
    assert!(!custody.part_from_wrapper(), "native code refers to it");
}

#[test]
fn who_is_alone_changes_in_place() {
    let mut one = tree(1);
    let address = std::ptr::from_ref(&*one);
    one.get_mut().unwrap().number = 2;
    one.make_mut().number += 1;
    assert_eq!((one.number, std::ptr::from_ref(&*one)), (3, address));
    assert_eq!(one.try_unwrap().ok().unwrap().number, 3);
}

#[test]
fn who_is_not_alone_changes_a_copy() {
    let mut one = tree(1);
    let other = one.clone();
    assert!(one.get_mut().is_none());
    one.make_mut().number = 5;
    assert_eq!((one.number, other.number), (5, 1));
    assert!(!one.is(&other));
    assert!(one.get_mut().is_some(), "alone now");
    let weak = other.downgrade();
    let Err(mut other) = other.try_unwrap() else {
        panic!("there is a weak reference")
    };
    assert!(other.get_mut().is_none());
    drop(weak);
    assert!(other.get_mut().is_some());
}

#[derive(Clone)]
#[repr(C)]
struct Oak {
    tree: Tree,
    acorns: i64,
}

pairbond_testing::object!(Oak: Tree, "unique.Oak", [tree]);

#[test]
fn a_base_of_what_others_refer_to_is_not_cut_off() {
    let oak = Ref::new(Oak {
        tree: Tree {
            number: 1,
            next: Cell2(Cell::new(None)),
        },
        acorns: 7,
    });
    let mut base: Ref<Tree> = oak.clone().upcast();
    let error = base.try_make_mut().err().unwrap().to_string();
    assert!(
        error.contains("unique.Oak") && error.contains("copied as a unique.Tree"),
        "{error}"
    );
    assert!(base.is(&oak.clone().upcast()), "it is still the same object");
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| base.make_mut().number = 3));
    assert!(panic.is_err());
    // The copy of a whole oak is an oak.
    let mut whole = oak.clone();
    whole.make_mut().tree.number = 5;
    assert_eq!((whole.acorns, whole.tree.number, oak.tree.number), (7, 5, 1));
    // Alone it is changed in place, and keeps its identity.
    drop(oak);
    base.make_mut().number = 9;
    let oak = base.downcast::<Oak>().ok().unwrap();
    assert_eq!((oak.tree.number, oak.acorns), (9, 7));
}

#[test]
fn who_has_a_self_elsewhere_is_not_alone() {
    let interpreter = Interpreter::open_interpreter();
    let mut one = tree(1);
    let wrapper = {
        let attached = interpreter.attach();
        PyRef::fetch_wrapper(interpreter, one.as_borrow().erase(), &attached).unwrap()
    };
    assert!(one.get_mut().is_none());
    one.make_mut().number = 2;
    let attached = interpreter.attach();
    drop(wrapper);
    drop(attached);
    assert_eq!(one.number, 2);
}

#[test]
fn what_was_changed_in_place_is_collected_afterwards() {
    let mut one = tree(1);
    one.get_mut().unwrap().number = 2;
    let other = one.clone();
    let weak = one.downgrade();
    one.next.0.set(Some(other));
    drop(one);
    pairbond_core::trace::collect();
    assert!(weak.upgrade().is_none(), "the cycle is listed again");
}

#[test]
fn collections_and_changes_at_the_same_time() {
    let rounds = if cfg!(miri) { 5 } else { 2_000 };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..rounds / 5 {
                pairbond_core::trace::collect();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                for number in 0..rounds {
                    let mut one = tree(0);
                    if let Some(mut unique) = one.get_mut() {
                        unique.number = number;
                    }
                    one.make_mut().next = Cell2(Cell::new(Some(tree(number))));
                    let value = one.try_unwrap().unwrap_or_else(|shared| (*shared).clone());
                    assert!(value.next.0.get().is_some_and(|next| next.number == number));
                }
            });
        }
    });
}
