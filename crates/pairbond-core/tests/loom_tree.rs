//! A root and a child in every interleaving: who keeps whom, and what readers and an editor see.
//!
//! The counts are the real [`Custody`], with the transitions that nodes make; the lock of all trees
//! is loom's, and its guarded data (a place, `AWAKE`) a struct. The steps are those of
//! `tree/keep.rs` and `tree/erase.rs`, one to one. The custody words notice by themselves when they
//! are touched after their object was freed.
#![cfg(loom)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex as StdMutex};

use loom::sync::Mutex;
use loom::thread;
use pairbond_core::object::{Custody, Released};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Root,
    Child,
}

/// The data of the child under the lock.
struct Place {
    attached: bool,
    awake: bool,
    erased: bool,
}

struct Tree {
    root: Custody,
    child: Custody,
    place: Mutex<Place>,
    freed: [AtomicUsize; 2],
    seen: Seen,
}

#[derive(Clone, Default)]
struct Seen(Arc<StdMutex<BTreeSet<&'static str>>>);

impl Seen {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().insert(what);
    }
}

impl Tree {
    /// A child in its place, and a handle to each.
    fn new(seen: &Seen) -> Arc<Self> {
        let root = Custody::new_native();
        // The child is awake: it owns a reference to the root.
        root.acquire();
        Arc::new(Tree {
            root,
            child: Custody::new_native(),
            place: Mutex::new(Place {
                attached: true,
                awake: true,
                erased: false,
            }),
            freed: [AtomicUsize::new(0), AtomicUsize::new(0)],
            seen: seen.clone(),
        })
    }

    /// A child without a parent, and two handles to it.
    fn apart(seen: &Seen) -> Arc<Self> {
        let tree = Tree::new(seen);
        tree.child.acquire();
        {
            let mut place = tree.place.lock().unwrap();
            (place.attached, place.awake) = (false, false);
        }
        let duty = tree.root.release();
        assert_eq!(duty, Released::Shared);
        tree
    }

    fn custody(&self, node: Node) -> &Custody {
        match node {
            Node::Root => &self.root,
            Node::Child => &self.child,
        }
    }

    /// `keep::take`, of the child, by a holder of a handle to the root.
    fn take(&self) -> bool {
        let mut place = self.place.lock().unwrap();
        if !place.attached {
            self.seen.note("the reader comes too late");
            return false;
        }
        let first = self.child.wake_node(place.awake);
        if first && place.awake {
            self.seen.note("a reference is left for a thread on its way");
        }
        if first && !place.awake {
            self.seen.note("woken");
            place.awake = true;
            self.root.wake_node(false);
        }
        true
    }

    /// A handle is dropped.
    fn release(&self, node: Node) {
        match self.custody(node).release() {
            Released::Shared => {}
            Released::Destroy => self.dropped(node),
            Released::HandedOver(_) => unreachable!("there is no wrapper"),
        }
    }

    /// `keep::dropped`.
    fn dropped(&self, mut node: Node) {
        loop {
            let mut place = self.place.lock().unwrap();
            let duty = if self.custody(node).state().strong() != 0 {
                drop(place);
                self.seen.note("revived on the way");
                self.custody(node).release()
            } else if node == Node::Child && place.attached {
                place.awake = false;
                drop(place);
                self.seen.note("asleep");
                node = Node::Root;
                self.root.release()
            } else {
                drop(place);
                return self.destroy(node);
            };
            if duty != Released::Destroy {
                return;
            }
        }
    }

    /// `keep::put_down`.
    fn put_down(&self, mut node: Node) {
        let mut place = self.place.lock().unwrap();
        loop {
            match self.custody(node).release() {
                Released::Shared => return,
                Released::Destroy if node == Node::Child && place.attached => {
                    self.seen.note("put down");
                    place.awake = false;
                    node = Node::Root;
                }
                _ => {
                    drop(place);
                    return self.dropped(node);
                }
            }
        }
    }

    /// `edit::attach_owned`.
    fn give(&self) {
        let mut place = self.place.lock().unwrap();
        place.attached = true;
        if self.child.release() == Released::Destroy {
            self.seen.note("asleep at once");
        } else {
            self.seen.note("others have handles");
            place.awake = true;
            self.root.acquire();
        }
    }

    fn destroy(&self, node: Node) {
        if node == Node::Root {
            // `clear::shed`: what stands below dies with it.
            let mut place = self.place.lock().unwrap();
            if place.attached {
                place.attached = false;
                self.child.wake_node(place.awake);
                assert!(!place.awake, "a child that is awake keeps the root");
                drop(place);
                self.release(Node::Child);
            }
        }
        assert_eq!(
            self.freed[node as usize].fetch_add(1, SeqCst),
            0,
            "freed twice: {node:?}"
        );
        self.custody(node).note_freed();
    }

    /// `erase::erase`, of the child, by a holder of a handle to it.
    fn erase(&self) {
        let awake = {
            let mut place = self.place.lock().unwrap();
            if place.erased {
                self.seen.note("erased before");
                return;
            }
            self.child.wake_node(place.awake);
            place.attached = false;
            place.erased = true;
            std::mem::take(&mut place.awake)
        };
        if awake {
            self.release(Node::Root);
        }
        self.release(Node::Child);
    }

    /// A reader: from the root to the child and back.
    fn read(&self) {
        if self.take() {
            assert!(self.child.state().strong() > 0);
            if self.place.lock().unwrap().erased {
                self.seen.note("the reader holds what was erased");
            }
            self.release(Node::Child);
        }
    }

    fn end(&self) {
        for node in [Node::Root, Node::Child] {
            assert_eq!(self.freed[node as usize].load(SeqCst), 1, "left over: {node:?}");
        }
    }
}

/// Runs each on a thread of its own, and sees that nothing is left.
fn model(threads: &'static [fn(&Tree)], expected: &[&str]) {
    model_of(Tree::new, threads, expected);
}

fn model_of(make: fn(&Seen) -> Arc<Tree>, threads: &'static [fn(&Tree)], expected: &[&str]) {
    let seen = Seen::default();
    let note = seen.clone();
    loom::model(move || {
        let tree = make(&note);
        let others: Vec<_> = threads[1..]
            .iter()
            .map(|run| {
                let tree = tree.clone();
                thread::spawn(move || run(&tree))
            })
            .collect();
        threads[0](&tree);
        others.into_iter().for_each(|other| other.join().unwrap());
        tree.end();
    });
    let seen = seen.0.lock().unwrap();
    for outcome in expected {
        assert!(seen.contains(outcome), "{outcome:?} never happened: {seen:?}");
    }
}

#[test]
fn the_last_handles_go_on_two_threads() {
    model(
        &[|tree| tree.release(Node::Root), |tree| tree.release(Node::Child)],
        &["asleep"],
    );
}

#[test]
fn a_child_is_taken_while_its_last_handle_is_put_down() {
    model(
        &[
            |tree| {
                tree.read();
                tree.put_down(Node::Root);
            },
            |tree| tree.put_down(Node::Child),
        ],
        &["put down", "woken"],
    );
}

#[test]
fn a_child_is_given_away_while_another_handle_goes() {
    model_of(
        Tree::apart,
        &[
            |tree| {
                tree.give();
                tree.read();
                tree.release(Node::Root);
            },
            |tree| tree.release(Node::Child),
        ],
        &[
            "asleep at once",
            "others have handles",
            "asleep",
            "a reference is left for a thread on its way",
        ],
    );
}

#[test]
fn a_child_is_taken_while_its_last_handle_goes() {
    model(
        &[
            |tree| {
                tree.read();
                tree.release(Node::Root);
            },
            |tree| tree.release(Node::Child),
        ],
        &["asleep", "woken", "a reference is left for a thread on its way"],
    );
}

#[test]
fn two_readers_and_the_last_handle() {
    model(
        &[
            |tree| {
                tree.read();
                tree.release(Node::Root);
            },
            |tree| tree.release(Node::Child),
            |tree| {
                // A handle of its own to the root, by way of the child: it may be too late.
                let place = tree.place.lock().unwrap();
                let there = place.attached && place.awake && tree.child.state().strong() > 0;
                if there {
                    tree.child.wake_node(true);
                }
                drop(place);
                if there {
                    tree.release(Node::Child);
                }
            },
        ],
        &["asleep", "woken"],
    );
}

#[test]
fn readers_against_an_editor() {
    model(
        &[
            |tree| {
                tree.read();
                tree.release(Node::Root);
            },
            |tree| {
                tree.erase();
                tree.release(Node::Child);
            },
        ],
        &["the reader comes too late", "the reader holds what was erased"],
    );
}
