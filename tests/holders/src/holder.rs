//! [`Holder`]: keeps a value natively, and lets native threads that never saw Python play with it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use pairbond::prelude::*;
use pairbond::refs::Root;

use crate::node::Node;

/// Keeps a value where Python does not see it.
#[pairbond::object("pairbond_holders.Holder")]
pub(crate) struct Holder {
    value: Cell<Any>,
    weak: Cell<Option<Weak<Root>>>,
    #[untraced]
    threads: Mutex<Vec<JoinHandle<()>>>,
    #[untraced]
    stop: Arc<AtomicBool>,
    #[untraced]
    rounds: Arc<AtomicU64>,
}

#[pairbond::methods]
impl Holder {
    #[new]
    fn new(#[default(Any::None)] value: Any) -> Self {
        Holder {
            value: Cell::new(value),
            weak: Cell::new(None),
            threads: Mutex::default(),
            stop: Arc::default(),
            rounds: Arc::default(),
        }
    }

    /// Holds a value.
    fn put(&self, value: Any) {
        self.value.set(value);
    }

    /// The value, which it goes on holding.
    fn get(&self) -> Any {
        self.value.get()
    }

    /// Gives the value away.
    fn take(&self) -> Any {
        self.value.take()
    }

    /// Drops the value.
    fn clear(&self) {
        drop(self.value.take());
    }

    /// Drops the value on a thread that never saw Python.
    #[detach]
    fn drop_on_thread(&self) {
        let value = self.value.take();
        std::thread::spawn(move || drop(value))
            .join()
            .expect("dropping does not panic");
    }

    /// Holds an object weakly.
    fn watch(&self, object: Weak<Root>) {
        self.weak.set(Some(object));
    }

    /// Holds weakly what a node refers to, without letting Python see it.
    fn watch_next(&self, node: Borrow<'_, Node>) {
        let next = node.next.get().map(|next| next.into_erased());
        let next = next.and_then(|next| next.downcast::<Root>().ok());
        self.weak.set(next.map(|next| next.downgrade()));
    }

    /// The object that is held weakly, if it lives.
    fn upgrade(&self) -> Option<Ref<Root>> {
        self.weak.get()?.upgrade()
    }

    /// Whether a thread that never saw Python can upgrade the weak reference; it drops the object.
    #[detach]
    fn upgrade_on_thread(&self) -> bool {
        let weak = self.weak.get();
        std::thread::spawn(move || weak.and_then(|weak| weak.upgrade()).is_some())
            .join()
            .expect("it does not panic")
    }

    /// Starts threads that clone and drop the value until `stop`.
    fn churn(&self, #[default(2)] threads: usize) {
        self.stop.store(false, Ordering::Relaxed);
        for _ in 0..threads {
            let (value, stop, rounds) = (self.value.get(), self.stop.clone(), self.rounds.clone());
            let churn = move || {
                while !stop.load(Ordering::Relaxed) {
                    drop((0..8).map(|_| value.clone()).collect::<Vec<_>>());
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            };
            self.threads
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(std::thread::spawn(churn));
        }
    }

    /// Starts threads that move the value between two cells of their own, and drop it, and take it
    /// anew with a weak reference or from here, until `stop`.
    fn juggle(this: Borrow<'_, Self>, #[default(2)] threads: usize) {
        this.stop.store(false, Ordering::Relaxed);
        for _ in 0..threads {
            let (holder, stop, rounds) = (this.to_ref(), this.stop.clone(), this.rounds.clone());
            let juggle = move || {
                let (left, right) = (Cell::new(Any::None), Cell::new(Any::None));
                while !stop.load(Ordering::Relaxed) {
                    left.set(holder.value.get());
                    right.set(left.take());
                    right.set(
                        holder
                            .weak
                            .get()
                            .and_then(|weak| weak.upgrade())
                            .map_or(Any::None, |it| Any::Object(it.into_erased())),
                    );
                    right.take();
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            };
            this.threads
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(std::thread::spawn(juggle));
        }
    }

    /// Starts threads that go round the ring of nodes that is held, and at each take the reference
    /// to the next out of the node, hold it alone, and put it back, until `stop`. A node without a
    /// next one is somebody else's at the moment.
    fn relink(this: Borrow<'_, Self>, #[default(2)] threads: usize) {
        this.stop.store(false, Ordering::Relaxed);
        for _ in 0..threads {
            let (holder, stop, rounds) = (this.to_ref(), this.stop.clone(), this.rounds.clone());
            let relink = move || {
                let first = match holder.value.get() {
                    Any::Object(object) => object.downcast::<Node>().ok(),
                    _ => None,
                };
                let mut node = first.clone();
                while let Some(at) = node.take().filter(|_| !stop.load(Ordering::Relaxed)) {
                    let next = at.next.take();
                    if let Some(next) = next {
                        // A clone and its drop, so that it is not always the same count.
                        drop(next.clone());
                        at.next.set(Some(next));
                        rounds.fetch_add(1, Ordering::Relaxed);
                    }
                    node = at.next.get().or_else(|| first.clone());
                }
            };
            this.threads
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(std::thread::spawn(relink));
        }
    }

    /// How often the threads went round.
    #[getter]
    fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Stops the threads; returns how often they went round.
    #[detach]
    fn stop(&self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            thread.join().expect("the threads do not panic");
        }
        self.rounds.load(Ordering::Relaxed)
    }
}
