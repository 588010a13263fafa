//! Tensors of candle on pairbond's tape: trains a small network, and prints what leaks: nothing.
#![forbid(unsafe_code)]

mod array;
mod ops;
#[cfg(test)]
mod tests;

use array::{A, backward, leaf, made};
use candle_core::{Device, Tensor};
use ops::{add, expand, matmul, mul, scale, sum_to, tanh};
use pairbond::prelude::*;

fn tensor(numbers: Vec<f64>, shape: &[usize]) -> candle_core::Result<Tensor> {
    Tensor::from_vec(numbers, shape, &Device::Cpu)
}

/// Trains a network to compute XOR, of truth values that are 1 and -1; returns the losses.
fn train(steps: usize) -> Result<Vec<f64>> {
    let points = made(tensor(vec![1., 1., 1., -1., -1., 1., -1., -1.], &[4, 2]))?;
    let less = made(tensor(vec![1., -1., -1., 1.], &[4, 1]))?;
    let weight = |shape: &[usize]| {
        let numbers = (0..shape.iter().product()).map(|at| ((at * 37 + 11) % 19) as f64 / 9.5 - 1.0);
        leaf(tensor(numbers.collect(), shape))
    };
    let mut weights = [weight(&[2, 8])?, weight(&[8])?, weight(&[8, 1])?, weight(&[1])?];
    let one_step = |_| {
        let [w, b, v, c] = &weights;
        let hidden = tanh(&add(&matmul(&points, w)?, &expand(b, &[4, 8])?)?)?;
        let error = add(&tanh(&add(&matmul(&hidden, v)?, &expand(c, &[4, 1])?)?)?, &less)?;
        let loss = scale(&sum_to(&mul(&error, &error)?, &[])?, 0.25)?;
        backward(&loss, false)?;
        // Tensors of candle do not change: a step makes new leaves.
        for weight in &mut weights {
            if let Some(grad) = weight.grad.take() {
                let step = grad.tensor.affine(-0.2, 0.0);
                *weight = leaf(step.and_then(|step| &weight.tensor + step))?;
            }
        }
        Ok(loss.tensor.to_scalar::<f64>().unwrap_or(f64::NAN))
    };
    (0..steps).map(one_step).collect()
}

/// A way in which a graph, from a leaf to a result, can come to own itself.
type Cycle = (&'static str, fn(&A, &A) -> Result<()>);

const CYCLES: [Cycle; 3] = [
    ("none", |_, _| Ok(())),
    ("metadata of a node", |_, y| {
        let node = y.recorded_node().ok_or_else(|| Error::value_error("a leaf"))?;
        let before = node.metadata().insert("result".into(), y.clone().into());
        before.map(drop)
    }),
    ("gradient with a history", |x, _| {
        backward(&sum_to(&mul(x, &mul(x, x)?)?, &[])?, true)
    }),
];

/// Of each kind of cycle, before and after a run: whether it goes at once, is collected, or leaks.
fn leaks() -> Result<Vec<(&'static str, bool, &'static str)>> {
    let mut rows = Vec::new();
    for (name, cycle) in CYCLES {
        for run in [false, true] {
            pairbond::collect();
            let x = leaf(tensor(vec![1.0, 2.0], &[2]))?;
            let y = tanh(&mul(&x, &x)?)?;
            cycle(&x, &y)?;
            if run {
                backward(&sum_to(&y, &[])?, false)?;
            }
            let watched = [x.downgrade(), y.downgrade()];
            drop((x, y));
            let live = || watched.iter().any(|it| it.upgrade().is_some());
            let at_once = !live();
            pairbond::collect();
            let fate = match (at_once, live()) {
                (true, _) => "at once",
                (_, true) => "leaks",
                _ => "collected",
            };
            rows.push((name, run, fate));
        }
    }
    Ok(rows)
}

fn main() -> Result<()> {
    let losses = train(300)?;
    println!("loss {:.3} → {:.3}", losses[0], losses[losses.len() - 1]);
    for (name, run, fate) in leaks()? {
        let when = if run { "after a run" } else { "not run" };
        println!("{name:28} {when:12} {fate}");
    }
    Ok(())
}
