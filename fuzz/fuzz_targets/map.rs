//! Any sequence of operations on a `Map` with keys of every kind against a vector of pairs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;

/// Few keys, many of them equal to each other, some with one hash.
fn key(n: u8) -> Any {
    let small = i64::from(n % 8);
    match n / 8 % 6 {
        0 => small.into(),
        1 => (small as f64).into(),
        2 => (small % 2 == 0).into(),
        3 => (small << 61).into(),
        4 => format!("{small}").into(),
        _ => [Any::from(small), Any::None].into_iter().collect::<Tuple<Any>>().into(),
    }
}

fn same(a: &Any, b: &Any) -> bool {
    match (a, b) {
        (Any::Bool(a), Any::Bool(b)) => a == b,
        (Any::Str(a), Any::Str(b)) => a == b,
        (Any::Object(_), Any::Object(_)) => {
            let first = |it: &Any| match it {
                Any::Object(object) => object.as_borrow().downcast::<pairbond_value::value::TupleBody>().map(|it| format!("{:?}", it.items())),
                _ => None,
            };
            first(a) == first(b)
        }
        (Any::Bool(_) | Any::Int(_) | Any::Float(_), Any::Bool(_) | Any::Int(_) | Any::Float(_)) => number(a) == number(b),
        _ => false,
    }
}

fn number(value: &Any) -> f64 {
    match value {
        Any::Bool(value) => f64::from(u8::from(*value)),
        Any::Int(value) => *value as f64,
        Any::Float(value) => *value,
        _ => f64::NAN,
    }
}

fuzz_target!(|data: &[u8]| {
    let map: Map<Any, i64> = Map::new();
    let mut model: Vec<(Any, i64)> = Vec::new();
    for chunk in data.chunks_exact(3) {
        let (key, value) = (key(chunk[1]), i64::from(chunk[2]));
        let at = model.iter().position(|(other, _)| same(other, &key));
        match chunk[0] % 6 {
            0..=2 => {
                let old = at.map(|at| std::mem::replace(&mut model[at].1, value));
                if at.is_none() {
                    model.push((key.clone(), value));
                }
                assert_eq!(map.insert(key, value).unwrap(), old);
            }
            3 => assert_eq!(map.remove(&key).unwrap(), at.map(|at| model.remove(at).1)),
            4 => assert_eq!(map.get(&key).unwrap(), at.map(|at| model[at].1)),
            _ if value == 0 => {
                map.clear();
                model.clear();
            }
            _ => assert_eq!(map.contains_key(&key).unwrap(), at.is_some()),
        }
        assert_eq!(map.len(), model.len());
    }
    assert_eq!(map.values().collect::<Vec<_>>(), model.iter().map(|(_, value)| *value).collect::<Vec<_>>());
});
