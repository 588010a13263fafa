//! The type registry.

use pairbond_core::abi::Layout;
use pairbond_core::object::{Object, Ref, Root};
use pairbond_core::runtime::{find_type, registered_types};
use pairbond_core::trace::{Trace, Tracer};
use pairbond_core::types::{FieldFlags, FieldInfo, TypeCell};
use pairbond_testing::object;

#[repr(C)]
struct Animal {
    legs: u32,
}
object!(Animal, "types.Animal", []);

#[repr(C)]
struct Bird {
    animal: Animal,
    wings: u32,
}
object!(Bird: Animal, "types.Bird", []);

#[repr(C)]
struct Owl {
    bird: Bird,
    nights: u64,
}
object!(Owl: Bird, "types.Owl", []);

struct Stone;
object!(Stone, "types.Stone", []);

fn owl() -> Ref<Owl> {
    Ref::new(Owl {
        bird: Bird {
            animal: Animal { legs: 2 },
            wings: 2,
        },
        nights: 7,
    })
}

#[test]
fn a_type_is_what_it_extends() {
    let object = owl();
    let header = object.header();
    assert!(header.is::<Owl>() && header.is::<Bird>() && header.is::<Animal>() && header.is::<Root>());
    assert!(!header.is::<Stone>());
    assert!(!Animal::info().is_a(Owl::info()) && !Stone::info().is_a(Animal::info()));
    let chain: Vec<_> = std::iter::successors(Some(Owl::info()), |i| i.base())
        .map(|i| i.name())
        .collect();
    assert_eq!(chain, ["Owl", "Bird", "Animal", "Object"]);

    let bird: Ref<Bird> = object.clone().upcast();
    assert_eq!((bird.animal.legs, bird.wings), (2, 2));
    let animal = bird.upcast();
    assert_eq!(animal.legs, 2);
    let root = animal.upcast();
    assert!(root.clone().downcast::<Stone>().is_err());
    let back = root.downcast::<Owl>().unwrap();
    assert!(back.is(&object));
    assert_eq!(back.nights, 7);
    assert_eq!(Ref::strong_count(&back), 2);
    drop((back, object));
    assert_eq!(Owl::info().live_count(), 0);

    let only_animal = Ref::new(Animal { legs: 4 });
    assert!(only_animal.downcast::<Bird>().is_err());
}

#[test]
fn types_are_found_by_key() {
    let info = Bird::info();
    assert!(std::ptr::eq(find_type("types.Bird").unwrap(), info));
    assert_eq!(
        (info.key(), info.module(), info.name()),
        ("types.Bird", "types", "Bird")
    );
    assert!(find_type("types.Nothing").is_none());
    let all = registered_types();
    let at = |key| all.iter().position(|i| i.key() == key).unwrap();
    assert!(at("pairbond.Object") < at("types.Animal") && at("types.Animal") < at("types.Bird"));
    assert_eq!(all[at("types.Bird")].index(), at("types.Bird"));
}

macro_rules! version {
    ($name:ident, $key:literal, $version:literal, $type:literal, $size:ty) => {
        struct $name(#[allow(dead_code)] $size);
        // SAFETY: the cell is its own.
        unsafe impl Object for $name {
            const KEY: &'static str = $key;
            const VERSION: u32 = $version;
            const THREAD_SAFE: bool = true;
            const FIELDS: &'static [FieldInfo] = &[FieldInfo {
                name: "field",
                doc: "",
                rust_type: $type,
                offset: 0,
                size: size_of::<$size>(),
                settable: false,
                trace: None,
                carry: None,
                default: None,
                flags: FieldFlags::NONE,
                layout: Some(<$size as Layout>::write_layout),
                dynamic: None,
            }];
            type Base = Root;
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }
        // SAFETY: it owns nothing.
        unsafe impl Trace for $name {
            const TRACED: bool = false;
            fn trace(&self, _: &mut Tracer<'_>) {}
        }
    };
}

version!(First, "types.Twice", 1, "u32", u32);
version!(Same, "types.Twice", 1, "u32", u32);
version!(Other, "types.Twice", 2, "u64", u64);

#[test]
fn one_key_one_layout() {
    let first = TypeCell::register::<First>().unwrap();
    // As from another binary that was built with the same version of the type.
    assert!(std::ptr::eq(TypeCell::register::<Same>().unwrap(), first));
    let error = TypeCell::register::<Other>().unwrap_err().to_string();
    for part in [
        "\"types.Twice\"",
        "version 1",
        "field: u32 at 0",
        "version 2",
        "field: u64 at 0",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(std::panic::catch_unwind(|| Ref::new(Other(1))).is_err());
    assert_eq!(Ref::new(First(3)).0, 3);
}

#[test]
fn threads_that_register_at_once_get_the_same_type() {
    struct Raced;
    object!(Raced, "types.Raced", []);
    let all: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| std::ptr::from_ref(Raced::info()).addr()))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(all.iter().all(|a| *a == all[0]));
    assert_eq!(
        registered_types()
            .iter()
            .filter(|i| i.key() == "types.Raced")
            .count(),
        1
    );
}
