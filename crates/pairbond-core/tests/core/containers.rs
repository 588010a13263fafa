//! Lists, tuples, maps and sets in plain Rust.

use pairbond_testing::drops::Counter;
use pairbond_testing::fake::Interpreter;
use pairbond_value::value::{Any, AnyRef, Bytes, FrozenMap, List, Map, Set, Str, Tuple, Verdict, keys_equal};

use crate::values::node;

#[test]
fn a_map_keeps_its_order() {
    let map: Map<Str, i64> = [("b".into(), 1), ("a".into(), 2), ("b".into(), 3)]
        .into_iter()
        .collect();
    assert_eq!(map.to_vec(), [("b".into(), 3), ("a".into(), 2)]);
    assert_eq!(map.insert("c".into(), 4), None);
    assert_eq!(map.insert("b".into(), 5), Some(3));
    assert_eq!(map.remove("a"), Some(2));
    assert_eq!(map.remove("a"), None);
    assert_eq!(
        (map.get("b"), map.get(&Str::from("c")), map.get("a")),
        (Some(5), Some(4), None)
    );
    assert!(map.contains_key("b") && !map.contains_key("a"));
    assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(map.values().sum::<i64>(), 9);
    assert_eq!(format!("{map:?}"), "<Map of 2 from str to int>");
    let alias = map.clone();
    alias.clear();
    assert!(map.is_empty() && map.is(&alias));
}

#[test]
fn a_map_grows_and_shrinks_like_a_model() {
    let map: Map<i64, i64> = Map::new();
    let mut model: Vec<(i64, i64)> = Vec::new();
    let mut seed = 7_u64;
    for step in 0..if cfg!(miri) { 300 } else { 20_000 } {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let key = (seed >> 33) as i64 % 40;
        let at = model.iter().position(|(k, _)| *k == key);
        if seed >> 60 < 9 {
            let old = at.map(|at| std::mem::replace(&mut model[at].1, step));
            if at.is_none() {
                model.push((key, step));
            }
            assert_eq!(map.insert(key, step), old);
        } else {
            assert_eq!(map.remove(&key), at.map(|at| model.remove(at).1));
        }
        assert_eq!(map.len(), model.len());
    }
    assert_eq!(map.to_vec(), model);
}

#[test]
fn a_set_holds_each_key_once() {
    let set: Set<i64> = [3, 1, 3, 2].into_iter().collect();
    assert_eq!(set.to_vec(), [3, 1, 2]);
    assert!(!set.insert(1) && set.insert(9) && set.remove(&3) && !set.remove(&3) && set.contains(&9));
    assert_eq!(set.iter().collect::<Vec<_>>(), [1, 2, 9]);
    let bytes: Set<Bytes> = [Bytes::from(&b"ab"[..])].into_iter().collect();
    assert!(bytes.contains(&b"ab"[..]) && !bytes.contains(&b"a"[..]));
}

#[test]
fn objects_are_keys_by_identity() {
    let drops = Counter::new();
    {
        let (a, b) = (node(1, &drops), node(1, &drops));
        let map: Map<crate::values::Node, i64> = Map::new();
        map.insert(a.clone(), 1);
        assert_eq!((map.get(&a), map.get(&b)), (Some(1), None));
        let set: Set<crate::values::Node> = [a.clone(), b.clone(), a].into_iter().collect();
        assert_eq!(set.len(), 2);
    }
    assert_eq!(drops.get(), 2);
}

#[test]
fn keys_of_any_kind_compare_as_in_python() {
    let same: &[&[Any]] = &[
        &[1_i64.into(), 1.0.into(), true.into()],
        &[0_i64.into(), 0.0.into(), (-0.0).into(), false.into()],
        &["a".into(), "a".into()],
        &[Any::None, Any::None],
        &[f64::NAN.into(), f64::NAN.into()],
        &[
            [Any::from(1_i64)].into_iter().collect::<Tuple<Any>>().into(),
            [Any::from(1.0)].into_iter().collect::<Tuple<Any>>().into(),
        ],
    ];
    for (at, row) in same.iter().enumerate() {
        for a in *row {
            for (other, b) in same
                .iter()
                .enumerate()
                .flat_map(|(n, row)| row.iter().map(move |b| (n, b)))
            {
                let one = keys_equal(a, b).unwrap();
                assert_eq!(one, at == other, "{a:?} {b:?}");
                if one {
                    assert_eq!(AnyRef::from(a).hash().unwrap(), AnyRef::from(b).hash().unwrap());
                }
            }
        }
    }
    let big: Any = ((1_i64 << 53) + 1).into();
    assert_eq!(
        AnyRef::from(&big).compare_key(AnyRef::from(9_007_199_254_740_992.0)),
        Verdict::Different
    );
}

#[test]
fn what_is_not_hashable_is_refused() {
    let map: Map<Any, i64> = Map::new();
    let list: Any = List::<i64>::new().into();
    let error = map.insert(list, 1).unwrap_err();
    assert_eq!(error.message(), "unhashable type: 'pairbond.List'");
    assert!(map.is_empty());
}

#[test]
fn foreign_objects_are_asked() {
    let interpreter = Interpreter::open_interpreter();
    let (a, b) = (interpreter.new_object(), interpreter.new_object());
    let map: Map<Any, i64> = Map::new();
    map.insert(a.clone().into(), 1).unwrap();
    map.insert(b.clone().into(), 2).unwrap();
    assert_eq!(map.get(&Any::from(a.clone())).unwrap(), Some(1));
    assert_eq!(map.remove(&Any::from(b.clone())).unwrap(), Some(2));
    drop((a, b, map));
    interpreter.drain_deferred(&interpreter.attach());
    interpreter.close();
}

#[test]
fn immutable_ones() {
    let tuple: Tuple<i64> = [1, 2].into_iter().collect();
    assert_eq!((tuple.get(1), tuple.get(2), tuple.len()), (Some(2), None, 2));
    assert_eq!(format!("{tuple:?}"), "[1, 2]");
    let map: FrozenMap<Str, Option<i64>> = [("a".into(), Some(1)), ("b".into(), None)].into_iter().collect();
    assert_eq!(
        (map.get("a"), map.get("b"), map.get("c")),
        (Some(Some(1)), Some(None), None)
    );
    assert_eq!(format!("{map:?}"), r#"{"a": Some(1), "b": None}"#);
    let keyed: Map<Any, i64> = Map::new();
    keyed.insert(map.clone().into(), 1).unwrap();
    let again: FrozenMap<Str, Option<i64>> =
        [("b".into(), None), ("a".into(), Some(1))].into_iter().collect();
    assert_eq!(keyed.get(&Any::from(again)).unwrap(), Some(1));
}

#[test]
fn containers_hold_containers() {
    let rows: List<List<i64>> = List::new();
    let row: List<i64> = [1].into_iter().collect();
    rows.push(row.clone());
    assert!(rows.get(0).unwrap().is(&row));
    let other: Any = List::<Any>::new().into();
    assert!(<List<i64> as pairbond_value::value::Element>::from_any(&other).is_none());
}

#[test]
fn an_index_beyond_the_end_changes_nothing() {
    let list: List<i64> = [1, 2].into_iter().collect();
    assert!(list.set(2, 9).is_err() && list.insert(3, 9).is_err() && list.remove(2).is_err());
    assert_eq!(
        (list.insert(1, 7).is_ok(), list.remove(0).unwrap(), list.last()),
        (true, 1, Some(2))
    );
    assert_eq!(list.to_vec(), [7, 2]);
}
