//! [`FunctionNode`]: the node that is the context.

use std::sync::atomic::{AtomicBool, Ordering};

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use smallvec::SmallVec;

use super::run_backward::Backward;
use crate::graph::dispatch::Operations;
use crate::graph::{Meta, Node, T};

/// A `Function` as it is applied: its `apply`, and what all its nodes have in common. The Python
/// class keeps the methods here as they are in the class.
#[pairbond::object("pairbond_tape._FunctionInfo", opaque, immutable_type)]
pub struct FunctionInfo {
    /// The name of its nodes.
    #[field]
    pub(super) name: Str,
    /// The class of its contexts, which is called with this.
    #[field]
    pub(super) contexts: Function,
    /// Returns a list of a tuple's elements, and None for all else.
    pub(super) unpack: Function,
    /// `forward`, with the context first if there is no `setup_context`.
    #[field(set)]
    pub(super) forward: Cell<Function>,
    /// `setup_context`, with the context, the result, and the arguments.
    #[field(set)]
    pub(super) setup: Cell<Option<Function>>,
    /// `backward`, with the context first.
    #[field(set)]
    pub(super) backward: Cell<Function>,
}

/// Shape and type of a value, and the functions of its library.
pub(super) type Look = (Meta, &'static Operations);

/// Of an argument: its shape and type if it is a tensor, and whether a derivative is wanted.
pub(super) type Argument = (Option<Look>, bool);

/// What `forward` says of its tensors, until the results are known: what to save, which arguments
/// it wrote to, and which results have no derivative.
pub(super) type Marks = (Vec<Option<T>>, Vec<T>, Vec<T>);

/// The context of one call of a `Function`, and its node.
#[pairbond::object("pairbond_tape._FunctionNode", extends = Node, opaque)]
pub struct FunctionNode {
    pub(super) node: Node,
    pub(super) info: Ref<FunctionInfo>,
    pub(super) marks: Cell<Option<Box<Marks>>>,
    /// Which of the saved tensors are None.
    #[untraced]
    pub(super) saved_none: Cell<Vec<bool>>,
    /// Whether gradients that are not there are zeros.
    #[untraced]
    pub(super) materialize: AtomicBool,
    /// Of each argument, from when `apply` has looked at them.
    #[untraced]
    pub(super) arguments: Cell<SmallVec<[Argument; 1]>>,
    /// Of each result that is a tensor.
    #[untraced]
    pub(super) results: Cell<SmallVec<[Option<Look>; 1]>>,
    /// The object that creates zeros in place of missing gradients, for libraries that need one.
    pub(super) backend: Cell<Option<ErasedRef>>,
    /// Whether a node is wanted at all.
    #[untraced]
    pub(super) recorded: AtomicBool,
}

impl FunctionNode {
    #[inline]
    pub(super) fn for_function(info: Ref<FunctionInfo>) -> FunctionNode {
        FunctionNode {
            node: Node::from_rule(Some(Box::new(Backward)), Vec::new()),
            info,
            marks: Cell::new(None),
            saved_none: Cell::new(Vec::new()),
            materialize: AtomicBool::new(true),
            arguments: Cell::new(SmallVec::new()),
            results: Cell::new(SmallVec::new()),
            backend: Cell::new(None),
            recorded: AtomicBool::new(false),
        }
    }

    /// Says something of tensors.
    pub(super) fn set_mark<V>(&self, value: V, place: fn(&mut Marks) -> &mut V) {
        let before = self
            .marks
            .update(|marks| std::mem::replace(place(marks.get_or_insert_default()), value));
        drop(before);
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }
}
