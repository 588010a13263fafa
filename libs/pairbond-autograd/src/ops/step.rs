//! Steps of optimizers: a parameter and its state, written in place in one pass.

use pairbond::prelude::*;

use super::common::in_order;
use crate::data::{Element, dispatch_float};
use crate::kernels::{self, GRAIN_IN_PLACE, threads};
use crate::tensor::{T, Tensor};

/// The numbers of a tensor that is written to as a whole.
fn check_whole_write(param: &T, others: &[&T]) -> Result<()> {
    let whole = |it: &T| it.geometry().is_contiguous() && it.geometry().offset == 0;
    let same = |it: &&&T| it.shape() != param.shape() || it.dtype() != param.dtype();
    if !whole(param) || others.iter().any(|it| !whole(it)) {
        return Err(Error::runtime_error(
            "a parameter must be contiguous, and no view of a part of a tensor",
        ));
    }
    match others.iter().find(same) {
        None => Ok(()),
        Some(other) => Err(Error::runtime_error(format!(
            "a parameter of shape {:?} and {} has a gradient or a state of shape {:?} and {}",
            param.shape(),
            param.dtype().name(),
            other.shape(),
            other.dtype().name()
        ))),
    }
}

/// Changes each number of a tensor, together with that of another one in the same place.
fn write_zipped<E: Element>(to: &T, from: &T, name: &'static str, each: impl Fn(&mut E, E) + Sync) {
    let memory = from.storage().read_memory();
    to.storage()
        .write_memory(|to| kernels::change_elements(to.slice_mut::<E>(), memory.typed_slice::<E>(), each));
    to.numbers().count_write(name);
}

/// Takes the numbers of another tensor, whatever the history of both.
#[pairbond::function]
#[name("_assign")]
pub(crate) fn assign_numbers(tensor: Ref<Tensor>, value: Ref<Tensor>) -> Result<()> {
    let tensor = T::from_tensor(tensor);
    let value = T::from_tensor(value);

    let value = in_order(&super::to_dtype_untracked(&value, tensor.dtype()));
    check_whole_write(&tensor, &[&value])?;
    crate::data::dispatch!(tensor.dtype(), E => write_zipped(&tensor, &value, "copy_", |to, from: E| *to = from));
    Ok(())
}

/// Gradient descent with momentum. `first`: there is no momentum yet.
#[pairbond::function]
#[name("_sgd_step")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn sgd_step(
    param: Ref<Tensor>,
    grad: Ref<Tensor>,
    #[required] momentum_buffer: Option<Ref<Tensor>>,
    first: bool,
    lr: f64,
    momentum: f64,
    dampening: f64,
    weight_decay: f64,
    nesterov: bool,
    maximize: bool,
) -> Result<()> {
    let param = T::from_tensor(param);
    let momentum_buffer = momentum_buffer.map(T::from_tensor);

    let mut step = in_order(&T::from_tensor(grad));
    check_whole_write(&param, &[&step])?;
    dispatch_float!(param.dtype(), "sgd", E => {
        let sign: E = if maximize { -1.0 } else { 1.0 };
        if weight_decay != 0.0 || maximize {
            let own = super::copy_untracked(&step);
            write_zipped(&own, &step, "sgd", |to, from: E| *to = from * sign);
            write_zipped(&own, &param, "sgd", |to, from: E| *to += from * weight_decay as E);
            step = own;
        }
        if let Some(buffer) = &momentum_buffer {
            check_whole_write(&param, &[buffer])?;
            if first {
                write_zipped(buffer, &step, "sgd", |to, from: E| *to = from);
            } else {
                write_zipped(buffer, &step, "sgd", |to, from: E| *to = *to * momentum as E + from * (1.0 - dampening as E));
            }
            if nesterov {
                let own = super::copy_untracked(&step);
                write_zipped(&own, buffer, "sgd", |to, from: E| *to += from * momentum as E);
                step = own;
            } else {
                step = buffer.clone();
            }
        }
        write_zipped(&param, &step, "sgd", |to, from: E| *to -= from * lr as E);
        Ok(())
    })
}

/// Adam; `decoupled` weight decay makes it `AdamW`, and with `largest`, the largest squares so far,
/// it is AMSGrad.
#[pairbond::function]
#[name("_adam_step")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn adam_step(
    param: Ref<Tensor>,
    grad: Ref<Tensor>,
    mean: Ref<Tensor>,
    square: Ref<Tensor>,
    #[required] largest: Option<Ref<Tensor>>,
    step: f64,
    lr: f64,
    betas: (f64, f64),
    eps: f64,
    weight_decay: f64,
    decoupled: bool,
    maximize: bool,
) -> Result<()> {
    let param = T::from_tensor(param);
    let grad = T::from_tensor(grad);
    let mean = T::from_tensor(mean);
    let square = T::from_tensor(square);
    let largest = largest.map(T::from_tensor);

    let mut grad = in_order(&grad);
    check_whole_write(&param, &[&grad, &mean, &square])?;
    dispatch_float!(param.dtype(), "adam", E => {
        if maximize {
            let own = super::copy_untracked(&grad);
            write_zipped(&own, &grad, "adam", |to, from: E| *to = -from);
            grad = own;
        }
        if weight_decay != 0.0 && decoupled {
            let shrink = (1.0 - lr * weight_decay) as E;
            write_zipped(&param, &grad, "adam", |to, _: E| *to *= shrink);
        } else if weight_decay != 0.0 {
            let own = super::copy_untracked(&grad);
            write_zipped(&own, &param, "adam", |to, from: E| *to += from * weight_decay as E);
            grad = own;
        }
        let (one, two) = (betas.0 as E, betas.1 as E);
        write_zipped(&mean, &grad, "adam", |to, from: E| *to += (from - *to) * (1.0 - one));
        write_zipped(&square, &grad, "adam", |to, from: E| *to = *to * two + from * from * (1.0 - two));
        // Both begin at zero, which is corrected for.
        let rate = (lr / (1.0 - betas.0.powf(step))) as E;
        let root = (1.0 - betas.1.powf(step)).sqrt() as E;
        let square = match &largest {
            None => &square,
            Some(largest) => {
                check_whole_write(&param, &[largest])?;
                write_zipped(largest, &square, "adam", |to, from: E| *to = to.max(from));
                largest
            }
        };
        let memory = square.storage().read_memory();
        let means = mean.storage().read_memory();
        param.storage().write_memory(|param| {
            let (means, squares) = (means.typed_slice::<E>(), memory.typed_slice::<E>());
            threads::split_result(param.slice_mut::<E>(), 1, GRAIN_IN_PLACE, |first, part| {
                let both = means[first..].iter().zip(&squares[first..]);
                for (to, (mean, square)) in part.iter_mut().zip(both) {
                    *to -= rate * mean / (square.sqrt() / root + eps as E);
                }
            });
        });
        param.numbers().count_write("adam");
        Ok(())
    })
}
