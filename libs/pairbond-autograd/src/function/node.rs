//! [`FunctionNode`]: the node that is the context.

use std::sync::atomic::{AtomicBool, Ordering};

use pairbond::prelude::*;

use crate::engine::Node;
use crate::tensor::{DType, T};

/// What all nodes of one `Function` have in common.
#[pairbond::object("pairbond_autograd._FunctionInfo", opaque)]
pub struct FunctionInfo {
    /// What its nodes are called.
    #[field]
    pub(super) name: Str,
    /// `backward`, with the context first.
    pub(super) backward: Function,
}

#[pairbond::methods]
impl FunctionInfo {
    #[new]
    fn new(name: Str, backward: Function) -> Self {
        FunctionInfo { name, backward }
    }
}

/// What a tensor looks like.
pub(super) type Look = (Vec<usize>, DType);

/// The context of one call of a `Function`, and its node.
#[pairbond::object("pairbond_autograd._FunctionNode", extends = Node, opaque)]
pub struct FunctionNode {
    pub(super) node: Node,
    pub(super) info: Ref<FunctionInfo>,
    /// What `save_for_backward` was given, until the results are known.
    pub(super) to_save: Cell<Vec<Option<T>>>,
    /// Which of what was saved is None.
    #[untraced]
    pub(super) saved_none: Cell<Vec<bool>>,
    pub(super) dirty: Cell<Vec<T>>,
    pub(super) non_differentiable: Cell<Vec<T>>,
    /// Whether gradients that are not there are zeros.
    #[untraced]
    pub(super) materialize: AtomicBool,
    /// Of each argument: what it looks like if it is a tensor, and whether a derivative is wanted.
    #[untraced]
    pub(super) arguments: Cell<Vec<(Option<Look>, bool)>>,
    /// Of each result that is a tensor.
    #[untraced]
    pub(super) results: Cell<Vec<Option<Look>>>,
    /// Whether a node is wanted at all.
    #[untraced]
    pub(super) recorded: AtomicBool,
}

impl FunctionNode {
    pub(super) fn value(info: Ref<FunctionInfo>) -> FunctionNode {
        FunctionNode {
            node: Node::value(None, Vec::new()),
            info,
            to_save: Cell::new(Vec::new()),
            saved_none: Cell::new(Vec::new()),
            dirty: Cell::new(Vec::new()),
            non_differentiable: Cell::new(Vec::new()),
            materialize: AtomicBool::new(true),
            arguments: Cell::new(Vec::new()),
            results: Cell::new(Vec::new()),
            recorded: AtomicBool::new(false),
        }
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }

    /// The name of a node, if it is one of these.
    pub(crate) fn name_of(node: Borrow<'_, Node>) -> Option<Str> {
        let node: Borrow<'_, FunctionNode> = node.erase().downcast()?;
        Some(node.get().info.name.clone())
    }
}
