//! Any sequence of operations on a `List` against a `Vec`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;

fuzz_target!(|data: &[u8]| {
    let list: List<i64> = List::new();
    let alias = list.clone();
    let mut model: Vec<i64> = Vec::new();
    for chunk in data.chunks_exact(3) {
        let (at, value) = (usize::from(chunk[1]), i64::from(chunk[2]));
        match chunk[0] % 7 {
            0 => {
                list.push(value);
                model.push(value);
            }
            1 => assert_eq!(alias.pop(), model.pop()),
            2 => match model.get_mut(at) {
                Some(place) => assert_eq!(list.set(at, value).ok(), Some(std::mem::replace(place, value))),
                None => assert!(list.set(at, value).is_err()),
            },
            3 => assert_eq!(list.get(at), model.get(at).copied()),
            4 if at == 0 => {
                list.clear();
                model.clear();
            }
            5 => {
                let mut more = list.clone();
                more.extend([value, -value]);
                model.extend([value, -value]);
            }
            _ => assert_eq!(list.iter().sum::<i64>(), model.iter().sum::<i64>()),
        }
        assert_eq!(alias.len(), model.len());
    }
    assert_eq!(list.to_vec(), model);
});
