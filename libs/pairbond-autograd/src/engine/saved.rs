//! What a derivative needs of inputs and results.
//!
//! An input is kept as it is. A result is kept without its history, which would be the node that
//! keeps it: when it is needed, the result itself is looked for (a custom function's), or a tensor
//! is made that has this node as its history. All remember how often their memory had been written
//! to.
//!
//! Where hooks are in force, the packed value is kept in the tensor's place.

use std::cell::RefCell;

use pairbond::ErasedRef;
use pairbond::prelude::*;

use super::mode::Mode;
use super::node::Edge;
use super::{Named, Node, history};
use crate::tensor::{T, Tensor};

/// What an operation saves.
pub(crate) enum Save<'a> {
    /// One of its inputs.
    In(&'a T),
    /// Its result.
    Out,
}

/// A [`Tensor`], a [`Kept`] or a [`Packed`]; the version of its memory; and which result of the
/// node it is.
pub(crate) type Saved = (ErasedRef, u64, u32);

/// No result.
const INPUT: u32 = u32::MAX;

/// A result that is looked for before it is made again.
#[pairbond::object("pairbond_autograd._Kept", opaque)]
pub struct Kept {
    result: Weak<Tensor>,
    detached: Ref<Tensor>,
}

/// What a user's hook made of a tensor.
#[pairbond::object("pairbond_autograd._Packed", opaque)]
pub struct Packed {
    value: Cell<Any>,
    unpack: Function,
    /// Where gradients of the tensor go; of an input.
    edge: Cell<Edge>,
}

thread_local! {
    static HOOKS: RefCell<Vec<(Function, Function)>> = const { RefCell::new(Vec::new()) };
}

/// From now on this thread keeps what `pack` makes of tensors, and `unpack` makes tensors of that.
#[pairbond::function]
#[name("_push_saved_tensors_hooks")]
pub(crate) fn push_saved_tensors_hooks(pack: Function, unpack: Function) {
    HOOKS.with_borrow_mut(|hooks| hooks.push((pack, unpack)));
}

/// The opposite.
#[pairbond::function]
#[name("_pop_saved_tensors_hooks")]
pub(crate) fn pop_saved_tensors_hooks() {
    let last = HOOKS.with_borrow_mut(Vec::pop);
    drop(last);
}

/// Puts tensors away for a node. Before `out` has a history.
pub(super) fn put(saves: &[Save<'_>], out: &T) -> Result<Vec<Saved>> {
    let each = |save: &Save<'_>| match save {
        Save::In(tensor) => input(tensor),
        Save::Out => result(Tensor::detached(out), 0, None),
    };
    saves.iter().map(each).collect()
}

/// Puts an input away.
pub(crate) fn input(tensor: &T) -> Result<Saved> {
    let version = tensor.storage.version();
    if let Some(packed) = pack(tensor, Some(history::edge(tensor)))? {
        return Ok((packed.into_erased(), version, INPUT));
    }
    Ok((tensor.clone().into_erased(), version, INPUT))
}

/// Saves a result: `detached` is the same without a history, and `result` is found again while it
/// lives.
pub(crate) fn result(detached: T, output: u32, result: Option<&T>) -> Result<Saved> {
    let version = detached.storage.version();
    if let Some(packed) = pack(&detached, None)? {
        return Ok((packed.into_erased(), version, output));
    }
    let kept = match result {
        None => detached.into_erased(),
        Some(result) => Ref::new(Kept {
            result: result.downgrade(),
            detached,
        })
        .into_erased(),
    };
    Ok((kept, version, output))
}

fn pack(tensor: &T, edge: Option<Edge>) -> Result<Option<Ref<Packed>>> {
    let Some((pack, unpack)) = HOOKS.with_borrow(|hooks| hooks.last().cloned()) else {
        return Ok(None);
    };
    let _mode = Mode::set(false);
    // Without a history, as PyTorch gives it: the hook may keep it.
    let value = pack.call(&[Tensor::detached(tensor).into()])?;
    Ok(Some(Ref::new(Packed {
        value: Cell::new(value),
        unpack,
        edge: Cell::new(edge.unwrap_or_default()),
    })))
}

/// Looks at what a node saved.
pub(crate) fn unpack(node: &Ref<Node>, place: usize) -> Result<T> {
    let found = node.saved.with(|saved| saved.get(place).cloned());
    let Some((kept, version, output)) = found else {
        return Err(freed());
    };
    let own = || Some(node.clone()).zip((output != INPUT).then_some(output));
    let kept = match kept.downcast::<Packed>() {
        Err(kept) => kept,
        Ok(packed) => {
            let value = packed.unpack.call(&[packed.value.get()])?;
            let tensor = value.downcast::<Tensor>();
            let wrong = || Error::type_error("Output of saved tensor unpack_hook expected to be a Tensor");
            let again = Tensor::detached(&*tensor.ok_or_else(wrong)?);
            match own() {
                Some((node, output)) => history::set(&again, node, output),
                None => history::set_edge(&again, packed.edge.get()),
            }
            return Ok(again);
        }
    };
    let (tensor, result) = match kept.downcast::<Kept>() {
        Ok(kept) => (kept.detached.clone(), kept.result.upgrade()),
        Err(tensor) => (tensor.downcast::<Tensor>().map_err(|_| freed())?, None),
    };
    let now = tensor.storage.version();
    if now != version {
        return Err(modified(node, &tensor, version, now));
    }
    match own() {
        None => Ok(tensor),
        Some((node, output)) => {
            let same = |result: &T| {
                result
                    .grad_fn
                    .with(|made| made.as_ref().is_some_and(|made| made.is(&node)))
            };
            Ok(result.filter(same).unwrap_or_else(|| {
                let again = Tensor::detached(&tensor);
                history::set(&again, node, output);
                again
            }))
        }
    }
}

/// The error of who comes a second time.
pub(crate) fn freed() -> Error {
    Error::runtime_error(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). \
         Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if \
         you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

fn modified(node: &Ref<Node>, tensor: &T, version: u64, now: u64) -> Error {
    let writer = tensor.storage.writer();
    Error::runtime_error(format!(
        "one of the variables needed for gradient computation has been modified by an inplace operation: the {} tensor of shape {:?}, which \
         {} needs, is at version {now}; expected version {version} instead. The last operation that changed it was {writer}.",
        tensor.dtype().name(),
        tensor.shape(),
        node.name(),
    ))
}
