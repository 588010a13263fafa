//! Functions whose derivative is written in Rust, and checkpoints.

mod number;

use std::sync::atomic::{AtomicUsize, Ordering};

use number::{Number, backward_from, grad_of, gradient_by, gradient_root, mul, new_leaf, new_number};
use pairbond::prelude::*;
use pairbond_tape::{
    Context, CustomFunction, Given, Mode, Node, Value, Variable, apply_function, as_variable, checkpoint,
    pop_saved_tensors_hooks, push_saved_tensors_hooks, record, run_backward, run_gradients,
};

/// The product and a multiple of the sum, computed together.
struct Both;

impl CustomFunction<Number> for Both {
    const NAME: &'static str = "BothBackward";
    type Params = f64;

    fn forward(
        ctx: &mut Context<'_, Number>,
        factor: &f64,
        inputs: &[Ref<Number>],
    ) -> Result<Vec<Ref<Number>>> {
        let [a, b] = inputs else {
            return Err(Error::type_error("two numbers"));
        };
        ctx.save(a);
        ctx.save(b);
        let wanted = (ctx.needs_gradient(0), ctx.needs_gradient(1));
        ctx.node()
            .metadata()
            .insert("wanted".into(), format!("{wanted:?}").into())?;
        // Nothing of this is recorded.
        Ok(vec![mul(a, b)?, mul(&Number::add(a, b)?, &new_number(*factor))?])
    }

    fn backward(
        ctx: &Given<'_, Number>,
        factor: &f64,
        grads: &[Option<Ref<Number>>],
    ) -> Result<Vec<Option<Ref<Number>>>> {
        let grad = |place: usize| grads[place].clone().unwrap_or_else(|| new_number(0.0));
        let of_sum = mul(&grad(1), &new_number(*factor))?;
        let by = |input: usize| Number::add(&mul(&grad(0), &ctx.saved(1 - input)?)?, &of_sum);
        Ok(vec![ctx.when(0, || by(0))?, ctx.when(1, || by(1))?])
    }
}

/// A tenth power that saves its result, with as many gradients as `params` says.
struct Tenth;

impl CustomFunction<Number> for Tenth {
    const NAME: &'static str = "TenthBackward";
    type Params = usize;

    fn forward(ctx: &mut Context<'_, Number>, _: &usize, inputs: &[Ref<Number>]) -> Result<Vec<Ref<Number>>> {
        let out = new_number(inputs[0].value.powi(10));
        ctx.save(&inputs[0]);
        ctx.save(&out);
        Ok(vec![out])
    }

    fn backward(
        ctx: &Given<'_, Number>,
        count: &usize,
        grads: &[Option<Ref<Number>>],
    ) -> Result<Vec<Option<Ref<Number>>>> {
        let (x, out) = (ctx.saved(0)?, ctx.saved(1)?);
        let slope = mul(&mul(&out, &inverse(&x)?)?, &new_number(10.0))?;
        let grad = grads[0].as_ref().map(|grad| mul(grad, &slope)).transpose()?;
        Ok(vec![grad; *count])
    }
}

fn inverse(x: &Ref<Number>) -> Result<Ref<Number>> {
    let saves = [pairbond_tape::Save::Out];
    record(
        "InverseBackward",
        [x],
        &saves,
        (),
        new_number(1.0 / x.value),
        |given, ()| {
            let out = given.saved(0)?;
            Ok([Some(mul(
                &mul(given.grad(), &new_number(-1.0))?,
                &mul(&out, &out)?,
            )?)])
        },
    )
}

#[test]
fn a_function_of_two_inputs_and_results() {
    let (a, b) = (new_leaf(3.0), new_leaf(5.0));
    let results = apply_function::<_, Both>(2.0, &[a.clone(), b.clone()]).unwrap();
    assert_eq!([results[0].value, results[1].value], [15.0, 16.0]);
    backward_from(&Number::add(&results[0], &results[1]).unwrap()).unwrap();
    assert_eq!((grad_of(&a), grad_of(&b)), (7.0, 5.0));
}

#[test]
fn the_context_is_the_node() {
    let (a, b) = (new_leaf(3.0), new_number(5.0));
    let results = apply_function::<_, Both>(2.0, &[a.clone(), b]).unwrap();
    let node = results[0].recorded_node().unwrap();
    assert!(node.is(&results[1].recorded_node().unwrap()));
    assert_eq!((results[0].output_number(), results[1].output_number()), (0, 1));
    let wanted = node.metadata().get("wanted").unwrap();
    assert_eq!(wanted.unwrap().to::<String>().unwrap(), "(true, false)");
    // A gradient that is none is zero.
    backward_from(&results[1]).unwrap();
    assert_eq!(grad_of(&a), 2.0);
    let error = backward_from(&results[0]).unwrap_err();
    assert!(error.to_string().contains("a second time"), "{error}");
}

#[test]
fn derivatives_of_functions_have_derivatives() {
    let x = new_leaf(2.0);
    let y = apply_function::<_, Tenth>(1, std::slice::from_ref(&x))
        .unwrap()
        .remove(0);
    let first = gradient_by(&y, &x);
    let second = gradient_by(&first, &x);
    let third = gradient_by(&second, &x);
    assert_eq!(
        (first.value, second.value, third.value),
        (5120.0, 23040.0, 92160.0)
    );
}

#[test]
fn functions_without_a_derivative() {
    let x = new_leaf(2.0);
    let results = {
        let _mode = Mode::set(false);
        apply_function::<_, Tenth>(1, std::slice::from_ref(&x)).unwrap()
    };
    assert!(!results[0].requires_grad());
    let results = apply_function::<_, Tenth>(1, &[new_number(2.0)]).unwrap();
    assert!(!results[0].requires_grad() && results[0].recorded_node().is_none());
    let y = apply_function::<_, Tenth>(3, &[x]).unwrap().remove(0);
    let error = backward_from(&y).unwrap_err().to_string();
    assert!(
        error
            .contains("function TenthBackward returned an incorrect number of gradients (expected 1, got 3)"),
        "{error}"
    );
    let error = apply_function::<_, Both>(1.0, &[new_number(1.0)])
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("two numbers"), "{error}");
}

/// Returns its input twice.
struct Twice;

impl CustomFunction<Number> for Twice {
    const NAME: &'static str = "TwiceBackward";
    type Params = ();

    fn forward(_: &mut Context<'_, Number>, (): &(), inputs: &[Ref<Number>]) -> Result<Vec<Ref<Number>>> {
        Ok(vec![inputs[0].clone(), inputs[0].clone()])
    }

    fn backward(
        _: &Given<'_, Number>,
        (): &(),
        grads: &[Option<Ref<Number>>],
    ) -> Result<Vec<Option<Ref<Number>>>> {
        let times = |place: usize, factor| mul(grads[place].as_ref().unwrap(), &new_number(factor));
        Ok(vec![Some(Number::add(&times(0, 2.0)?, &times(1, 5.0)?)?)])
    }
}

#[test]
fn an_input_that_is_returned_is_another_value() {
    let x = new_leaf(3.0);
    let results = apply_function::<_, Twice>((), std::slice::from_ref(&x)).unwrap();
    assert!(!results[0].is(&x) && !results[1].is(&x) && !results[0].is(&results[1]));
    backward_from(&Number::add(&results[0], &mul(&results[1], &new_number(10.0)).unwrap()).unwrap()).unwrap();
    assert_eq!(grad_of(&x), 52.0);
}

#[test]
fn what_a_function_saves_is_packed_and_goes_at_once() {
    let pack = Function::build("pack").from(|value: Ref<Number>| value.value);
    let unpack = Function::build("unpack").from(|packed: f64| new_number(packed + 1.0));
    let x = new_leaf(1.0);
    push_saved_tensors_hooks(pack, unpack);
    let y = apply_function::<_, Tenth>(1, std::slice::from_ref(&x))
        .unwrap()
        .remove(0);
    pop_saved_tensors_hooks();
    backward_from(&y).unwrap();
    // Of two in place of one: (1 + 1) / (1 + 1) * 10.
    assert_eq!(grad_of(&x), 10.0);
    drop(y);

    let y = apply_function::<_, Tenth>(1, std::slice::from_ref(&x))
        .unwrap()
        .remove(0);
    let watched = (y.downgrade(), y.recorded_node().unwrap().downgrade());
    drop(y);
    assert!(watched.0.upgrade().is_none() && watched.1.upgrade().is_none());

    // A gradient with a history, which leads to the leaf.
    let y = apply_function::<_, Tenth>(1, std::slice::from_ref(&x))
        .unwrap()
        .remove(0);
    run_backward(&[gradient_root(&y)], None, None, true, None).unwrap();
    let watched: (Weak<Number>, Weak<Node>) = (x.downgrade(), y.recorded_node().unwrap().downgrade());
    drop((x, y));
    pairbond::collect();
    assert!(watched.0.upgrade().is_none() && watched.1.upgrade().is_none());
}

thread_local! {
    static CALLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Powers of the first, times the second.
fn scaled_powers(inputs: &[Ref<Number>], count: &usize) -> Result<Vec<Ref<Number>>> {
    CALLS.set(CALLS.get() + 1);
    let (mut y, factor) = (inputs[0].clone(), &inputs[1]);
    for _ in 0..*count {
        y = mul(&mul(&y, &inputs[0])?, factor)?;
    }
    Ok(vec![y.clone(), mul(&y, &y)?])
}

/// First and second derivatives of a function, and how many values its graph keeps.
fn second_derivatives(checkpointed: bool) -> (Vec<f64>, u64) {
    let (x, factor) = (new_leaf(1.5), new_leaf(0.5));
    let inputs = [x.clone(), factor.clone()];
    let saved = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let results = if checkpointed {
        checkpoint(&inputs, 6, scaled_powers)
    } else {
        let count = saved.clone();
        push_saved_tensors_hooks(
            Function::build("pack").from(move |value: Ref<Variable>| {
                count.fetch_add(1, Ordering::Relaxed);
                value
            }),
            Function::build("unpack").from(|value: Ref<Variable>| value),
        );
        let results = scaled_powers(&inputs, &6);
        pop_saved_tensors_hooks();
        results
    };
    let results = results.unwrap();
    let y = Number::add(&results[0], &results[1]).unwrap();
    let (first, other) = (gradient_by(&y, &x), gradient_by(&y, &factor));
    let mixed = gradient_by(&first, &factor);
    let second = gradient_by(&first, &x);
    backward_from(&y).unwrap();
    let numbers = [&y, &first, &other, &mixed, &second].map(|it| it.value);
    (
        [&numbers[..], &[grad_of(&x), grad_of(&factor)]].concat(),
        saved.load(Ordering::Relaxed),
    )
}

#[test]
fn checkpoints_have_derivatives_of_any_order() {
    let before = CALLS.get();
    let (plain, saved) = second_derivatives(false);
    let once = CALLS.get() - before;
    let (again, _) = second_derivatives(true);
    assert_eq!(plain, again);
    assert!(saved > 20);
    // Once at first, and once for each of the five runs.
    assert_eq!((once, CALLS.get() - before), (1, 1 + 1 + 5));
}

#[test]
fn a_checkpoint_within_another() {
    let nested = |inputs: &[Ref<Number>], (): &()| {
        let inner = checkpoint(inputs, (), |inputs: &[Ref<Number>], (): &()| {
            let square = mul(&inputs[0], &inputs[0])?;
            Ok(vec![mul(&square, &square)?])
        })?;
        Ok(vec![mul(&inner[0], &inputs[0])?])
    };
    let x = new_leaf(2.0);
    let y = checkpoint(std::slice::from_ref(&x), (), nested)
        .unwrap()
        .remove(0);
    let first = gradient_by(&y, &x);
    assert_eq!(
        (y.value, first.value, gradient_by(&first, &x).value),
        (32.0, 80.0, 160.0)
    );
}

/// A product with a number that is watched.
fn watched_product(inputs: &[Ref<Number>], (): &()) -> Result<Vec<Ref<Number>>> {
    let square = mul(&inputs[0], &inputs[0])?;
    WATCHED.with(|it| it.borrow_mut().push(square.downgrade()));
    Ok(vec![mul(&square, &inputs[0])?])
}

thread_local! {
    static WATCHED: std::cell::RefCell<Vec<Weak<Number>>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[test]
fn a_checkpoint_keeps_no_value_between() {
    let x = new_leaf(3.0);
    let y = checkpoint(std::slice::from_ref(&x), (), watched_product)
        .unwrap()
        .remove(0);
    let live = || WATCHED.with(|all| all.borrow().iter().filter(|it| it.upgrade().is_some()).count());
    assert_eq!(live(), 0);
    run_backward(&[gradient_root(&y)], None, Some(true), false, None).unwrap();
    backward_from(&y).unwrap();
    assert_eq!((live(), grad_of(&x)), (0, 54.0));
    drop(y);

    // In a cycle through a gradient with a history.
    let y = checkpoint(std::slice::from_ref(&x), (), watched_product)
        .unwrap()
        .remove(0);
    run_backward(&[gradient_root(&y)], None, Some(true), true, None).unwrap();
    let watched = x.downgrade();
    drop((x, y));
    pairbond::collect();
    assert!(watched.upgrade().is_none());
}

#[test]
fn a_function_that_saves_other_values_when_it_is_called_again() {
    static MORE: AtomicUsize = AtomicUsize::new(0);
    let function = |inputs: &[Ref<Number>], (): &()| {
        let mut y = inputs[0].clone();
        for _ in 0..=MORE.fetch_add(1, Ordering::Relaxed) {
            y = mul(&y, &inputs[0])?;
        }
        Ok(vec![y])
    };
    let y = checkpoint(&[new_leaf(2.0)], (), function).unwrap().remove(0);
    let error = backward_from(&y).unwrap_err().to_string();
    assert!(
        error.contains("saved 2 values when it was called, and 4 when it was called again"),
        "{error}"
    );
    // Nothing of it is left in force.
    let x = new_leaf(2.0);
    backward_from(&mul(&x, &x).unwrap()).unwrap();
    assert_eq!(grad_of(&x), 4.0);
}

#[test]
fn checkpoints_of_several_threads() {
    let x = new_leaf(3.0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let y = checkpoint(&[x.clone(), new_number(1.0)], 3, scaled_powers)
                        .unwrap()
                        .remove(0);
                    backward_from(&y).unwrap();
                }
            });
        }
    });
    assert_eq!(grad_of(&x), 200.0 * 4.0 * 27.0);
    // One graph that several threads run.
    let y = checkpoint(&[x.clone(), new_number(1.0)], 3, scaled_powers)
        .unwrap()
        .remove(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let found = run_gradients(
                        &[gradient_root(&y)],
                        &[gradient_root(&x)],
                        None,
                        Some(true),
                        false,
                        false,
                    )
                    .unwrap();
                    let found: Ref<Number> = found[0].clone().unwrap().downcast().unwrap();
                    assert_eq!(found.value, 108.0);
                }
            });
        }
    });
    assert!(as_variable(&y).requires_grad());
}
