//! [`Node`]: a step of the way back.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;

use super::{NodeHooks, Rule};
use crate::state;

/// A [`Variable`](super::Variable), or what the engine keeps in its place; the version of its
/// memory; and which result of the node it is.
pub(crate) type Saved = (ErasedRef, u64, u32);

/// Where a gradient goes on: a node, and as which of its inputs.
pub type Edge = (Option<Ref<Node>>, u32);

/// The place of a node among those of its thread, from now.
#[inline]
fn next_sequence() -> u64 {
    state::with_state(|state| state.sequence.replace(state.sequence.get() + 1))
}

/// A step of the backward pass: takes gradients of an operation's results, returns those of its
/// inputs.
#[pairbond::object("pairbond_tape.Node", opaque)]
pub struct Node {
    /// Its derivative; `None` if the extending type computes it.
    #[untraced]
    pub(crate) rule: Option<Box<dyn Rule>>,
    /// When it was made, on its thread. The node made last runs first.
    #[untraced]
    pub(crate) sequence: AtomicU64,
    /// Where the gradients that it gives go on.
    pub(crate) next: Cell<Vec<Edge>>,
    /// The values saved for its derivative.
    pub(crate) saved: Cell<Vec<Saved>>,
    /// Its pre-hooks and post-hooks.
    pub(crate) hooks: Cell<Option<Ref<NodeHooks>>>,
    /// Whatever users put there; where it was made, in anomaly mode.
    metadata: Cell<Option<Map<Any, Any>>>,
    /// Whether it ran for the last time: its saved tensors were released.
    #[untraced]
    released: AtomicBool,
}

impl Node {
    #[inline]
    pub(crate) fn from_rule(rule: Option<Box<dyn Rule>>, next: Vec<Edge>) -> Node {
        Node {
            rule,
            sequence: AtomicU64::new(next_sequence()),
            next: Cell::new(next),
            saved: Cell::new(Vec::new()),
            hooks: Cell::new(None),
            metadata: Cell::new(None),
            released: AtomicBool::new(false),
        }
    }

    pub(crate) fn sequence_number(&self) -> u64 {
        self.sequence.load(Ordering::Relaxed)
    }

    /// Returns the mapping for whatever users want to put there, which is made if there is none.
    pub fn metadata(&self) -> Map<Any, Any> {
        if let Some(map) = self.metadata.get() {
            return map;
        }
        let made = Map::new();
        self.metadata
            .update(|place| place.get_or_insert(made.clone()).clone())
    }

    /// Its place among those that are made on this thread, from now.
    pub(crate) fn count_again(&self) {
        self.sequence.store(next_sequence(), Ordering::Relaxed);
    }

    /// Keeps what the derivative needs.
    pub(crate) fn keep_saved(&self, saved: Vec<Saved>) {
        self.saved.set(saved);
    }

    /// Whether the gradient of its input of that number goes on.
    #[inline]
    pub(crate) fn leads_on(&self, input: usize) -> bool {
        self.next
            .with(|next| next.get(input).is_some_and(|edge| edge.0.is_some()))
    }

    /// Whether the gradient of its first input goes along that edge.
    #[must_use]
    pub fn has_first_edge(&self, (node, output): &Edge) -> bool {
        self.next.with(|next| match (next.first(), node) {
            (Some((Some(first), number)), Some(node)) => first.is(node) && number == output,
            (Some((None, _)), None) => true,
            _ => false,
        })
    }

    /// Gives back what the derivative needed.
    pub(crate) fn release_saved(&self) {
        drop(self.saved.take());
        self.released.store(true, Ordering::Release);
    }

    pub(crate) fn is_released(&self) -> bool {
        self.released.load(Ordering::Acquire)
    }
}

/// Returns the name of a node.
pub(crate) fn name_of(node: Borrow<'_, Node>) -> Str {
    match &node.rule {
        Some(rule) => rule.name(node),
        None => match node.header().info().key() {
            "pairbond_tape.CopySlices" => "CopySlices".into(),
            _ => "AccumulateGrad".into(),
        },
    }
}

/// The names of nodes.
pub trait Named {
    /// Returns its name, such as `MulBackward0`.
    fn name(&self) -> Str;
}

impl Named for Ref<Node> {
    fn name(&self) -> Str {
        name_of(self.as_borrow())
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("sequence", &self.sequence_number())
            .field("is_released", &self.is_released())
            .finish_non_exhaustive()
    }
}
