//! [`Variable`]: what the tape keeps in each value.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use pairbond::prelude::*;

use super::dispatch::{Operations, Table};
use super::views::function_of;
use super::{AccumulateGrad, Node, Value, VariableHooks, as_variable};
use crate::mode::is_grad_enabled;

/// How the tape hands values around.
pub(crate) type T = Ref<Variable>;

/// A value with a history. A library's tensors extend it, and have its methods in Python.
#[pairbond::object("pairbond_tape.Variable", opaque)]
pub struct Variable {
    #[untraced]
    pub(crate) operations: &'static Operations,
    /// Whose memory this is a view of, if it is one. Never a view itself.
    pub(crate) base: Option<Ref<Variable>>,
    #[untraced]
    pub(crate) requires_grad: AtomicBool,
    /// Whether this is a view also as far as derivatives are concerned: it was made while they were
    /// recorded, and of such a view.
    tracks: bool,
    /// Whether this is a view of what a custom function returned as a view.
    pub(crate) of_function: bool,
    /// Of a view: the version of its memory at which its history is right.
    #[untraced]
    pub(crate) seen: AtomicU64,
    /// The node that computed it, and the number of its output.
    pub(crate) grad_fn: Cell<Option<Ref<Node>>>,
    #[untraced]
    pub(crate) output: AtomicU32,
    /// How often its memory was replaced.
    #[untraced]
    pub(crate) exchanges: AtomicU32,
    /// Hooks for its gradient, while it is a leaf.
    pub(crate) hooks: Cell<Option<Ref<VariableHooks>>>,
    /// For a leaf: the node that accumulates. It refers to this value, and a graph to it.
    pub(crate) accumulator: Cell<Option<Weak<AccumulateGrad>>>,
}

impl Variable {
    /// Returns the tape's part of a new value of type `V`, which is no view.
    #[inline]
    #[must_use]
    pub fn new<V: Value>() -> Variable {
        Variable::with_base::<V>(None, 0)
    }

    /// Returns the tape's part of a new view of `this`, whose memory has that version.
    #[inline]
    #[must_use]
    pub fn view_of<V: Value>(this: &Ref<V>, version: u64) -> Variable {
        let of = this.variable();
        let base = of.base.clone().unwrap_or_else(|| as_variable(this).clone());
        let mut view = Variable::with_base::<V>(Some(base), version);
        if of.base.is_some() && !of.tracks {
            // Taken out of the base, it would miss what made `this`.
            view.tracks = false;
            view.of_function = of.of_function || function_of(of).is_some();
        }
        view
    }

    #[inline]
    fn with_base<V: Value>(base: Option<Ref<Variable>>, version: u64) -> Variable {
        Variable {
            operations: Table::<V>::OPERATIONS,
            tracks: base.is_some() && is_grad_enabled(),
            of_function: false,
            seen: AtomicU64::new(version),
            base,
            requires_grad: AtomicBool::new(false),
            grad_fn: Cell::new(None),
            output: AtomicU32::new(0),
            exchanges: AtomicU32::new(0),
            hooks: Cell::new(None),
            accumulator: Cell::new(None),
        }
    }

    /// Whether derivatives are computed for it: it was asked for, or it was computed from such.
    #[inline]
    #[must_use]
    pub fn requires_grad(&self) -> bool {
        self.requires_grad.load(Ordering::Acquire) || self.tracks && self.base_requires_grad()
    }

    fn base_requires_grad(&self) -> bool {
        self.base.as_ref().is_some_and(|base| base.requires_grad())
    }

    /// Returns the value whose memory this is a view of.
    #[inline]
    #[must_use]
    pub fn base(&self) -> Option<&Ref<Variable>> {
        self.base.as_ref()
    }

    /// Whether it is a view, for derivatives as well.
    #[inline]
    pub(crate) fn is_tracked_view(&self) -> bool {
        self.tracks && self.base.is_some()
    }

    /// The base, if it is a view for derivatives as well.
    #[inline]
    pub(crate) fn tracked_base(&self) -> Option<&Ref<Variable>> {
        self.base.as_ref().filter(|_| self.tracks)
    }

    /// The base, if derivatives do not know of it.
    #[inline]
    pub(crate) fn untracked_base(&self) -> Option<&Ref<Variable>> {
        self.base.as_ref().filter(|_| !self.tracks)
    }

    /// Whether its gradient is to be kept although it is no leaf.
    pub(crate) fn keeps_grad(&self) -> bool {
        let hooks = self
            .grad_fn
            .with(|made| made.as_ref().and_then(|made| made.hooks.get()));
        hooks.is_some_and(|hooks| hooks.retains_grad(self))
    }

    /// Returns which of the results of the node that made it it is.
    #[inline]
    #[must_use]
    pub fn output_number(&self) -> u32 {
        self.output.load(Ordering::Acquire)
    }

    /// Returns what made it, as it was recorded: of a view whose base was written to since, use
    /// [`grad_fn_cell`](crate::grad_fn_cell).
    #[must_use]
    pub fn recorded_node(&self) -> Option<Ref<Node>> {
        self.grad_fn.get()
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variable")
            .field("requires_grad", &self.requires_grad())
            .field("output_number", &self.output_number())
            .finish_non_exhaustive()
    }
}
