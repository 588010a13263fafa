//! Objects with a trailing array.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pairbond_core::object::{Items, Object, Ref, Root, WithItems};
use pairbond_core::trace::{Trace, Tracer};
use pairbond_core::types::TypeCell;
use pairbond_testing::drops::{Counter, Drops};

macro_rules! array {
    ($name:ident<$item:ty>, $key:expr) => {
        struct $name(usize, #[allow(dead_code)] Option<Drops>);

        // SAFETY: the cell is its own.
        unsafe impl Object for $name {
            const KEY: &'static str = $key;
            const THREAD_SAFE: bool = true;
            type Base = Root;
            fn items() -> Option<Items> {
                Some(Items::of::<Self>())
            }
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }

        // SAFETY: it owns no references.
        unsafe impl Trace for $name {
            const TRACED: bool = false;
            fn trace(&self, _: &mut Tracer<'_>) {}
        }

        // SAFETY: a plain number.
        unsafe impl WithItems for $name {
            type Item = $item;
            fn len(&self) -> usize {
                self.0
            }
        }
    };
}

array!(Counted<Drops>, "items.Counted");
array!(Numbers<u64>, "items.Numbers");

/// Who counts these objects in the whole process.
static COUNTING: Mutex<()> = Mutex::new(());

#[test]
fn items_live_and_die_with_their_object() {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let (values, items) = (Counter::new(), Counter::new());
    let object = Ref::new_with_items(
        Counted(5, Some(values.drop_probe())),
        (0..5).map(|_| items.drop_probe()),
    )
    .unwrap();
    assert_eq!(object.items().len(), 5);
    let (other, weak) = (object.clone(), object.downgrade());
    drop(object);
    assert_eq!((values.get(), items.get()), (0, 0));
    drop(other);
    // The memory stays for the weak reference, the items do not.
    assert_eq!((values.get(), items.get()), (1, 5));
    assert!(weak.upgrade().is_none());
    drop(weak);
    assert_eq!((values.get(), items.get()), (1, 5));
    assert_eq!(Counted::info().live_count(), 0);
}

#[test]
fn no_items_are_fine() {
    let object = Ref::new_with_items(Numbers(0, None), []).unwrap();
    assert!(object.items().is_empty());
    let object = Ref::new(Numbers(0, None));
    assert!(object.items().is_empty());
}

#[test]
fn an_object_without_the_items_that_its_value_promises_is_refused() {
    let refused = catch_unwind(|| drop(Ref::new(Numbers(3, None)))).unwrap_err();
    assert!(
        refused
            .downcast_ref::<String>()
            .unwrap()
            .contains("new_with_items")
    );
}

#[test]
fn a_value_that_disagrees_about_the_number_is_refused() {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let drops = Counter::new();
    let value = Counted(2, Some(drops.drop_probe()));
    let refused = catch_unwind(AssertUnwindSafe(|| {
        let _ = Ref::new_with_items(value, [drops.drop_probe()]);
    }));
    assert!(refused.is_err());
    assert_eq!(drops.get(), 2);
}

#[test]
fn an_iterator_that_panics_leaves_nothing_behind() {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let drops = Counter::new();
    let before = Counted::info().live_count();
    let value = Counted(10, Some(drops.drop_probe()));
    let items = (0..10).map(|n| {
        if n < 7 {
            drops.drop_probe()
        } else {
            panic!("the eighth")
        }
    });
    let panicked = catch_unwind(AssertUnwindSafe(|| drop(Ref::new_with_items(value, items))));
    assert_eq!(
        *panicked.unwrap_err().downcast_ref::<&str>().unwrap(),
        "the eighth"
    );
    assert_eq!(drops.get(), 8);
    assert_eq!(Counted::info().live_count(), before);
}

/// Promises ten, has three.
struct Liar(Vec<Drops>);

impl Iterator for Liar {
    type Item = Drops;
    fn next(&mut self) -> Option<Drops> {
        self.0.pop()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (10, Some(10))
    }
}

impl ExactSizeIterator for Liar {}

#[test]
fn an_iterator_that_lies_is_found_out() {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let drops = Counter::new();
    let liar = Liar((0..3).map(|_| drops.drop_probe()).collect());
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        drop(Ref::new_with_items(Counted(10, None), liar))
    }));
    assert!(panicked.is_err());
    assert_eq!(drops.get(), 3);
}

#[test]
fn more_than_memory_is_an_error() {
    struct Endless(usize);
    impl Iterator for Endless {
        type Item = u64;
        fn next(&mut self) -> Option<u64> {
            Some(1)
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.0, Some(self.0))
        }
    }
    impl ExactSizeIterator for Endless {}
    for len in [
        usize::MAX,
        usize::MAX / 8,
        isize::MAX as usize / 8,
        isize::MAX as usize / 8 - 8,
    ] {
        // The last one is a layout that the system's allocator refuses, which Miri takes for the
        // end of the world.
        if cfg!(miri) && len == isize::MAX as usize / 8 - 8 {
            continue;
        }
        let error = Ref::new_with_items(Numbers(len, None), Endless(len))
            .map(drop)
            .unwrap_err();
        assert_eq!(*error.kind(), pairbond_core::error::ErrorKind::Memory, "{len}");
    }
}

macro_rules! aligned {
    ($($align:literal $item:ident $array:ident,)*) => {
        #[test]
        fn items_are_aligned_up_to_a_page() {
            $({
                #[repr(align($align))]
                struct $item(u8);
                array!($array<$item>, concat!("items.", stringify!($array)));
                let object = Ref::new_with_items($array(3, None), [$item(1), $item(2), $item(3)]).unwrap();
                assert_eq!(object.items().as_ptr().addr() % $align, 0);
                assert_eq!(object.items().iter().map(|i| i.0).collect::<Vec<_>>(), [1, 2, 3]);
                assert_eq!(object.0, 3);
            })*
        }
    };
}

aligned! { 2 I2 A2, 8 I8 A8, 16 I16 A16, 64 I64 A64, 1024 I1024 A1024, 4096 I4096 A4096, }
