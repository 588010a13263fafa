use pairbond::prelude::*;
use pairbond_tape::{
    Context, CustomFunction, Given, Root, Save, apply_function, as_variable, checkpoint, record,
    run_gradients,
};

use crate::array::{A, Array, backward, leaf, made};
use crate::ops::{add, expand, matmul, mul, scale, sum_to, tanh};
use crate::{leaks, tensor, train};

fn numbers(a: &A) -> Vec<f64> {
    a.tensor
        .flatten_all()
        .and_then(|all| all.to_vec1())
        .expect("numbers")
}

fn gradient(of: &A, by: &A) -> A {
    let root = |value: &A| Root::Value(as_variable(value).clone());
    let found = run_gradients(&[root(of)], &[root(by)], None, None, true, false).expect("a gradient");
    found[0]
        .clone()
        .expect("a gradient")
        .downcast()
        .expect("of candle")
}

/// The gradient by differences.
fn numerical(function: impl Fn(&A) -> Result<A>, at: &[f64], shape: &[usize]) -> Vec<f64> {
    let value = |at: &[f64]| numbers(&function(&leaf(tensor(at.to_vec(), shape)).unwrap()).unwrap())[0];
    let slope = |place: usize| {
        let (mut there, mut here) = (at.to_vec(), at.to_vec());
        there[place] += 1e-6;
        here[place] -= 1e-6;
        (value(&there) - value(&here)) / 2e-6
    };
    (0..at.len()).map(slope).collect()
}

fn assert_close(one: &[f64], other: &[f64]) {
    assert_eq!(one.len(), other.len());
    assert!(
        one.iter()
            .zip(other)
            .all(|(a, b)| (a - b).abs() <= 1e-6 * (1.0 + b.abs())),
        "{one:?} and {other:?}"
    );
}

#[test]
fn gradients_of_both_orders_are_those_of_differences() {
    let row = || expand(&made(tensor(vec![1.0, -2.0, 0.5], &[3]))?, &[2, 3]);
    let square = || made(tensor((0..9).map(f64::from).collect(), &[3, 3]));
    type Function<'a> = &'a dyn Fn(&A) -> Result<A>;
    let functions: [Function<'_>; 4] = [
        &|x| mul(x, &mul(x, x)?),
        &|x| {
            mul(
                &add(&mul(x, &row()?)?, &expand(&sum_to(x, &[2, 1])?, &[2, 3])?)?,
                x,
            )
        },
        &|x| tanh(&mul(&tanh(x)?, &row()?)?),
        &|x| matmul(&tanh(x)?, &mul(&square()?, &expand(&sum_to(x, &[])?, &[3, 3])?)?),
    ];
    let at = [0.3, -0.7, 1.1, 0.2, 0.9, -0.4];
    for function in functions {
        let number = |x: &A| sum_to(&function(x)?, &[]);
        let slope = |x: &A| sum_to(&tanh(&gradient(&number(x)?, x))?, &[]);
        let x = leaf(tensor(at.to_vec(), &[2, 3])).unwrap();
        assert_close(
            &numbers(&gradient(&number(&x).unwrap(), &x)),
            &numerical(number, &at, &[2, 3]),
        );
        assert_close(
            &numbers(&gradient(&slope(&x).unwrap(), &x)),
            &numerical(slope, &at, &[2, 3]),
        );
    }
}

#[test]
fn the_training_run_converges() {
    let losses = train(300).unwrap();
    assert!(losses[0] > 0.5 && losses[299] < 0.02, "{losses:?}");
}

#[test]
fn no_cycle_leaks() {
    for (name, run, fate) in leaks().unwrap() {
        assert_ne!(fate, "leaks", "{name}, {run}");
        assert!(
            name == "metadata of a node" || name == "gradient with a history" || fate == "at once",
            "{name}"
        );
    }
}

#[test]
fn a_deep_chain_runs_and_goes_on_a_small_stack() {
    let run = || {
        let x = leaf(tensor(vec![1.0], &[1])).unwrap();
        let mut y = x.clone();
        for _ in 0..100_000 {
            y = scale(&y, 1.0).unwrap();
        }
        backward(&y, false).unwrap();
        let watched = y.downgrade();
        drop(y);
        (numbers(&x.grad.get().unwrap()), watched.upgrade().is_none())
    };
    let thread = std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(run)
        .unwrap();
    assert_eq!(thread.join().unwrap(), (vec![1.0], true));
}

#[test]
fn threads_add_to_one_leaf() {
    let x = leaf(tensor(vec![1.0, 2.0], &[2])).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    backward(&sum_to(&mul(&x, &x).unwrap(), &[]).unwrap(), false).unwrap();
                }
            });
        }
    });
    assert_eq!(numbers(&x.grad.get().unwrap()), [800.0, 1600.0]);
}

/// Powers of e, and their logarithm's slope, by one kernel each.
struct Softplus;

impl CustomFunction<Array> for Softplus {
    const NAME: &'static str = "SoftplusBackward";
    type Params = ();

    fn forward(ctx: &mut Context<'_, Array>, (): &(), inputs: &[A]) -> Result<Vec<A>> {
        let out = made(inputs[0].tensor.exp().and_then(|power| (power + 1.0)?.log()))?;
        ctx.save(&out);
        Ok(vec![out])
    }

    /// The slope is `1 - exp(-out)`, which is made of operations: it has a derivative.
    fn backward(ctx: &Given<'_, Array>, (): &(), grads: &[Option<A>]) -> Result<Vec<Option<A>>> {
        let Some(grad) = &grads[0] else {
            return Ok(vec![None]);
        };
        let less = mul(grad, &exp(&scale(&ctx.saved(0)?, -1.0)?)?)?;
        Ok(vec![Some(add(grad, &scale(&less, -1.0)?)?)])
    }
}

fn exp(a: &A) -> Result<A> {
    record(
        "ExpBackward",
        [a],
        &[Save::Out],
        (),
        made(a.tensor.exp())?,
        |g, ()| Ok([Some(mul(g.grad(), &g.saved(0)?)?)]),
    )
}

#[test]
fn a_custom_function_has_derivatives_of_both_orders() {
    let number = |x: &A| sum_to(&apply_function::<_, Softplus>((), &[tanh(x)?])?[0], &[]);
    let slope = |x: &A| sum_to(&tanh(&gradient(&number(x)?, x))?, &[]);
    let at = [0.3, -0.7, 1.1];
    let x = leaf(tensor(at.to_vec(), &[3])).unwrap();
    let first = numbers(&gradient(&number(&x).unwrap(), &x));
    assert_close(&first, &numerical(number, &at, &[3]));
    let second = numbers(&gradient(&slope(&x).unwrap(), &x));
    assert_close(&second, &numerical(slope, &at, &[3]));
}

#[test]
fn a_checkpoint_has_the_same_gradients() {
    fn layers(inputs: &[A], count: &usize) -> Result<Vec<A>> {
        let mut hidden = inputs[0].clone();
        for _ in 0..*count {
            hidden = tanh(&matmul(&hidden, &inputs[1])?)?;
        }
        Ok(vec![sum_to(&hidden, &[])?])
    }
    let gradients = |checkpointed| {
        let leaf = |shape: &[usize]| {
            let count = shape.iter().product::<usize>();
            leaf(tensor((0..count).map(|at| (at as f64).sin()).collect(), shape)).unwrap()
        };
        let inputs = [leaf(&[4, 3]), leaf(&[3, 3])];
        let results = if checkpointed {
            checkpoint(&inputs, 5, layers)
        } else {
            layers(&inputs, &5)
        };
        let slope = gradient(&results.unwrap()[0], &inputs[0]);
        backward(&sum_to(&mul(&slope, &slope).unwrap(), &[]).unwrap(), false).unwrap();
        inputs.map(|input| numbers(&input.grad.get().unwrap()))
    };
    assert_eq!(gradients(true), gradients(false));
}
