//! Inputs and results that a derivative saves.
//!
//! An input is kept as it is. A result is kept without its history, which would be the node that
//! keeps it: when it is needed, the result itself is looked for (a custom function's), or a tensor
//! is made that has this node as its history. All remember how often their memory had been written
//! to. A [`Variable`], a [`Kept`], a [`Packed`] or a [`KeptPart`] is kept.
//!
//! Where hooks are in force, the packed value is kept in the tensor's place. A hook gets the tensor
//! itself; if it returns a result as it is, that is kept as without hooks.

use std::sync::atomic::Ordering;

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;

use super::CopySlices;
use crate::graph::{Edge, Named, Node, Saved, T, Value, Variable, as_variable, dispatch, history};
use crate::mode::Mode;
use crate::state;

/// A value that an operation saves.
pub enum Save<'a, V: Object> {
    /// One of its inputs.
    In(&'a Ref<V>),
    /// One of its inputs that only the gradient of the input of that number needs.
    For(usize, &'a Ref<V>),
    /// Its result.
    Out,
}

/// No result.
const INPUT: u32 = u32::MAX;

/// A result that is looked for before it is made again.
#[pairbond::object("pairbond_tape._Kept", opaque)]
pub struct Kept {
    result: Weak<Variable>,
    /// Of the result, when it was kept.
    exchanges: u32,
    detached: Ref<Variable>,
}

/// A result of what wrote to a view: it is part of the base from then on.
#[pairbond::object("pairbond_tape._KeptPart", opaque)]
pub struct KeptPart {
    kept: ErasedRef,
    slices: Weak<CopySlices>,
    /// The node of the view after it was written to: hooks of the view are there.
    view: Option<Weak<Node>>,
}

/// The result of a user's hook for a tensor.
#[pairbond::object("pairbond_tape._Packed", opaque)]
pub struct Packed {
    value: Cell<Any>,
    unpack: Function,
    /// Where gradients of the tensor go; of an input.
    edge: Cell<Edge>,
}

/// Looks at the hooks of this thread.
fn with_hooks<R>(look: impl FnOnce(&mut Vec<(Function, Function)>) -> R) -> R {
    state::with_state(|state| look(&mut state.saved_hooks.borrow_mut()))
}

/// From now on this thread keeps what `pack` makes of tensors, and `unpack` makes tensors of that.
#[pairbond::function]
#[name("_push_saved_tensors_hooks")]
pub fn push_saved_tensors_hooks(pack: Function, unpack: Function) {
    with_hooks(|hooks| hooks.push((pack, unpack)));
}

/// The opposite.
#[pairbond::function]
#[name("_pop_saved_tensors_hooks")]
pub fn pop_saved_tensors_hooks() {
    let last = with_hooks(Vec::pop);
    drop(last);
}

/// Whether there are hooks in force on this thread.
#[pairbond::function]
#[name("_has_saved_tensors_hooks")]
pub fn has_saved_tensors_hooks() -> bool {
    with_hooks(|hooks| !hooks.is_empty())
}

/// The hooks in force when a run began, which are in force again when it ends.
pub(super) struct InForce(Vec<(Function, Function)>);

impl InForce {
    pub(super) fn current() -> InForce {
        InForce(with_hooks(|hooks| hooks.clone()))
    }
}

impl Drop for InForce {
    fn drop(&mut self) {
        let entered = with_hooks(|hooks| std::mem::replace(hooks, std::mem::take(&mut self.0)));
        drop(entered);
    }
}

/// Puts tensors away for the node that made `out`.
pub(super) fn save_tensors<V: Value>(
    saves: &[Save<'_, V>],
    node: &Ref<Node>,
    out: &Ref<V>,
) -> Result<Vec<Saved>> {
    let mut all = Vec::with_capacity(saves.len());
    for save in saves {
        match save {
            Save::In(tensor) => all.push(save_input(as_variable(tensor))?),
            Save::For(number, tensor) => {
                if node.leads_on(*number) {
                    all.push(save_input(as_variable(tensor))?);
                }
            }
            Save::Out => all.push(save_result(as_variable(out), 0, false)?),
        }
    }
    Ok(all)
}

/// Puts an input away.
pub(crate) fn save_input(tensor: &T) -> Result<Saved> {
    let version = dispatch::version_of(tensor);
    if let Some(packed) = pack_tensor(tensor, Some(history::edge_of(tensor)))? {
        return Ok((packed.into_erased(), version, INPUT));
    }
    Ok((tensor.clone().into_erased(), version, INPUT))
}

/// Saves a result, which has its history already. If it is to be `found`, it is looked for before
/// it is made again.
pub(crate) fn save_result(result: &T, output: u32, found: bool) -> Result<Saved> {
    let version = dispatch::version_of(result);
    if let Some(packed) = pack_tensor(result, None)? {
        return Ok((packed.into_erased(), version, output));
    }
    let kept = if found {
        Kept::keep_result(result)?.into_erased()
    } else {
        dispatch::detach_value(result)?.into_erased()
    };
    Ok((kept, version, output))
}

impl KeptPart {
    /// Returns the node that computed the view, or would.
    fn view_node(&self) -> Option<Ref<Node>> {
        let made = self.view.as_ref().and_then(Weak::upgrade);
        made.or_else(|| Some(CopySlices::part_node(&self.slices.upgrade()?)))
    }
}

impl Kept {
    fn keep_result(result: &T) -> Result<Ref<Kept>> {
        Ok(Ref::new(Kept {
            result: result.downgrade(),
            exchanges: result.exchanges.load(Ordering::Acquire),
            detached: dispatch::detach_value(result)?,
        }))
    }

    /// The result, with a history if it has to be made again: it is gone, was made anew, or has
    /// other memory.
    fn restore_tensor(&self, made: &Edge) -> Result<T> {
        let is_it = |result: &T| {
            let own = result.grad_fn.get();
            own.zip(made.0.as_ref()).is_some_and(|(own, made)| own.is(made))
                && result.exchanges.load(Ordering::Acquire) == self.exchanges
        };
        match self.result.upgrade().filter(is_it) {
            Some(result) => Ok(result),
            None => with_history(&self.detached, made.clone()),
        }
    }
}

fn with_history(tensor: &T, made: Edge) -> Result<T> {
    let again = dispatch::detach_value(tensor)?;
    history::set_edge(&again, made);
    Ok(again)
}

/// The results among what the inner node saved are the view `target` of a base from now on.
pub(super) fn are_of_part(slices: &Ref<CopySlices>, target: &T) {
    let node = &slices.inner;
    let is_result = |saved: &Saved| saved.2 != INPUT;
    if !node.saved.with(|saved| saved.iter().any(is_result)) {
        return;
    }
    let view = history::grad_fn(target).map(|made| made.downgrade());
    let mut saved = node.saved.take();
    for (kept, _, _) in saved.iter_mut().filter(|(.., output)| *output != INPUT) {
        *kept = Ref::new(KeptPart {
            kept: kept.clone(),
            slices: slices.downgrade(),
            view: view.clone(),
        })
        .into_erased();
    }
    node.saved.set(saved);
}

/// Packs a tensor by the hooks in force; an input's gradient goes along `edge`.
fn pack_tensor(tensor: &T, edge: Option<Edge>) -> Result<Option<Ref<Packed>>> {
    let Some((pack, unpack)) = with_hooks(|hooks| hooks.last().cloned()) else {
        return Ok(None);
    };
    let _mode = Mode::set(false);
    let version = dispatch::version_of(tensor);
    let mut value = pack.call(&[tensor.clone().into()])?;
    if dispatch::version_of(tensor) != version {
        return Err(Error::runtime_error(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by in-place \
             operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place operations on the \
             input to a pack hook.",
        ));
    }
    // The node does not own its results.
    let same = |other: T| other.is(tensor);
    if edge.is_none() && value.downcast::<Variable>().is_some_and(same) {
        value = Kept::keep_result(tensor)?.into();
    }
    Ok(Some(Ref::new(Packed {
        value: Cell::new(value),
        unpack,
        edge: Cell::new(edge.unwrap_or_default()),
    })))
}

/// Looks at what a node saved.
pub(crate) fn unpack_saved(node: &Ref<Node>, place: usize) -> Result<T> {
    let found = node.saved.with(|saved| saved.get(place).cloned());
    let Some((kept, version, output)) = found else {
        return Err(freed_error());
    };
    let (kept, part) = match kept.downcast::<KeptPart>() {
        Ok(part) => (part.kept.clone(), part.view_node()),
        Err(kept) => (kept, None),
    };
    // What made a result; of an input nothing.
    let made = || match (output, part) {
        (INPUT, _) => (None, 0),
        (_, Some(part)) => (Some(part), 0),
        (output, None) => (Some(node.clone()), output),
    };
    let kept = match kept.downcast::<Packed>() {
        Err(kept) => kept,
        Ok(packed) => {
            let made = if output == INPUT {
                packed.edge.get()
            } else {
                made()
            };
            let mut value = packed.value.get();
            if let Some(kept) = value.downcast::<Kept>() {
                value = kept.restore_tensor(&made)?.into();
            }
            let tensor = packed.unpack.call(&[value])?.downcast::<Variable>();
            let wrong = || Error::type_error("Output of saved tensor unpack_hook expected to be a Tensor");
            return with_history(&tensor.ok_or_else(wrong)?, made);
        }
    };
    let (tensor, result) = match kept.downcast::<Kept>() {
        Ok(kept) => (kept.detached.clone(), Some(kept)),
        Err(tensor) => (tensor.downcast::<Variable>().map_err(|_| freed_error())?, None),
    };
    let now = dispatch::version_of(&tensor);
    if now != version {
        return Err(modified_error(node, &tensor, version, now)?);
    }
    match result {
        _ if output == INPUT => Ok(tensor),
        Some(kept) => kept.restore_tensor(&made()),
        None => with_history(&tensor, made()),
    }
}

/// The error of a second access.
pub(crate) fn freed_error() -> Error {
    Error::runtime_error(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). \
         Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if \
         you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

fn modified_error(node: &Ref<Node>, tensor: &T, version: u64, now: u64) -> Result<Error> {
    let (writer, meta) = (dispatch::last_writer(tensor), dispatch::meta_of(tensor)?);
    Ok(Error::runtime_error(format!(
        "one of the variables needed for gradient computation has been modified by an inplace operation: the {} tensor of shape {:?}, which \
         {} needs, is at version {now}; expected version {version} instead. The last operation that changed it was {writer}.",
        dispatch::kind_name(tensor, &meta),
        meta.shape,
        node.name(),
    )))
}
