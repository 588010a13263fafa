//! Any sequence of edits, handles, weak references and collections on trees, against the model in
//! `pairbond-testing`.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;
use pairbond::tree::{Children, Links, List, TreeNode};
use pairbond_testing::trees::{Forest, Refused};

/// A node that its world counts.
#[pairbond::object("fuzz.Twig", tree)]
struct Twig {
    links: Links,
    left: Children<Twig>,
    right: Children<Twig>,
    number: usize,
    #[untraced]
    alive: Arc<()>,
}

#[derive(Default)]
struct World {
    alive: Arc<()>,
    model: Forest,
    handles: Vec<Option<Ref<Twig>>>,
    weak: Vec<Weak<Twig>>,
}

fn side(twig: &Ref<Twig>, list: usize) -> List<'_, Twig> {
    twig.list(|twig| if list == 0 { &twig.left } else { &twig.right })
}

fn same(real: Result<(), Error>, model: Result<(), Refused>) {
    match (real, model) {
        (Ok(()), Ok(())) => {}
        (Err(error), Err(refused)) => {
            assert_eq!(*error.kind() == ErrorKind::Invalidated, refused == Refused::Erased, "{error}");
        }
        (real, model) => panic!("{real:?}, and by the model {model:?}"),
    }
}

impl World {
    fn make(&mut self) {
        let number = self.model.make_root();
        let twig = Ref::new(Twig {
            links: Links::new(),
            left: Children::new(),
            right: Children::new(),
            number,
            alive: self.alive.clone(),
        });
        self.weak.push(twig.downgrade());
        self.handles.push(Some(twig));
    }

    fn any(&self, byte: u8) -> Option<(usize, Ref<Twig>)> {
        let held: Vec<&Ref<Twig>> = self.handles.iter().flatten().collect();
        let twig = held.get(usize::from(byte) % held.len().max(1))?;
        Some((twig.number, (*twig).clone()))
    }

    fn keep(&mut self, twig: Ref<Twig>) {
        let number = twig.number;
        self.model.nodes[number].held = true;
        self.handles[number] = Some(twig);
    }

    /// Whether a handle to any node keeps this one.
    fn lives(&self, number: usize) -> bool {
        let root = |number| self.model.ancestors_of(number).last();
        (0..self.handles.len()).any(|other| self.handles[other].is_some() && root(other) == root(number))
    }

    fn step(&mut self, step: &[u8]) {
        let (what, list, place) = (step[0] % 11, usize::from(step[0] / 11) % 2, usize::from(step[3]));
        let (Some((n, twig)), Some((m, other))) = (self.any(step[1]), self.any(step[2])) else {
            return self.make();
        };
        match what {
            0 => self.make(),
            1 | 2 => {
                let place = place % (self.model.nodes[n].lists[list].len() + 1);
                let real = side(&twig, list).insert(place, &other);
                same(real, self.model.attach(n, list, place, m));
            }
            3 => same(twig.detach(), self.model.detach(n)),
            4 => same(twig.erase(), self.model.erase(n)),
            5 => {
                let Some((k, end)) = self.any(step[3]) else { return };
                let before = side(&twig, list).first();
                let real = side(&twig, list).splice(before.as_ref(), &other, &end);
                let model = self.model.splice((n, list), before.map(|b| b.number), m, k);
                same(real, model);
            }
            6 => {
                drop((twig, other));
                self.model.nodes[n].held = false;
                self.handles[n] = None;
            }
            7 => {
                let child = side(&twig, list).get(place);
                let number = self.model.nodes[n].lists[list].get(place).copied();
                assert_eq!(child.as_ref().map(|child| child.number), number);
                if let Some(child) = child {
                    assert_eq!(side(&twig, list).index_of(&child), Some(place));
                    self.keep(child);
                }
            }
            8 => {
                let root = twig.root().downcast::<Twig>().expect("a twig");
                assert_eq!(Some(root.number), self.model.ancestors_of(n).last());
                self.keep(root);
            }
            9 => {
                let number = usize::from(step[3]) % self.weak.len();
                drop((twig, other));
                let found = self.weak[number].upgrade();
                assert_eq!(found.is_some(), self.lives(number));
                if let Some(found) = found {
                    self.keep(found);
                }
            }
            _ => {
                pairbond::collect();
            }
        }
    }

    fn compare(&self) {
        assert_eq!(Arc::strong_count(&self.alive) - 1, self.model.live_count());
        for twig in self.handles.iter().flatten() {
            let model = &self.model.nodes[twig.number];
            assert_eq!(twig.is_erased(), model.erased);
            let parent = twig.parent().map(|parent| parent.downcast::<Twig>().expect("a twig").number);
            assert_eq!(parent, model.parent.map(|(parent, _)| parent));
            for list in 0..2 {
                let real: Vec<usize> = side(twig, list).iter().map(|child| child.number).collect();
                assert_eq!(real, model.lists[list]);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut world = World::default();
    for step in data.chunks_exact(4).take(500) {
        world.step(step);
    }
    world.compare();
    world.handles.clear();
    assert_eq!(Arc::strong_count(&world.alive), 1);
});
