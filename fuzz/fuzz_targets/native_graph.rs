//! Any sequence of linking, unlinking, dropping, upgrading and collecting on a graph of native
//! objects, against an oracle of reachability.
//!
//! Nothing reachable from a root may be destroyed or emptied; after a collection nothing
//! unreachable may be left.
#![no_main]

use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;

/// A node that says when it dies.
#[pairbond::object("fuzz.Node")]
struct Node {
    number: usize,
    edges: Cell<Vec<Ref<Node>>>,
    other: Cell<Option<Ref<Node>>>,
    #[untraced]
    dead: Arc<Mutex<Vec<bool>>>,
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut dead = self.dead.lock().expect("one thread");
        assert!(!dead[self.number], "destroyed twice");
        dead[self.number] = true;
    }
}

#[derive(Default)]
struct World {
    dead: Arc<Mutex<Vec<bool>>>,
    roots: Vec<Ref<Node>>,
    weak: Vec<(usize, Weak<Node>)>,
    /// What the oracle knows: edges by number, in order, and the single edge.
    edges: Vec<Vec<usize>>,
    other: Vec<Option<usize>>,
}

impl World {
    fn make(&mut self) {
        let number = self.edges.len();
        self.dead.lock().expect("one thread").push(false);
        self.edges.push(Vec::new());
        self.other.push(None);
        let node = Node { number, edges: Cell::new(Vec::new()), other: Cell::new(None), dead: self.dead.clone() };
        let node = Ref::new(node);
        self.weak.push((number, node.downgrade()));
        self.roots.push(node);
    }

    fn alive(&self) -> Vec<bool> {
        let mut alive = vec![false; self.edges.len()];
        let mut work: Vec<usize> = self.roots.iter().map(|r| r.number).collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut alive[node], true) {
                work.extend(self.edges[node].iter().chain(&self.other[node]));
            }
        }
        alive
    }

    fn check(&self, collected: bool) {
        for (number, alive) in self.alive().into_iter().enumerate() {
            let dead = self.dead.lock().expect("one thread")[number];
            assert!(!(alive && dead), "node {number} is reachable and was destroyed");
            assert!(alive || dead || !collected, "node {number} is unreachable and was not collected");
        }
        for root in &self.roots {
            let edges: Vec<usize> = root.edges.with(|edges| edges.iter().map(|e| e.number).collect());
            assert_eq!(edges, self.edges[root.number], "the edges of a root were changed");
        }
    }

    fn step(&mut self, operation: u8, a: u8, b: u8) {
        let pick = |n: u8, of: usize| usize::from(n) % of.max(1);
        if self.roots.is_empty() || operation % 8 == 0 {
            return self.make();
        }
        let (from, to) = (pick(a, self.roots.len()), pick(b, self.roots.len()));
        let (from, to) = (self.roots[from].clone(), self.roots[to].clone());
        match operation % 8 {
            1 => {
                from.edges.update(|edges| edges.push(to.clone()));
                self.edges[from.number].push(to.number);
            }
            2 => {
                let old = from.edges.update(Vec::pop);
                assert_eq!(old.map(|o| o.number), self.edges[from.number].pop());
            }
            3 => {
                from.other.set(Some(to.clone()));
                self.other[from.number] = Some(to.number);
            }
            4 => {
                let number = from.number;
                drop((from, to));
                let at = self.roots.iter().position(|r| r.number == number).expect("a root");
                self.roots.swap_remove(at);
            }
            5 => {
                let (number, weak) = &self.weak[pick(a, self.weak.len())];
                match weak.upgrade() {
                    Some(node) => self.roots.push(node),
                    None => assert!(!self.alive()[*number], "a weak reference to a living node said None"),
                }
            }
            6 => {
                if let Some(child) = from.edges.with(|edges| edges.first().cloned()) {
                    self.roots.push(child);
                }
            }
            _ => {
                drop((from, to));
                pairbond::collect();
                self.check(true);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut world = World::default();
    for chunk in data.chunks_exact(3).take(2000) {
        world.step(chunk[0], chunk[1], chunk[2]);
        world.check(false);
    }
    world.roots.clear();
    pairbond::collect();
    world.check(true);
});
