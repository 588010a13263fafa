//! Types that are made at run time.

use pairbond_core::object::{ErasedRef, Object, Ref};
use pairbond_core::runtime::find_type;
use pairbond_core::trace::collect;
use pairbond_dynamic::{Builder, DynamicFields, FieldDescription, FieldKind, Later, MakeObject, Storage};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::object;
use pairbond_value::value::{Any, BigInt, List, Map, Str};

fn list(kind: FieldKind) -> FieldKind {
    FieldKind::List(Box::new(kind))
}

fn optional(kind: FieldKind) -> FieldKind {
    FieldKind::Union(vec![kind, FieldKind::None])
}

fn own(name: &str) -> FieldKind {
    FieldKind::Later(Later::own_type(name.into()))
}

#[test]
fn objects_are_made_read_and_changed_by_name() {
    let info = Builder::new("dynamic.Circle")
        .field("radius", FieldKind::Float)
        .field("shown", FieldKind::Bool)
        .field("name", FieldKind::Str)
        .field("count", FieldKind::Int)
        .field("tags", list(FieldKind::Str))
        .register()
        .unwrap();
    assert!(std::ptr::eq(find_type("dynamic.Circle").unwrap(), info));
    let tags: List<Str> = ["a"].into_iter().map(Str::from).collect();
    let circle = info
        .make_object(&[
            ("radius", 2.into()),
            ("shown", true.into()),
            ("name", "unit".into()),
            ("count", 1.into()),
            ("tags", tags.clone().into()),
        ])
        .unwrap();
    let circle = circle.as_borrow();
    assert_eq!(circle.field("radius").unwrap().as_f64(), Some(2.0));
    assert!(circle.field("shown").unwrap().to::<bool>().unwrap());
    assert_eq!(circle.field("name").unwrap().to::<String>().unwrap(), "unit");
    assert!(circle.field("tags").unwrap().to::<List<Str>>().unwrap().is(&tags));

    circle.set_field("radius", f64::NAN.into()).unwrap();
    assert!(circle.field("radius").unwrap().as_f64().unwrap().is_nan());
    circle
        .set_field("radius", f64::from_bits(0x7ff4_7061_6972_626f).into())
        .unwrap();
    assert!(circle.field("radius").unwrap().as_f64().unwrap().is_nan());
    circle.set_field("count", Any::from(1_u128 << 100)).unwrap();
    assert_eq!(
        circle.field("count").unwrap().to::<BigInt>().unwrap(),
        BigInt::from(1_i128 << 100)
    );
    circle.set_field("name", "other".into()).unwrap();

    for (name, value, message) in [
        (
            "radius",
            Any::from("x"),
            "dynamic.Circle.radius: expected float, got str",
        ),
        ("shown", 1.into(), "dynamic.Circle.shown: expected bool, got int"),
        ("name", Any::None, "dynamic.Circle.name: expected str, got None"),
        (
            "tags",
            List::<i64>::new().into(),
            "dynamic.Circle.tags: expected list[str], got pairbond.List",
        ),
    ] {
        assert_eq!(circle.set_field(name, value).unwrap_err().to_string(), message);
    }
    assert!(circle.field("nothing").is_err() && circle.set_field("nothing", 1.into()).is_err());

    let fields: Vec<_> = info
        .fields()
        .iter()
        .map(|f| (f.name, f.rust_type, f.offset))
        .collect();
    assert_eq!(
        fields,
        [
            ("radius", "f64", 0),
            ("shown", "bool", 8),
            ("name", "Str", 16),
            ("count", "BigInt", 40),
            ("tags", "List<Str>", 64)
        ]
    );
    assert_eq!(info.table().unwrap().fields()[0].storage(), Storage::Float);
    assert_eq!(
        info.members().unwrap().attribute("name").unwrap().rust_type,
        "Str"
    );
}

#[test]
fn what_is_missing_or_wrong_leaves_nothing_behind() {
    let info = Builder::new("dynamic.Strict")
        .field("first", FieldKind::Any)
        .field("second", FieldKind::Float)
        .described(FieldDescription {
            name: "third".into(),
            doc: "The third.".into(),
            kind: FieldKind::Int,
            settable: false,
            default: Some(3.into()),
        })
        .register()
        .unwrap();
    let held = Ref::new(Counted {
        drops: Counter::new().drop_probe(),
    });
    let first = || Any::from(held.clone());
    let missing = info.make_object(&[("first", first())]).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "dynamic.Strict: field 'second' needs a value"
    );
    assert!(
        info.make_object(&[("first", first()), ("second", "x".into())])
            .is_err()
    );
    assert!(info.make_object(&[("firts", first())]).is_err());
    assert_eq!(held.strong_count(), 1);
    assert_eq!(info.live_count(), 0);
    let object = info
        .make_object(&[("first", first()), ("second", 1.into())])
        .unwrap();
    assert_eq!(object.as_borrow().field("third").unwrap().as_i64(), Some(3));
    let frozen = object.as_borrow().set_field("third", 4.into()).unwrap_err();
    assert_eq!(frozen.to_string(), "dynamic.Strict.third is frozen");
    assert_eq!((held.strong_count(), info.live_count()), (2, 1));
    drop(object);
    assert_eq!((held.strong_count(), info.live_count()), (1, 0));
}

#[repr(C)]
struct Counted {
    drops: Drops,
}
object!(Counted, "dynamic.Counted", []);

#[test]
fn a_type_extends_a_rust_type_and_is_extended() {
    let middle = Builder::new("dynamic.Middle")
        .extends(Counted::info())
        .field("name", FieldKind::Str)
        .register()
        .unwrap();
    let last = Builder::new("dynamic.Last")
        .extends(middle)
        .field("next", optional(own("Last")))
        .register()
        .unwrap();
    assert!(last.is_a(middle) && last.is_a(Counted::info()) && !middle.is_a(last));
    let dropped = Counter::new();
    assert!(
        last.make_object(&[("name", "x".into()), ("next", Any::None)])
            .is_err(),
        "the base is missing"
    );
    let object = last
        .make_on(
            Counted {
                drops: dropped.drop_probe(),
            },
            &[("name", "x".into()), ("next", Any::None)],
        )
        .unwrap();
    assert!(object.header().is::<Counted>());
    let base: Ref<Counted> = object.clone().downcast().unwrap();
    assert_eq!(base.field("name").unwrap().to::<String>().unwrap(), "x");
    // A cycle of itself, which the collector finds by the table.
    object
        .as_borrow()
        .set_field("next", Any::Object(object.clone()))
        .unwrap();
    let other = last
        .make_on(
            Counted {
                drops: Counter::new().drop_probe(),
            },
            &[("name", "y".into()), ("next", Any::None)],
        )
        .unwrap();
    assert!(object.as_borrow().set_field("next", Any::Int(1)).is_err());
    drop((base, object, other));
    assert_eq!(dropped.get(), 0);
    collect();
    assert_eq!(dropped.get(), 1);
}

#[test]
fn the_same_definition_is_the_same_type_and_another_is_refused() {
    let define = |kind: FieldKind, name: &str| {
        Builder::new("dynamic.Again")
            .field(name, kind)
            .field("self", optional(own("Again")))
            .register()
    };
    let first = define(FieldKind::Int, "a").unwrap();
    assert!(std::ptr::eq(define(FieldKind::Int, "a").unwrap(), first));
    for (kind, name) in [(FieldKind::Str, "a"), (FieldKind::Int, "b")] {
        let message = define(kind, name).unwrap_err().to_string();
        assert!(
            message.starts_with("the type key \"dynamic.Again\" is already defined otherwise: defined is pairbond.Object with fields [a: int, self: dynamic.Again or None]; refused is "),
            "{message}"
        );
    }
    assert_eq!(Counted::info().key(), "dynamic.Counted");
    assert!(Builder::new("dynamic.Counted").register().is_err());
}

#[test]
fn keys_are_compared_by_fields() {
    let info = Builder::new("dynamic.Key")
        .field("a", FieldKind::Int)
        .field("b", FieldKind::Str)
        .compared_by(vec!["a".into()], true)
        .register()
        .unwrap();
    let make = |a: i64, b: &str| Any::Object(info.make_object(&[("a", a.into()), ("b", b.into())]).unwrap());
    let map: Map<Any, i64> = Map::new();
    map.insert(make(1, "x"), 10).unwrap();
    assert_eq!(map.get(&make(1, "y")).unwrap(), Some(10));
    assert_eq!(map.get(&make(2, "x")).unwrap(), None);
}

#[test]
fn unions_and_names_to_be_found() {
    let info = Builder::new("dynamic.Tree")
        .field(
            "leaf",
            FieldKind::Union(vec![FieldKind::Int, FieldKind::Float, FieldKind::Str]),
        )
        .field("other", FieldKind::Later(Later::new("dynamic.LaterOn".into(), 0)))
        .register()
        .unwrap();
    let later = Builder::new("dynamic.LaterOn").register().unwrap();
    let object =
        |info: &'static pairbond_core::types::TypeInfo| -> ErasedRef { info.make_object(&[]).unwrap() };
    let tree = info
        .make_object(&[("leaf", 1.into()), ("other", Any::Object(object(later)))])
        .unwrap();
    let wrong = Builder::new("dynamic.Wrong").register().unwrap();
    assert!(
        tree.as_borrow()
            .set_field("other", Any::Object(object(wrong)))
            .is_err()
    );
    let FieldKind::Later(name) = info.table().unwrap().field("other").unwrap().kind() else {
        panic!("a name");
    };
    name.resolve_to(Box::leak(Box::new(FieldKind::Object(later))));
    assert!(
        tree.as_borrow()
            .set_field("other", Any::Object(object(later)))
            .is_ok()
    );
    for value in [Any::from(1), Any::from(1.5), Any::from("x")] {
        tree.as_borrow().set_field("leaf", value.clone()).unwrap();
        assert_eq!(tree.as_borrow().field("leaf").unwrap().kind(), value.kind());
    }
    let error = tree.as_borrow().set_field("leaf", Any::None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "dynamic.Tree.leaf: expected int or float or str, got None"
    );
}

#[test]
fn many_threads_read_and_write_one_field() {
    let info = Builder::new("dynamic.Shared")
        .field("number", FieldKind::Float)
        .field("name", FieldKind::Str)
        .register()
        .unwrap();
    let object = info
        .make_object(&[("number", 0.into()), ("name", "0".into())])
        .unwrap();
    let steps = if cfg!(miri) { 20 } else { 2_000 };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let object = object.clone();
            scope.spawn(move || {
                for step in 0..steps {
                    let value = f64::from(thread * steps + step);
                    object.as_borrow().set_field("number", value.into()).unwrap();
                    object
                        .as_borrow()
                        .set_field("name", value.to_string().into())
                        .unwrap();
                    let name: String = object.as_borrow().field("name").unwrap().to().unwrap();
                    assert!(
                        name.parse::<f64>()
                            .is_ok_and(|value| value < f64::from(4 * steps))
                    );
                    assert!(object.as_borrow().field("number").unwrap().as_f64().is_some());
                }
            });
        }
    });
}
