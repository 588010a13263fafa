use pairbond::prelude::*;
use pairbond::serial::{deep_copy, shallow_copy, structural_cmp, structural_equal, structural_hash};

use super::carried;
use super::things::{All, Child, Closed, Even, Link, Opaque, Parent, Special, Version};

fn same<T: pairbond::Object + Send + Sync>(object: &Ref<T>) -> [Ref<T>; 3] {
    let any = Any::from(object.clone());
    let json = pairbond_serial::to_json(&any).unwrap();
    let ways = [
        deep_copy(&any).unwrap(),
        carried(&any).unwrap(),
        pairbond_serial::from_json(&json).unwrap(),
    ];
    ways.map(|copy| {
        assert!(structural_equal(&any, &copy).unwrap());
        assert_eq!(structural_hash(&any).unwrap(), structural_hash(&copy).unwrap());
        let copy = copy.downcast::<T>().unwrap();
        assert!(!copy.is(object));
        copy
    })
}

fn link(name: i64, next: Option<Ref<Link>>) -> Ref<Link> {
    Ref::new(Link {
        name: name.into(),
        next: next.into(),
    })
}

#[test]
fn every_kind_of_field() {
    let shared = link(3, None);
    let all = All {
        small: -8,
        large: u64::MAX,
        huge: u128::MAX,
        float: f64::NAN,
        letter: Some('ß'),
        text: "text".into(),
        shared: "shared".into(),
        bytes: Some(Bytes::from(&b"\0\xff"[..])),
        twice: Some(None),
        many: vec![(true, 1.5), (false, -0.0)],
        table: [("a".to_owned(), vec![1]), ("b".to_owned(), vec![])].into(),
        sorted: [(2, Some(shared.clone())), (1, None)].into(),
        any: Any::from(shared.clone()),
        list: [shared.clone(), link(4, Some(shared.clone()))]
            .into_iter()
            .collect(),
        tuple: [Any::from(1), Any::from("x"), Any::from(shared.clone())]
            .into_iter()
            .collect(),
        map: [("k".into(), 1), ("l".into(), 2)].into_iter().collect(),
        frozen: [(5, "five".into())].into_iter().collect(),
        set: {
            let set: Set<Any> = Set::new();
            set.insert(Any::from(3)).unwrap();
            set.insert(Any::from("y")).unwrap();
            set
        },
        cells: vec![Cell::new(Some(shared.clone())), Cell::new(None)],
        nested: Some(
            [[1.0, 2.0].into_iter().collect::<List<f64>>()]
                .into_iter()
                .collect(),
        ),
    };
    for copy in same(&Ref::new(all)) {
        assert_eq!(
            (copy.small, copy.large, copy.huge, copy.letter),
            (-8, u64::MAX, u128::MAX, Some('ß'))
        );
        assert!(copy.float.is_nan());
        assert_eq!(
            (&*copy.text, &*copy.shared, copy.twice),
            ("text", "shared", Some(None))
        );
        assert_eq!(copy.table["a"], [1]);
        assert_eq!(copy.map.get("l"), Some(2));
        assert_eq!(copy.frozen.get(&5).unwrap(), "five");
        assert_eq!(copy.set.len(), 2);
        assert_eq!(copy.nested.as_ref().unwrap().get(0).unwrap().to_vec(), [1.0, 2.0]);
        // One object stays one.
        let one = copy.any.downcast::<Link>().unwrap();
        assert!(one.is(&copy.list.get(0).unwrap()));
        assert!(one.is(&copy.list.get(1).unwrap().next.get().unwrap()));
        assert!(one.is(copy.sorted[&2].as_ref().unwrap()));
        assert!(one.is(copy.cells[0].get().as_ref().unwrap()));
        assert!(one.is(&copy.tuple.get(2).unwrap().downcast::<Link>().unwrap()));
    }
}

#[test]
fn rings() {
    let a = link(1, None);
    let b = link(2, Some(a.clone()));
    a.next.set(Some(b.clone()));
    for copy in same(&a) {
        let next = copy.next.get().unwrap();
        assert!(next.next.get().unwrap().is(&copy) && !next.is(&copy));
        copy.next.set(None);
    }
    // What has another shape, and looks the same however far one goes.
    let alone = link(5, None);
    alone.next.set(Some(alone.clone()));
    let (c, d) = (link(5, None), link(5, None));
    c.next.set(Some(d.clone()));
    d.next.set(Some(c.clone()));
    let leads = link(5, Some(alone.clone()));
    for (x, y) in [(&alone, &c), (&leads, &c), (&leads, &alone)] {
        let (x, y) = (Any::from((*x).clone()), Any::from((*y).clone()));
        assert!(structural_equal(&x, &y).unwrap());
        assert_eq!(structural_hash(&x).unwrap(), structural_hash(&y).unwrap());
    }
    assert!(!structural_equal(&a.clone().into(), &alone.clone().into()).unwrap());
    d.name.set(6);
    assert!(!structural_equal(&alone.clone().into(), &c.clone().into()).unwrap());
    for link in [a, alone, c] {
        link.next.set(None);
    }
}

#[test]
fn cycles_through_fields_that_never_change_or_are_never_empty() {
    let parent = Ref::new(Parent::default());
    let child = Ref::new(Child {
        parent: parent.clone(),
        other: Cell::new(parent.clone()),
    });
    parent.children.push(child.clone());
    parent.first.set(Some(child.clone()));
    parent
        .map
        .insert(Any::from(child.clone()), Any::from(parent.clone()))
        .unwrap();
    let tuple: Tuple<Any> = [Any::from(parent.clone()), Any::from(parent.map.clone())]
        .into_iter()
        .collect();
    parent
        .map
        .insert(Any::from("tuple"), Any::from(tuple.clone()))
        .unwrap();
    parent.tuple.set(Some(tuple));
    for from in [0, 1] {
        let copies: Vec<Ref<Parent>> = if from == 0 {
            same(&parent).into()
        } else {
            same(&child).iter().map(|child| child.other.get()).collect()
        };
        for copy in copies {
            let child = copy.first.get().unwrap();
            assert!(child.parent.is(&copy) && child.other.get().is(&copy));
            assert!(child.is(&copy.children.get(0).unwrap()));
            let found = copy.map.get(&Any::from(child.clone())).unwrap().unwrap();
            assert!(found.downcast::<Parent>().unwrap().is(&copy));
            assert!(
                copy.tuple
                    .get()
                    .unwrap()
                    .get(0)
                    .unwrap()
                    .downcast::<Parent>()
                    .unwrap()
                    .is(&copy)
            );
            copy.first.set(None);
            copy.children.clear();
            copy.map.clear();
            copy.tuple.set(None);
        }
    }
    // Its cell is never empty, and needs the very object that needs it.
    let lone = Ref::new(Parent::default());
    let knot = Ref::new(Child {
        parent: lone.clone(),
        other: Cell::new(lone.clone()),
    });
    let last = Ref::new(Parent {
        weak: Some(lone.downgrade()),
        up: Cell::new(Some(parent.downgrade())),
        ..Parent::default()
    });
    last.first.set(Some(knot.clone()));
    knot.other.set(last.clone());
    for copy in same(&knot) {
        assert!(copy.other.get().first.get().unwrap().is(&copy));
        // Who is reached by a strong reference as well, and who is not.
        assert!(
            copy.other
                .get()
                .weak
                .as_ref()
                .unwrap()
                .upgrade()
                .unwrap()
                .is(&copy.parent)
        );
        assert!(copy.other.get().up.get().is_none_or(|up| up.upgrade().is_none()));
        copy.other.get().first.set(None);
    }
    for parent in [parent, last] {
        parent.first.set(None);
        parent.children.clear();
        parent.map.clear();
        parent.tuple.set(None);
    }
}

#[test]
fn a_million_deep_on_a_small_stack() {
    let deep = if cfg!(miri) { 1_000 } else { 1_000_000 };
    let run = move || {
        let mut first = link(0, None);
        for n in 1..deep {
            first = link(n, Some(first));
        }
        let any = Any::from(first.clone());
        let copy = deep_copy(&any).unwrap();
        let other = carried(&any).unwrap();
        assert!(structural_equal(&copy, &other).unwrap());
        assert_eq!(structural_hash(&copy).unwrap(), structural_hash(&any).unwrap());
        let (mut at, mut count) = (other.downcast::<Link>(), 0);
        while let Some(link) = at {
            at = link.next.get();
            count += 1;
        }
        assert_eq!(count, deep);
    };
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn shallow() {
    let (x, y) = (link(1, None), link(2, None));
    x.next.set(Some(y.clone()));
    let copy = shallow_copy(&x.clone().into())
        .unwrap()
        .downcast::<Link>()
        .unwrap();
    assert!(!copy.is(&x) && copy.next.get().unwrap().is(&y));
    x.next.set(Some(x.clone()));
    let copy = shallow_copy(&x.clone().into())
        .unwrap()
        .downcast::<Link>()
        .unwrap();
    assert!(!copy.is(&x) && copy.next.get().unwrap().is(&x));
    x.next.set(None);
}

#[test]
fn types_that_extend_that_say_how_and_that_do_not() {
    let special = Ref::new(Special {
        base: Link::default(),
        name: "s".into(),
    });
    special.base.name.set(7);
    for copy in same(&special) {
        assert_eq!((copy.base.name.get(), &*copy.name), (7, "s"));
    }
    for copy in same(&Ref::new(Even::of(42))) {
        assert_eq!(copy.number, 42);
    }
    let version = Ref::new(Version::of(1, 2));
    for copy in same(&version) {
        assert_eq!(copy.cached, None, "transient");
    }
    let wrong = carried(&Ref::new(Version::of(1, 100)).into()).unwrap_err();
    assert_eq!(wrong.to_string(), "a minor version has two digits");
    let error = deep_copy(&Ref::new(Opaque).into()).unwrap_err();
    assert!(error.to_string().contains("serial.Opaque"), "{error}");
    let closed = Ref::new(Closed {
        secret: super::things::Secret,
    });
    let error = deep_copy(&closed.into()).unwrap_err();
    assert!(
        error.to_string().contains("serial.Closed") && error.to_string().contains("`secret`"),
        "{error}"
    );
}

#[test]
fn order() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let of = |major, minor| Any::from(Ref::new(Version::of(major, minor)));
    assert_eq!(structural_cmp(&of(1, 2), &of(1, 10)).unwrap(), Less);
    assert_eq!(structural_cmp(&of(2, 0), &of(1, 10)).unwrap(), Greater);
    assert_eq!(structural_cmp(&of(2, 0), &of(2, 0)).unwrap(), Equal);
    let list = |all: &[(u32, u32)]| Any::from(all.iter().map(|(a, b)| of(*a, *b)).collect::<List<Any>>());
    assert_eq!(
        structural_cmp(&list(&[(1, 2)]), &list(&[(1, 2), (0, 0)])).unwrap(),
        Less
    );
    assert_eq!(
        structural_cmp(&list(&[(1, 3)]), &list(&[(1, 2), (0, 0)])).unwrap(),
        Greater
    );
    assert!(structural_cmp(&Any::from(link(1, None)), &Any::from(link(2, None))).is_err());
    assert!(structural_cmp(&Any::from(1), &Any::from("1")).is_err());
    // What refers to itself.
    let (x, y): (List<Any>, List<Any>) = (List::new(), List::new());
    x.push(x.clone().into());
    y.push(y.clone().into());
    assert_eq!(
        structural_cmp(&x.clone().into(), &y.clone().into()).unwrap(),
        Equal
    );
    y.push(Any::from(1));
    assert_eq!(
        structural_cmp(&x.clone().into(), &y.clone().into()).unwrap(),
        Less
    );
    x.clear();
    y.clear();
}

#[test]
fn equality_knows_kinds_and_forgets_orders() {
    let equal = |a: Any, b: Any| structural_equal(&a, &b).unwrap();
    assert!(equal(1.into(), 1.into()) && !equal(1.into(), 1.0.into()) && !equal(1.into(), true.into()));
    assert!(equal(0.0.into(), (-0.0).into()) && equal(f64::NAN.into(), f64::NAN.into()));
    let map = |keys: &[&str]| {
        Any::from(
            keys.iter()
                .map(|key| (Str::from(*key), 1))
                .collect::<Map<Str, i64>>(),
        )
    };
    assert!(equal(map(&["a", "b"]), map(&["b", "a"])) && !equal(map(&["a"]), map(&["b"])));
    assert_eq!(
        structural_hash(&map(&["a", "b"])).unwrap(),
        structural_hash(&map(&["b", "a"])).unwrap()
    );
    // Sharing does not count.
    let (x, y) = (link(1, None), link(1, None));
    let pair =
        |a: &Ref<Link>, b: &Ref<Link>| Any::from([a.clone(), b.clone()].into_iter().collect::<List<Link>>());
    assert!(equal(pair(&x, &x), pair(&x, &y)));
    assert_eq!(
        structural_hash(&pair(&x, &x)).unwrap(),
        structural_hash(&pair(&x, &y)).unwrap()
    );
}

#[test]
fn arrays_keep_type_shape_and_who_may_write() {
    let grid = Array::from_vec(&[2, 3], (0..6).map(f64::from).collect()).unwrap();
    let array = |any: &Any| any.to::<Array>().unwrap();
    for copy in [
        deep_copy(&grid.clone().into()).unwrap(),
        carried(&grid.transposed().into()).unwrap(),
    ] {
        let copy = array(&copy);
        assert_eq!(copy.view::<f64>().unwrap().to_vec().len(), 6);
        copy.view::<f64>().unwrap().set(&[0, 0], 9.0).unwrap();
    }
    assert_eq!(
        grid.view::<f64>().unwrap().get(&[0, 0]),
        Some(0.0),
        "a copy has its own memory"
    );
    assert_eq!(
        array(&carried(&grid.transposed().into()).unwrap())
            .view::<f64>()
            .unwrap()
            .to_vec(),
        [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    );
    let constant = Array::constant(&[2], vec![1_u8, 2]).unwrap();
    let copy = array(&carried(&constant.into()).unwrap());
    assert_eq!(copy.view::<u8>().unwrap().as_slice(), Some(&[1, 2][..]));
}

#[test]
fn functions_go_by_name() {
    let half = Function::build("half").parameter("x").from(|x: f64| x / 2.0);
    let error = deep_copy(&half.clone().into()).unwrap_err();
    assert!(error.to_string().contains("half"), "{error}");
    pairbond::registry::register_function("serial.half", half.clone(), false).unwrap();
    let Any::Function(copy) = carried(&half.clone().into()).unwrap() else {
        panic!("a function")
    };
    assert!(copy.is(&half));
}
