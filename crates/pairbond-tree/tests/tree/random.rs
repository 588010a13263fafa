//! Random edits, handles that come and go, and collections, against a model.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::Ref;
use pairbond_core::trace::collect;
use pairbond_testing::fastrand;
use pairbond_testing::random::{seeded_rng, step_count};
use pairbond_testing::trees::{Forest, Refused};
use pairbond_tree::{TreeNode, batch_insert, drop_all, with_lock};

use crate::nodes::{Alive, Twig, child_list, children_at};

struct World {
    alive: Alive,
    random: fastrand::Rng,
    model: Forest,
    handles: Vec<Option<Ref<Twig>>>,
    /// How often each kind of answer came.
    done: usize,
    refused: [usize; 2],
}

impl World {
    /// The numbers of nodes with handles.
    fn random_node(&mut self) -> Option<(usize, Ref<Twig>)> {
        let held: Vec<usize> = (0..self.handles.len())
            .filter(|n| self.handles[*n].is_some())
            .collect();
        let number = *held.get(self.random.usize(..held.len().max(1)))?;
        Some((number, self.handles[number].clone()?))
    }

    fn keep_handle(&mut self, node: Ref<Twig>) {
        let number = node.number;
        self.model.nodes[number].held = true;
        self.handles[number] = Some(node);
    }

    fn expect_same(&mut self, real: Result<(), Error>, model: Result<(), Refused>) {
        match (real, model) {
            (Ok(()), Ok(())) => self.done += 1,
            (Err(error), Err(refused)) => {
                let invalidated = *error.kind() == ErrorKind::Invalidated;
                assert_eq!(invalidated, refused == Refused::Erased, "{error}");
                self.refused[usize::from(invalidated)] += 1;
            }
            (real, model) => panic!("{real:?}, and by the model {model:?}"),
        }
    }

    fn random_step(&mut self) {
        let list = self.random.usize(..2);
        let (Some((n, node)), Some((m, other)), Some((k, third))) =
            (self.random_node(), self.random_node(), self.random_node())
        else {
            let node = self.alive.new_twig(self.model.make_root());
            self.handles.push(Some(node));
            return;
        };
        match self.random.u32(..18) {
            0 | 1 => {
                let new = self.model.make_root();
                let node = self.alive.new_twig(new);
                self.handles.push(Some(node));
            }
            2..=5 => {
                let len = child_list(&node, list).len();
                assert_eq!(len, self.model.nodes[n].lists[list].len());
                let place = self.random.usize(..=len);
                let real = child_list(&node, list).insert(place, &other);
                let model = self.model.attach(n, list, place, m);
                self.expect_same(real, model);
            }
            6 => {
                let (real, model) = (node.detach(), self.model.detach(n));
                self.expect_same(real, model);
            }
            7 if self.random.u32(..3) == 0 => {
                let (real, model) = (node.erase(), self.model.erase(n));
                self.expect_same(real, model);
            }
            8 => {
                let before = self
                    .random
                    .bool()
                    .then(|| child_list(&node, list).last())
                    .flatten();
                let end = if self.random.bool() {
                    (k, third.clone())
                } else {
                    (m, other.clone())
                };
                let real = child_list(&node, list).splice(before.as_ref(), &other, &end.1);
                let model = self.model.splice((n, list), before.map(|b| b.number), m, end.0);
                self.expect_same(real, model);
            }
            9 | 10 => {
                drop((node, other, third));
                self.model.nodes[n].held = false;
                self.handles[n] = None;
            }
            11 => {
                if let Some(parent) = node.parent() {
                    self.keep_handle(parent.downcast().unwrap());
                }
                let root: Ref<Twig> = node.root().downcast().unwrap();
                assert_eq!(Some(root.number), self.model.ancestors_of(n).last());
                self.keep_handle(root);
            }
            12 => {
                let len = child_list(&node, list).len();
                let place = self.random.usize(..=len);
                let child = child_list(&node, list).get(place);
                assert_eq!(
                    child.as_ref().map(|c| c.number),
                    self.model.nodes[n].lists[list].get(place).copied()
                );
                if let Some(child) = child {
                    assert_eq!(child_list(&node, list).index_of(&child), Some(place));
                    self.keep_handle(child);
                }
            }
            13 => {
                let len = child_list(&node, list).len();
                drop((other, third));
                let child = self.handles[m].take().expect("somebody has it");
                let real = child_list(&node, list).push_owned(child);
                let model = self.model.attach(n, list, len, m);
                self.model.nodes[m].held = false;
                self.expect_same(real, model);
            }
            14 => {
                let kept = self.random.usize(..3);
                let mut some = Vec::new();
                drop((node, other, third));
                for number in [n, m, k].into_iter().skip(kept) {
                    some.extend(self.handles[number].take());
                    self.model.nodes[number].held = false;
                }
                drop_all(some);
            }
            15 => {
                let found = with_lock(|guard| {
                    let mut all = guard.siblings_from(&node);
                    let next = (all.next(), all.next()).1;
                    next.map(|it| (it.get().number, guard.handle(it, &node).unwrap()))
                });
                let after = self.model.next_sibling(n);
                assert_eq!(found.as_ref().map(|it| it.0), after);
                if let Some((number, handle)) = found {
                    assert_eq!(handle.number, number);
                    self.keep_handle(handle);
                }
            }
            16 => {
                let (first, second, third) = (
                    self.model.make_root(),
                    self.model.make_root(),
                    self.model.make_root(),
                );
                let (mut above, below, root) = (
                    self.alive.detached_twig(first),
                    self.alive.detached_twig(second),
                    self.alive.detached_twig(third),
                );
                let weak = [
                    above.downgrade(2).take().unwrap(),
                    above.downgrade(1).take().unwrap(),
                ];
                assert!(weak[0].upgrade().is_none());
                let (len, mut kept) = (child_list(&node, list).len(), None);
                let real = batch_insert(|batch| {
                    batch.push_below(&above, |it| children_at(it, list), below);
                    batch.push(child_list(&node, list), above);
                    kept = Some(batch.keep(root));
                });
                let model = self.model.attach(first, list, 0, second);
                assert!(model.is_ok());
                let model = self.model.attach(n, list, len, first);
                let planted = model.is_ok();
                self.expect_same(real, model);
                self.handles.extend([None, None, kept]);
                for number in [first, second] {
                    self.model.nodes[number].held = false;
                }
                if planted && self.random.bool() {
                    self.keep_handle(weak[1].upgrade().expect("it stands in a tree"));
                }
            }
            _ => {
                collect();
            }
        }
    }

    fn compare_trees(&mut self) {
        assert_eq!(self.alive.live_count(), self.model.live_count() as isize);
        for (number, node) in self.handles.iter().enumerate() {
            let (Some(node), model) = (node, &self.model.nodes[number]) else {
                continue;
            };
            assert_eq!(node.is_erased(), model.erased);
            let parent = node
                .parent()
                .map(|parent| parent.downcast::<Twig>().unwrap().number);
            assert_eq!(parent, model.parent.map(|(parent, _)| parent));
            for list in 0..2 {
                let real: Vec<usize> = child_list(node, list).iter().map(|child| child.number).collect();
                assert_eq!(real, model.lists[list]);
                let seen = with_lock(|guard| {
                    let all = guard.children(children_at(node, list));
                    all.map(|it| it.get().number).collect::<Vec<_>>()
                });
                assert_eq!(seen, real);
                let last = child_list(node, list).last();
                let back = std::iter::successors(last, TreeNode::previous_sibling);
                assert!(back.map(|child| child.number).eq(real.into_iter().rev()));
            }
        }
    }
}

#[test]
fn scripts_do_what_the_model_does() {
    let mut world = World {
        alive: Alive::default(),
        random: seeded_rng("trees"),
        model: Forest::default(),
        handles: Vec::new(),
        done: 0,
        refused: [0; 2],
    };
    let (steps, most, every) = if cfg!(miri) {
        (200, 30, 50)
    } else {
        (step_count(6_000), 150, 500)
    };
    for step in 0..steps {
        world.random_step();
        if step % 50 == 0 || step + 1 == steps {
            world.compare_trees();
        }
        if world.handles.len() > most && step % every == 0 {
            world.handles.clear();
            world.model = Forest::default();
            assert_eq!(world.alive.live_count(), 0);
        }
    }
    assert!(world.done > 0);
    // Each kind is rare.
    if !cfg!(miri) {
        assert!(
            world.refused.iter().all(|count| *count > 0),
            "{:?}",
            world.refused
        );
    }
    world.handles.clear();
    assert_eq!(world.alive.live_count(), 0);
}
