//! Nodes that are planted, and fields that the lock of trees guards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pairbond_core::error::ErrorKind;
use pairbond_core::trace::collect;
use pairbond_core::tree::{Guarded, TreeNode, look, plant};

use crate::nodes::{Alive, side};

#[test]
fn what_is_planted_is_asleep_and_found() {
    let alive = Alive::default();
    let root = alive.twig(0);
    let mut seeds: Vec<_> = (1..4).map(|number| alive.seed(number)).collect();
    let weak: Vec<_> = seeds.iter_mut().map(|it| it.downgrade()).collect();
    assert!(weak.iter().all(|it| it.upgrade().is_none()), "they stand nowhere");
    collect();
    plant(|planting| {
        for seed in seeds {
            planting.push(side(&root, 0), seed);
        }
    })
    .unwrap();
    assert_eq!(root.strong_count(), 1, "nobody is awake");
    let found: Vec<_> = weak.iter().map(|it| it.upgrade().unwrap().number).collect();
    assert_eq!(found, [1, 2, 3]);
    collect();
    let last = side(&root, 0).last().unwrap();
    drop(root);
    assert_eq!((alive.now(), last.strong_count()), (4, 1));
    drop(last);
    assert_eq!(alive.now(), 0, "at once");
    assert!(weak.iter().all(|it| it.upgrade().is_none()));
}

#[test]
fn what_is_not_planted_dies_with_what_is_below() {
    let alive = Alive::default();
    let (mut above, below) = (alive.seed(0), alive.seed(1));
    let weak = [above.downgrade(), above.downgrade()];
    plant(|planting| planting.push_below(&above, |it| &it.right, below)).unwrap();
    assert_eq!(alive.now(), 2);
    assert!(weak[0].upgrade().is_none());
    drop(above);
    assert_eq!(alive.now(), 0);
    assert!(weak[1].upgrade().is_none());
}

#[test]
fn what_is_refused_dies_and_the_rest_is_done() {
    let alive = Alive::default();
    let (erased, other) = (alive.twig(0), alive.twig(1));
    erased.erase().unwrap();
    let (one, two, moved) = (alive.seed(2), alive.seed(3), alive.twig(4));
    side(&other, 1).push(&moved).unwrap();
    let error = plant(|planting| {
        planting.push(side(&erased, 0), one);
        planting.push_root(side(&other, 0), &moved);
        planting.push(side(&other, 0), two);
    });
    assert_eq!(*error.unwrap_err().kind(), ErrorKind::Invalidated, "the first");
    assert_eq!(alive.now(), 4);
    assert_eq!(side(&other, 0).first().unwrap().number, 3);
    let error = plant(|planting| planting.push_root(side(&other, 0), &moved)).unwrap_err();
    assert!(error.to_string().contains("has a parent already"), "{error}");
}

#[test]
fn what_is_kept_is_a_root() {
    let alive = Alive::default();
    let (mut seed, below) = (alive.seed(0), alive.seed(1));
    let weak = seed.downgrade();
    let kept = plant(|planting| {
        planting.push_below(&seed, |it| &it.left, below);
        planting.keep(seed)
    })
    .unwrap();
    assert!(weak.upgrade().is_some_and(|it| it.is(&kept)));
    assert_eq!(side(&kept, 0).len(), 1);
    collect();
    drop(kept);
    assert_eq!(alive.now(), 0);
}

#[test]
fn a_guarded_field_is_free_again_after_a_panic_and_not_used_twice() {
    let field = Guarded::new(vec![1]);
    let twice = || look(|still| field.with_in(still, |_| field.with_in(still, Vec::len)));
    assert!(catch_unwind(AssertUnwindSafe(twice)).is_err());
    field.update(|it| it.push(2));
    assert_eq!(field.replace(vec![]), [1, 2]);
    let threads = if cfg!(miri) { 2 } else { 4 };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| (0..50).for_each(|number| field.update(|it| it.push(number))));
        }
    });
    assert_eq!(field.with(Vec::len), 50 * threads);
}
