//! Checkpoints: what the derivatives of a function need is computed again and not kept.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pairbond::prelude::*;
use pairbond::trace::Trace;

use crate::engine::{
    current_graph_task_id, pop_saved_tensors_hooks, push_saved_tensors_hooks, queue_callback,
};
use crate::graph::{T, Value, as_variable, dispatch, downcast_value};
use crate::mode::{Mode, is_grad_enabled};

/// The number of a thread that is in no run.
const NO_RUN: i64 = -1;

/// A function of values and parameters.
type Called<V, P> = fn(&[Ref<V>], &P) -> Result<Vec<Ref<V>>>;

/// Calls the function again, for the values that it saves.
type Again = Box<dyn Fn(&[T]) -> Result<()> + Send + Sync>;

/// One call of a function. Only the slots of its nodes keep it.
#[pairbond::object("pairbond_tape._Checkpoint", opaque)]
pub(crate) struct Checkpoint {
    inputs: Vec<T>,
    /// The versions of their memory.
    #[untraced]
    versions: Vec<u64>,
    #[untraced]
    again: Again,
    slots: Cell<Vec<Weak<Slot>>>,
}

/// Stands for a saved value.
#[pairbond::object("pairbond_tape._Slot", opaque)]
pub(crate) struct Slot {
    checkpoint: Ref<Checkpoint>,
    /// The value, while a run is under way that needed one of them.
    value: Cell<Option<T>>,
    /// That run.
    #[untraced]
    run: AtomicI64,
}

/// Pops the hooks of saved values when it is dropped.
struct Hooks;

impl Hooks {
    fn push_hooks(pack: Function, unpack: Function) -> Hooks {
        push_saved_tensors_hooks(pack, unpack);
        Hooks
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        pop_saved_tensors_hooks();
    }
}

/// Calls a function so that its nodes save nothing: the first of them that a run comes to calls it
/// again. It takes the time of two calls, and until then the memory of its inputs and results.
///
/// The function depends on nothing but `inputs` and `params`, which own no values; so collectors
/// see each reference. It is called again with the same inputs, and saves the same values in the
/// same order: random numbers belong to the inputs.
///
/// # Errors
/// Those of the function. A run that calls it again fails if an input was written to since, or if
/// the function saves another number of values.
///
/// # Examples
/// ```
/// # use pairbond::prelude::*;
/// # use pairbond::refs::ErasedRef;
/// # use pairbond_tape::{Meta, Root, Save, Value, Variable, into_variable};
/// # use pairbond_tape::{record, require_grad, run_backward};
/// use pairbond_tape::checkpoint;
/// #
/// # #[pairbond::object("numbers.Number", extends = Variable, opaque)]
/// # pub struct Number {
/// #     variable: Variable,
/// #     value: f64,
/// #     grad: Cell<Option<Ref<Number>>>,
/// # }
/// # fn number(value: f64) -> Ref<Number> {
/// #     Ref::new(Number { variable: Variable::new::<Number>(), value, grad: Cell::new(None) })
/// # }
/// # impl Value for Number {
/// #     fn variable(&self) -> &Variable {
/// #         &self.variable
/// #     }
/// #     fn grad(&self) -> &Cell<Option<Ref<Number>>> {
/// #         &self.grad
/// #     }
/// #     fn meta(&self) -> Meta {
/// #         Meta { shape: Default::default(), kind: 0 }
/// #     }
/// #     fn full(value: f64, _: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Number>> {
/// #         Ok(number(value))
/// #     }
/// #     fn add(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
/// #         let out = number(one.value + other.value);
/// #         record("AddBackward", [one, other], &[], (), out, |given, ()| {
/// #             Ok([Some(given.grad().clone()), Some(given.grad().clone())])
/// #         })
/// #     }
/// #     fn detach(this: &Ref<Number>) -> Result<Ref<Number>> {
/// #         Ok(number(this.value))
/// #     }
/// # }
/// # fn mul(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
/// #     let saves = [Save::For(0, other), Save::For(1, one)];
/// #     let out = number(one.value * other.value);
/// #     record("MulBackward", [one, other], &saves, (), out, |given, ()| {
/// #         let times = |input| mul(given.grad(), &given.saved_for(input)?);
/// #         Ok([given.when(0, || times(0))?, given.when(1, || times(1))?])
/// #     })
/// # }
///
/// let x = number(1.1);
/// require_grad(&*x, true)?;
/// // A hundred squares, of which none keeps its input.
/// let squares = |inputs: &[Ref<Number>], count: &usize| {
///     let mut y = inputs[0].clone();
///     for _ in 0..*count {
///         y = mul(&y, &y)?;
///     }
///     Ok(vec![y])
/// };
/// let y = checkpoint(&[x.clone()], 3, squares)?.remove(0);
/// run_backward(&[Root::Value(into_variable(y))], None, None, false, None)?;
/// assert!((x.grad.get().unwrap().value - 8.0 * 1.1_f64.powi(7)).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub fn checkpoint<V: Value, P: Trace + Send + Sync + 'static>(
    inputs: &[Ref<V>],
    params: P,
    function: Called<V, P>,
) -> Result<Vec<Ref<V>>> {
    const { assert!(!P::TRACED, "parameters own no tensors: they are inputs") };
    if !is_grad_enabled() || !inputs.iter().any(|input| input.variable().requires_grad()) {
        return function(inputs, &params);
    }
    let params = Arc::new(params);
    let again: Again = {
        let params = params.clone();
        Box::new(move |inputs| {
            let inputs: Result<Vec<Ref<V>>> = inputs
                .iter()
                .map(|input| downcast_value(input).cloned())
                .collect();
            function(&inputs?, &params).map(drop)
        })
    };
    let call = Ref::new(Checkpoint {
        inputs: inputs.iter().map(|input| as_variable(input).clone()).collect(),
        versions: inputs.iter().map(|input| input.version()).collect(),
        again,
        slots: Cell::new(Vec::new()),
    });
    let pack = {
        let call = call.clone();
        Function::build("pack").from(move |_: Any| slot_of(&call))
    };
    let unpack = Function::build("unpack").from(|slot: Ref<Slot>| value_of(&slot));
    let _hooks = Hooks::push_hooks(pack, unpack);
    function(inputs, &params)
}

/// A place for the next value that a call saves.
fn slot_of(call: &Ref<Checkpoint>) -> Ref<Slot> {
    let slot = Ref::new(Slot {
        checkpoint: call.clone(),
        value: Cell::new(None),
        run: AtomicI64::new(NO_RUN),
    });
    call.slots.update(|slots| slots.push(slot.downgrade()));
    slot
}

/// The value that a slot stands for; all of the same call that are needed yet come with the first.
fn value_of(slot: &Ref<Slot>) -> Result<T> {
    let run = current_graph_task_id();
    if run != NO_RUN
        && slot.run.load(Ordering::Acquire) == run
        && let Some(value) = slot.value.get()
    {
        return Ok(value);
    }
    let call = &slot.checkpoint;
    let values = compute_again(call)?;
    let slots = call.slots.get();
    if values.len() != slots.len() {
        return Err(Error::runtime_error(format!(
            "a function that is a checkpoint saved {} values when it was called, and {} when it was called again",
            slots.len(),
            values.len()
        )));
    }
    let mut own = None;
    for (other, value) in slots.iter().zip(values) {
        let Some(other) = other.upgrade() else { continue };
        if other.is(slot) {
            own = Some(value.clone());
        }
        if run != NO_RUN {
            other.value.set(Some(value));
            other.run.store(run, Ordering::Release);
        }
    }
    if run != NO_RUN {
        let call = call.downgrade();
        queue_callback(Function::build("forget").from(move || {
            if let Some(call) = call.upgrade() {
                release_values(&call);
            }
        }))?;
    }
    own.ok_or_else(|| Error::runtime_error("a collector has emptied the checkpoint"))
}

/// The end of a run: of nodes that may run again the values are given back, too.
fn release_values(call: &Checkpoint) {
    for slot in call.slots.get().iter().filter_map(Weak::upgrade) {
        slot.value.set(None);
    }
}

/// Calls the function again; returns the values that it saves, without histories.
fn compute_again(call: &Checkpoint) -> Result<Vec<T>> {
    for (input, &version) in call.inputs.iter().zip(&call.versions) {
        if dispatch::version_of(input) != version {
            return Err(Error::runtime_error(format!(
                "an input of a checkpoint was written to before its function was called again; the last operation that changed it was {}",
                dispatch::last_writer(input)
            )));
        }
    }
    let found = Arc::new(Mutex::new(Vec::new()));
    let pack = {
        let found = found.clone();
        Function::build("pack").from(move |value: T| {
            let value = dispatch::detach_value(&value)?;
            lock_ignoring_poison(&found).push(value.clone());
            Ok::<T, Error>(value)
        })
    };
    let unpack = Function::build("unpack").from(|value: T| value);
    let (_mode, hooks) = (Mode::set(true), Hooks::push_hooks(pack, unpack));
    (call.again)(&call.inputs)?;
    drop(hooks);
    let values = std::mem::take(&mut *lock_ignoring_poison(&found));
    Ok(values)
}

fn lock_ignoring_poison<E>(of: &Mutex<E>) -> MutexGuard<'_, E> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
