//! Nodes that are planted, and fields that the lock of trees guards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pairbond_core::error::ErrorKind;
use pairbond_core::object::Weaks;
use pairbond_core::trace::collect;
use pairbond_tree::{Guarded, TreeNode, batch_insert, with_lock};

use crate::nodes::{Alive, Twig, child_list};

#[test]
fn what_is_planted_is_asleep_and_found() {
    let alive = Alive::default();
    let root = alive.new_twig(0);
    let mut seeds: Vec<_> = (1..4).map(|number| alive.detached_twig(number)).collect();
    let weak: Vec<_> = seeds
        .iter_mut()
        .map(|it| it.downgrade(1).take().unwrap())
        .collect();
    assert!(weak.iter().all(|it| it.upgrade().is_none()), "they stand nowhere");
    collect();
    batch_insert(|batch| {
        for seed in seeds {
            batch.push(child_list(&root, 0), seed);
        }
    })
    .unwrap();
    assert_eq!(root.strong_count(), 1, "nobody is awake");
    let found: Vec<_> = weak.iter().map(|it| it.upgrade().unwrap().number).collect();
    assert_eq!(found, [1, 2, 3]);
    collect();
    let last = child_list(&root, 0).last().unwrap();
    drop(root);
    assert_eq!((alive.live_count(), last.strong_count()), (4, 1));
    drop(last);
    assert_eq!(alive.live_count(), 0, "at once");
    assert!(weak.iter().all(|it| it.upgrade().is_none()));
}

#[test]
fn what_is_not_planted_dies_with_what_is_below() {
    let alive = Alive::default();
    let (mut above, below) = (alive.detached_twig(0), alive.detached_twig(1));
    let weak = [
        above.downgrade(1).take().unwrap(),
        above.downgrade(1).take().unwrap(),
    ];
    batch_insert(|batch| batch.push_below(&above, |it| &it.right, below)).unwrap();
    assert_eq!(alive.live_count(), 2);
    assert!(weak[0].upgrade().is_none());
    drop(above);
    assert_eq!(alive.live_count(), 0);
    assert!(weak[1].upgrade().is_none());
}

#[test]
fn what_is_refused_dies_and_the_rest_is_done() {
    let alive = Alive::default();
    let (erased, other) = (alive.new_twig(0), alive.new_twig(1));
    erased.erase().unwrap();
    let (one, two, moved) = (alive.detached_twig(2), alive.detached_twig(3), alive.new_twig(4));
    child_list(&other, 1).push(&moved).unwrap();
    let error = batch_insert(|batch| {
        batch.push(child_list(&erased, 0), one);
        batch.push_root(child_list(&other, 0), &moved);
        batch.push(child_list(&other, 0), two);
    });
    assert_eq!(*error.unwrap_err().kind(), ErrorKind::Invalidated, "the first");
    assert_eq!(alive.live_count(), 4);
    assert_eq!(child_list(&other, 0).first().unwrap().number, 3);
    let error = batch_insert(|batch| batch.push_root(child_list(&other, 0), &moved)).unwrap_err();
    assert!(error.to_string().contains("has a parent already"), "{error}");
}

#[test]
fn what_is_kept_is_a_root() {
    let alive = Alive::default();
    let (mut seed, below) = (alive.detached_twig(0), alive.detached_twig(1));
    let weak = seed.downgrade(1).take().unwrap();
    let kept = batch_insert(|batch| {
        batch.push_below(&seed, |it| &it.left, below);
        batch.keep(seed)
    })
    .unwrap();
    assert!(weak.upgrade().is_some_and(|it| it.is(&kept)));
    assert_eq!(child_list(&kept, 0).len(), 1);
    collect();
    drop(kept);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn weak_references_that_are_counted_together() {
    let alive = Alive::default();
    let root = alive.new_twig(0);
    let mut seed = alive.detached_twig(1);
    let mut many = seed.downgrade(3);
    let mut more = seed.downgrade(2);
    let taken = [many.take(), many.take(), many.take(), more.take()].map(Option::unwrap);
    assert!(many.take().is_none() && many.weak().is_none() && more.weak().is_some());
    batch_insert(|batch| batch.push(child_list(&root, 0), seed)).unwrap();
    let found = child_list(&root, 0).last().unwrap();
    assert_eq!((found.weak_count(), many.left(), more.left()), (5, 0, 1));
    assert!(
        taken
            .iter()
            .all(|it| it.upgrade().is_some_and(|it| it.is(&found)))
    );
    drop((many, more));
    assert_eq!(found.weak_count(), 4);
    let left = alive.detached_twig(2).downgrade(100);
    assert!(left.weak().unwrap().upgrade().is_none(), "it was never planted");
    drop(taken);
    assert_eq!(found.weak_count(), 0);
    let mut some = Weaks::new(&found, 5);
    let one = some.take().unwrap();
    assert_eq!((found.weak_count(), some.left()), (5, 4));
    drop(some);
    assert_eq!(found.weak_count(), 1);
    drop((one, Weaks::new(&found, 0), Weaks::<Twig>::default()));
    assert_eq!(found.weak_count(), 0);
}

#[test]
fn what_is_planted_and_kept() {
    let alive = Alive::default();
    let (root, erased) = (alive.new_twig(0), alive.new_twig(1));
    erased.erase().unwrap();
    let (one, two, three) = (
        alive.detached_twig(2),
        alive.detached_twig(3),
        alive.detached_twig(4),
    );
    let (kept, refused) = batch_insert(|batch| {
        batch.push(child_list(&root, 0), one);
        let kept = batch.push_and_keep(child_list(&root, 0), two);
        (kept, batch.push_and_keep(child_list(&erased, 0), three))
    })
    .unwrap();
    let Ok(kept) = kept else { panic!("a list") };
    assert_eq!((kept.number, kept.strong_count(), root.strong_count()), (3, 1, 2));
    assert!(kept.parent().is_some_and(|it| it.is(&root.clone().into_erased())));
    let Err(refused) = refused else {
        panic!("the list is that of a node that was erased")
    };
    assert_eq!(refused.number, 4, "it is given back");
    drop(refused);
    drop(root);
    collect();
    assert_eq!(alive.live_count(), 4, "a handle keeps the tree");
    drop((kept, erased));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_guarded_field_is_free_again_after_a_panic_and_not_used_twice() {
    let field = Guarded::new(vec![1]);
    let twice = || with_lock(|guard| field.with_in(guard, |_| field.with_in(guard, Vec::len)));
    assert!(catch_unwind(AssertUnwindSafe(twice)).is_err());
    let beside = Guarded::beside(vec![1_u64], 7_u32);
    let seen = with_lock(|guard| {
        beside.with_in(guard, |it| {
            beside.set_small_in(guard, beside.small_in(guard) + it.len() as u32);
        });
        beside.small_in(guard)
    });
    assert_eq!((seen, size_of_val(&beside)), (8, size_of_val(&field)));
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
