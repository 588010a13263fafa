//! Whatever the bytes, there is an error or a graph, and memory is as it should be.

use std::time::{Duration, Instant};

use pairbond::prelude::*;
use random::Random;

use super::things::{All, Child, Link, Parent, Special, Version};
use super::{read, written};

/// A small generator: the library's own test tools are not for its users.
mod random {
    pub(crate) struct Random(pub u64);
    impl Random {
        pub(crate) fn below(&mut self, n: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % n as u64) as usize
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let parent = Ref::new(Parent::default());
    let child = Ref::new(Child {
        parent: parent.clone(),
        other: Cell::new(parent.clone()),
    });
    parent.children.push(child.clone());
    parent
        .map
        .insert(Any::from(child.clone()), Any::from(parent.clone()))
        .unwrap();
    let tuple: Tuple<Any> = [Any::from(parent.clone())].into_iter().collect();
    parent.tuple.set(Some(tuple.clone()));
    parent
        .map
        .insert(
            tuple.into(),
            Array::from_vec(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap().into(),
        )
        .unwrap();
    let link = Ref::new(Link::default());
    link.next.set(Some(link.clone()));
    let all = All {
        any: Any::from(link.clone()),
        list: [link.clone()].into_iter().collect(),
        table: [("a".to_owned(), vec![1])].into(),
        cells: vec![Cell::new(Some(link.clone()))],
        frozen: [(5, "five".into())].into_iter().collect(),
        ..All::default()
    };
    let special = Ref::new(Special {
        base: Link::default(),
        name: "s".into(),
    });
    let roots: [Any; 4] = [
        parent.clone().into(),
        Ref::new(all).into(),
        special.into(),
        Ref::new(Version::of(1, 2)).into(),
    ];
    let seeds = roots.iter().map(|root| written(root).unwrap()).collect();
    link.next.set(None);
    parent.children.clear();
    parent.map.clear();
    parent.tuple.set(None);
    seeds
}

#[test]
fn flipped_bytes() {
    let seed = std::env::var("PAIRBOND_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(0x5eed_u64);
    let mut random = Random(seed);
    println!("PAIRBOND_SEED={seed}");
    let long = std::env::var_os("PAIRBOND_LONG").is_some();
    let seconds: u64 = std::env::var("PAIRBOND_LONG_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(60);
    let (begin, seeds) = (Instant::now(), seeds());
    let (mut fine, mut refused, mut steps) = (0, 0, 0);
    while if long {
        begin.elapsed() < Duration::from_secs(seconds)
    } else {
        steps < if cfg!(miri) { 200 } else { 5_000 }
    } {
        steps += 1;
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = bytes[at].wrapping_add(1),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, random.below(20) as u8),
            }
        }
        match read(&bytes) {
            Ok(value) => {
                // The result can be used in any way.
                let again = written(&value).unwrap();
                let copy = read(&again).unwrap();
                assert!(pairbond::serial::structural_equal(&value, &copy).unwrap());
                fine += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(fine > 0 && refused > 0, "{fine} {refused}");
    pairbond::collect();
}

#[test]
fn more_values_beside_it_than_it_refers_to() {
    // What a fuzzer found: four billion places, before anything was read.
    let error = read(b"pbg1\0\0\x01\0\xff\xff\xff\xff\0\0\x03\0").unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}
