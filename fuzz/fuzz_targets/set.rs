//! Any sequence of operations on a `Set` against a vector.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;

fuzz_target!(|data: &[u8]| {
    let set: Set<Str> = Set::new();
    let mut model: Vec<String> = Vec::new();
    for chunk in data.chunks_exact(2) {
        let value = format!("{}", chunk[1] % 64);
        let at = model.iter().position(|other| *other == value);
        match chunk[0] % 4 {
            0 | 1 => {
                if at.is_none() {
                    model.push(value.clone());
                }
                assert_eq!(set.insert(value.as_str().into()), at.is_none());
            }
            2 => {
                if let Some(at) = at {
                    model.remove(at);
                }
                assert_eq!(set.remove(value.as_str()), at.is_some());
            }
            _ => assert_eq!(set.contains(value.as_str()), at.is_some()),
        }
        assert_eq!(set.len(), model.len());
    }
    assert!(set.iter().map(|value| value.to_string()).eq(model));
});
