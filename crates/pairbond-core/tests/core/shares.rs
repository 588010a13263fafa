//! References that are counted many at a time.

use pairbond_core::object::{Object, Ref, Root, Shares};
use pairbond_core::trace::{Trace, Tracer};
use pairbond_core::types::TypeCell;
use pairbond_value::value::{Cell, Str};

/// Something that a collector looks at.
struct Thing(Cell<Option<Ref<Thing>>>);

// SAFETY: the cell is its own; no base.
unsafe impl Object for Thing {
    const KEY: &'static str = "shares.Thing";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: the one reference is shown once.
unsafe impl Trace for Thing {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
    fn clear(&self) {
        self.0.clear();
    }
}

fn thing() -> Ref<Thing> {
    Ref::new(Thing(Cell::new(None)))
}

#[test]
fn what_was_not_handed_out_is_given_back() {
    let object = thing();
    for count in [0, 1, 2, 3, 255, 256, 257, 600] {
        let mut shares = Shares::new();
        let copies: Vec<_> = (0..count).map(|_| shares.clone_counted(&object)).collect();
        assert!(copies.iter().all(|it| it.is(&object)));
        assert!(object.strong_count() > count, "as many as there are, or more");
        drop(shares);
        assert_eq!(object.strong_count(), 1 + count);
        drop(copies);
        assert_eq!(object.strong_count(), 1);
    }
}

#[test]
fn objects_that_take_turns() {
    let objects = [thing(), thing(), thing()];
    for order in [
        [0, 1, 2, 0, 1, 2],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 1],
        [0, 1, 1, 2, 2, 2],
    ] {
        let mut shares = Shares::new();
        let copies: Vec<_> = order
            .iter()
            .map(|which| shares.clone_counted(&objects[*which]))
            .collect();
        drop(shares);
        for (which, object) in objects.iter().enumerate() {
            let count = order.iter().filter(|it| **it == which).count();
            assert_eq!(object.strong_count(), 1 + count, "{order:?}");
        }
        assert!(
            copies
                .iter()
                .zip(order)
                .all(|(copy, which)| copy.is(&objects[which]))
        );
    }
}

#[test]
fn nothing_dies_before_the_end() {
    let first = thing();
    let weak = first.downgrade();
    let mut shares = Shares::new();
    drop((shares.clone_counted(&first), shares.clone_counted(&first), first));
    let second = thing();
    let _copies = [shares.clone_counted(&second), shares.clone_counted(&second)];
    assert!(
        weak.upgrade().is_some(),
        "it was not the last reference that went"
    );
    drop(shares);
    assert!(weak.upgrade().is_none());
}

#[test]
fn strings_short_and_long() {
    for text in ["", "short", "a string that needs memory"] {
        let text = Str::from(text);
        let mut shares = Shares::new();
        let copies: Vec<Str> = (0..300).map(|_| shares.clone_counted(&text)).collect();
        drop((shares, text.clone()));
        assert!(copies.iter().all(|it| *it == text));
    }
}

#[test]
fn while_others_count() {
    let object = thing();
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let mut shares = Shares::new();
                    let all = [(); 5].map(|()| shares.clone_counted(&object));
                    drop((all, object.clone(), shares));
                }
            });
        }
    });
    assert_eq!(object.strong_count(), 1);
}
