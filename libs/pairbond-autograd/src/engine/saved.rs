//! What a derivative needs of inputs and results.
//!
//! An input is kept as it is. A result is kept without its history, which would be the node that keeps it: when it is needed, a tensor is made that has this
//! node as its history. Both remember how often their memory had been written to.

use pairbond::prelude::*;

use super::{Node, history};
use crate::tensor::{T, Tensor};

/// What an operation saves.
pub(crate) enum Save<'a> {
    /// One of its inputs.
    In(&'a T),
    /// Its result.
    Out,
}

/// The tensor, the version of its memory, and which result of the node it is.
pub(super) type Saved = (Ref<Tensor>, u64, u32);

/// No result.
const INPUT: u32 = u32::MAX;

/// Puts tensors away for a node. Before `out` has a history.
pub(super) fn put(saves: &[Save<'_>], out: &T) -> Vec<Saved> {
    let each = |save: &Save<'_>| match save {
        Save::In(tensor) => ((*tensor).clone(), tensor.storage.version(), INPUT),
        Save::Out => (Tensor::detached(out), out.storage.version(), 0),
    };
    saves.iter().map(each).collect()
}

/// Looks at what a node saved.
pub(super) fn unpack(node: &Ref<Node>, place: usize) -> Result<T> {
    let found = node.saved.with(|saved| saved.get(place).cloned());
    let Some((tensor, version, output)) = found else {
        return Err(freed());
    };
    let now = tensor.storage.version();
    if now != version {
        return Err(modified(node, &tensor, version, now));
    }
    if output == INPUT {
        return Ok(tensor);
    }
    let again = Tensor::detached(&tensor);
    history::set(&again, node.clone(), output);
    Ok(again)
}

/// The error of who comes a second time.
pub(super) fn freed() -> Error {
    Error::runtime_error(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). \
         Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if \
         you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

fn modified(node: &Node, tensor: &T, version: u64, now: u64) -> Error {
    let writer = tensor.storage.writer();
    Error::runtime_error(format!(
        "one of the variables needed for gradient computation has been modified by an inplace operation: the {} tensor of shape {:?}, which \
         {} needs, is at version {now}; expected version {version} instead. The last operation that changed it was {writer}.",
        tensor.dtype().name(),
        tensor.shape(),
        node.name(),
    ))
}
