//! [`AccumulateGrad`]: the end of the way back, at a tensor that nothing made.

use std::sync::atomic::{AtomicU64, Ordering};

use pairbond::prelude::*;

use super::{Meta, Named, Node, T, Value, Variable, as_variable, dispatch};
use crate::mode::is_grad_enabled;
use crate::state;

/// Adds what arrives to the gradient of a tensor. The tensor knows it weakly, so there is at most
/// one, and it lives as long as a graph or Python refers to it.
#[pairbond::object("pairbond_tape.AccumulateGrad", extends = Node, opaque)]
pub struct AccumulateGrad {
    node: Node,
    /// Whose gradient it is.
    #[field]
    variable: Ref<Variable>,
    /// Shape and type of elements that gradients have, if the value has others by now.
    #[untraced]
    former: Cell<Option<Meta>>,
}

/// Tells the tape that the memory of a value was replaced, which had that shape and type of
/// elements before.
///
/// A graph that was recorded before goes on with gradients like that, and so does one recorded
/// later if the former is alive and the type is the same. A node that saved the value as its result
/// has it as it was.
pub fn notify_replaced<V: Value>(value: &Ref<V>, before: &Meta) {
    let (variable, now) = (as_variable(value), value.meta());
    variable.exchanges.fetch_add(1, Ordering::AcqRel);
    let known = variable.accumulator.get().and_then(|weak| weak.upgrade());
    let Some(known) = known.filter(|_| now != *before) else {
        return;
    };
    known.former.update(|former| {
        former.get_or_insert_with(|| before.clone());
    });
    if now.kind != before.kind {
        variable.accumulator.set(None);
    }
}

impl AccumulateGrad {
    /// That of a tensor.
    pub(crate) fn for_leaf(variable: &T) -> Ref<AccumulateGrad> {
        let known = || variable.accumulator.get().and_then(|weak| weak.upgrade());
        if let Some(known) = known() {
            return known;
        }
        let mut node = Node::from_rule(None, Vec::new());
        // Before all others, so that gradients do not wait for each other.
        node.sequence = AtomicU64::new(u64::MAX);
        let made = Ref::new(AccumulateGrad {
            node,
            variable: variable.clone(),
            former: Cell::new(None),
        });
        loop {
            let seen = variable.accumulator.get();
            if let Some(known) = seen.as_ref().and_then(Weak::upgrade) {
                return known;
            }
            // Another thread may have been faster; its node is alive then.
            let weak = made.downgrade();
            let ours = variable.accumulator.update(|place| {
                let same = match (&*place, &seen) {
                    (None, None) => true,
                    (Some(now), Some(seen)) => now.is(seen),
                    _ => false,
                };
                if same {
                    *place = Some(weak);
                }
                same
            });
            if ours {
                return made;
            }
        }
    }

    /// The node as one, if it is.
    pub(crate) fn from_node(node: &Ref<Node>) -> Option<Borrow<'_, AccumulateGrad>> {
        node.as_borrow().erase().downcast()
    }

    pub(crate) fn variable(&self) -> &T {
        &self.variable
    }

    /// A gradient in the shape and of the kind of the value: it is summed up if the value can be
    /// stretched to it. `node` gave it as that for its input of that number.
    pub(crate) fn fit_grad(&self, node: &Ref<Node>, input: usize, grad: T) -> Result<T> {
        let wanted = match self.former.get() {
            None if dispatch::is_like(&self.variable, &grad)? => return Ok(grad),
            None => dispatch::meta_of(&self.variable)?,
            Some(former) if dispatch::meta_of(&grad)? == former => return Ok(grad),
            Some(former) => former,
        };
        if let Some(fitting) = dispatch::fit_gradient(&self.variable, &grad, &wanted)? {
            return Ok(fitting);
        }
        Err(Error::runtime_error(format!(
            "Function {} returned an invalid gradient at index {input} - got {:?} but expected shape compatible with {:?}",
            node.name(),
            dispatch::meta_of(&grad)?.shape,
            wanted.shape
        )))
    }

    /// Adds to the gradient of any value, from any thread: a lock is held while numbers are added,
    /// and never while Python runs.
    pub(crate) fn add_to(variable: &T, grad: &T) -> Result<()> {
        if !dispatch::calls_python(variable) {
            // Dropped outside of the lock.
            let before = dispatch::grad_of(variable)?;
            let late = state::with_grad_lock(|| Self::try_add(variable, grad))?;
            drop(before);
            if !late {
                return Ok(());
            }
        }
        // What Python did meanwhile may have replaced it: adds to that.
        while Self::try_add(variable, grad)? {}
        Ok(())
    }

    /// Adds, unless the gradient was replaced meanwhile; returns whether it was.
    fn try_add(variable: &T, grad: &T) -> Result<bool> {
        let records = is_grad_enabled();
        let before = dispatch::grad_of(variable)?;
        let sum = match &before {
            // One of its own, as the gradient may be shared; it has the history of that.
            None => dispatch::copy_gradient(grad)?,
            Some(before) if records => dispatch::add_values(before, grad)?,
            // It stays the same one.
            Some(before) if dispatch::add_in_place(before, grad)? => return Ok(false),
            Some(before) => dispatch::add_values(before, grad)?,
        };
        Ok(dispatch::replace_grad(variable, before.as_ref(), sum)?.is_some())
    }
}
